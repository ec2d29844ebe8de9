/* Creates and destroys delegates: the plug-in ABI, and assay_gpu_delegate_create. */
#include "assay_gpu.h"
#include "delegate/graph/options.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/host.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *assay_gpu_version(void)
{
    return ASSAY_VERSION;
}

const char *assay_gpu_option_help(void)
{
    return options_help();
}

int assay_gpu_check_options(const char *const *keys, const char *const *values, size_t count,
                            char *error, size_t error_bytes)
{
    struct gpu_options o = { .device = NULL };
    struct diag diag = { 0 };
    const enum status s = options_parse(&o, keys, values, count, &diag);

    options_close(&o);
    if (s != STATUS_OK && error && error_bytes)
        snprintf(error, error_bytes, "%s", diag.text);
    return s == STATUS_OK ? 0 : -1;
}

/* Members that the caller's struct is too short to have are NULL. */
static enum status create(struct gpu_delegate **d, const struct assay_gpu_options *given,
                          struct diag *diag)
{
    struct assay_gpu_options o = { .count = 0 };
    struct device_given device;
    int handles;

    if (given && given->struct_size < offsetof(struct assay_gpu_options, instance))
        return diag_fail(diag, STATUS_USAGE,
                         "assay_gpu_options.struct_size: expected at least %zu, found %zu",
                         offsetof(struct assay_gpu_options, instance), given->struct_size);
    if (given)
        memcpy(&o, given, given->struct_size < sizeof o ? given->struct_size : sizeof o);
    if (o.count > 0 && (!o.keys || !o.values))
        return diag_fail(diag, STATUS_USAGE, "%zu options, but keys or values is NULL", o.count);
    device = (struct device_given){ .instance = (VkInstance)o.instance,
                                    .physical = (VkPhysicalDevice)o.physical_device,
                                    .device = (VkDevice)o.device,
                                    .queue = (VkQueue)o.queue,
                                    .queue_family = o.queue_family,
                                    .enabled = o.enabled,
                                    .lock_queue = o.lock_queue,
                                    .unlock_queue = o.unlock_queue,
                                    .lock_user = o.lock_user };
    handles = !!o.instance + !!o.physical_device + !!o.device + !!o.queue;
    if (handles != 0 && handles != 4)
        return diag_fail(diag, STATUS_USAGE,
                         "a given device needs instance, physical_device, device and queue: found "
                         "%d of 4",
                         handles);
    return host_delegate_create(d, o.keys, o.values, o.count, handles ? &device : NULL, diag);
}

static TfLiteDelegate *create_or_say(const struct assay_gpu_options *options,
                                     void (*report_error)(const char *))
{
    struct diag diag = { 0 };
    struct gpu_delegate *d;

    if (create(&d, options, &diag) == STATUS_OK)
        return &d->base;
    if (report_error)
        report_error(diag.text);
    return NULL;
}

TfLiteDelegate *assay_gpu_delegate_create(const struct assay_gpu_options *options,
                                          void (*report_error)(const char *))
{
    return create_or_say(options, report_error);
}

void assay_gpu_delegate_destroy(TfLiteDelegate *delegate)
{
    delegate_destroy(delegate);
}

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    /* Python hosts pass a C int through ctypes: the upper half of count is undefined. */
    const struct assay_gpu_options options = {
        .struct_size = sizeof options, .keys = keys, .values = values, .count = (uint32_t)count
    };

    return create_or_say(&options, report_error);
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    assay_gpu_delegate_destroy(delegate);
}
