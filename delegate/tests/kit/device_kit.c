#include "delegate/tests/kit/device_kit.h"

#include <stdio.h>
#include <string.h>

bool kit_device;
char kit_said[4096];

void kit_find_device(const char *what)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    kit_device = assay_gpu_devices(&any, 1, error, sizeof error) > 0;
    if (!kit_device)
        printf("skipped: %s on a device: %s\n", what, error);
}

static TfLiteDelegate *held;

int kit_hold_device(void **state)
{
    (void)state;
    held = tflite_plugin_create_delegate(NULL, NULL, 0, NULL); /* NULL without a device */
    return 0;
}

int kit_release_device(void **state)
{
    (void)state;
    if (held)
        tflite_plugin_destroy_delegate(held);
    held = NULL;
    return 0;
}

void kit_listen(void *user, const char *format, va_list args)
{
    const size_t used = strlen(kit_said);

    (void)user;
    vsnprintf(kit_said + used, sizeof kit_said - used, format, args);
    if (strlen(kit_said) + 1 < sizeof kit_said)
        strcat(kit_said, "\n");
}

void kit_reported(const char *text)
{
    snprintf(kit_said, sizeof kit_said, "%s", text);
}

TfLiteDelegate *kit_delegate(const char *const *pairs)
{
    const char *keys[8], *values[8];
    TfLiteDelegate *d;
    size_t n = 0;

    for (; pairs[2 * n]; n++) {
        keys[n] = pairs[2 * n];
        values[n] = pairs[2 * n + 1];
    }
    kit_said[0] = '\0';
    d = tflite_plugin_create_delegate(keys, values, n, kit_reported);
    if (!d)
        fail_msg("%s", kit_said);
    return d;
}

void kit_delegate_end(TfLiteDelegate **d)
{
    assay_gpu_delegate_destroy(*d);
}

struct interpreter *kit_open(const struct model *m, TfLiteDelegate *d)
{
    const struct interpreter_options options = { .report = kit_listen };
    struct interpreter *in;

    kit_said[0] = '\0';
    KIT_OK(interpreter_open(&in, m, &options, &err));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    return in;
}
