#include "conformance/tools/cli/device_list.h"

#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/json_text.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} features[] = {
#define FEATURE(field)                                                                             \
    {                                                                                              \
#field, offsetof(struct assay_gpu_device, field)                                           \
    }
    FEATURE(storage_16bit), FEATURE(shader_float16),      FEATURE(storage_8bit),
    FEATURE(shader_int8),   FEATURE(integer_dot_product), FEATURE(cooperative_matrix),
    FEATURE(timestamps),    FEATURE(memory_budget),
#undef FEATURE
};

enum { FEATURES = sizeof features / sizeof features[0] };

static bool has(const struct assay_gpu_device *d, size_t feature)
{
    int value;

    memcpy(&value, (const char *)d + features[feature].offset, sizeof value);
    return value != 0;
}

/* ---- text ---- */

/* The encoding of VK_MAKE_API_VERSION. */
static void version_text(char text[32], uint32_t version)
{
    snprintf(text, 32, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff, version & 0xfff);
}

static void bytes_text(char text[32], uint64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 32, "%.4g %s", value, units[unit]);
}

static void print_features(FILE *f, const struct assay_gpu_device *d, bool wanted)
{
    const char *separator = "";

    for (size_t i = 0; i < FEATURES; i++) {
        if (has(d, i) != wanted)
            continue;
        fprintf(f, "%s%s", separator, features[i].name);
        separator = ", ";
    }
    fprintf(f, "%s\n", *separator ? "" : "-");
}

void device_print(FILE *f, const struct assay_gpu_device *d)
{
    char api[32], memory[32], range[32], shared[32];

    version_text(api, d->api_version);
    bytes_text(memory, d->memory_bytes);
    bytes_text(range, d->max_storage_buffer_range);
    bytes_text(shared, d->max_shared_memory_bytes);
    fprintf(f, "%d  %s\n", d->index, d->name);
    if (d->usable)
        fprintf(f, "   usable      yes\n");
    else
        fprintf(f, "   usable      no: %s\n", d->why_not);
    fprintf(f, "   type        %s, vendor 0x%04" PRIx32 ", device 0x%04" PRIx32 "\n", d->type,
            d->vendor_id, d->device_id);
    fprintf(f, "   driver      %s, Vulkan %s\n", d->driver, api);
    fprintf(f, "   memory      %s; largest storage buffer %s\n", memory, range);
    fprintf(f,
            "   workgroup   up to %" PRIu32 " invocations, %" PRIu32 " x %" PRIu32 " x %" PRIu32
            ", shared memory %s, subgroup %" PRIu32 "\n",
            d->max_workgroup_invocations, d->max_workgroup_size[0], d->max_workgroup_size[1],
            d->max_workgroup_size[2], shared, d->subgroup_size);
    fprintf(f, "   grid        up to %" PRIu32 " x %" PRIu32 " x %" PRIu32 " workgroups\n",
            d->max_workgroup_count[0], d->max_workgroup_count[1], d->max_workgroup_count[2]);
    fprintf(f, "   has         ");
    print_features(f, d, true);
    fprintf(f, "   lacks       ");
    print_features(f, d, false);
}

/* ---- JSON ---- */

static json_t *three(const uint32_t values[3])
{
    return json_pack("[I, I, I]", (json_int_t)values[0], (json_int_t)values[1],
                     (json_int_t)values[2]);
}

json_t *device_json(const struct assay_gpu_device *d)
{
    json_t *const o = json_object(), *const limits = json_object(), *const used = json_object();
    char api[32];

    version_text(api, d->api_version);
    json_object_set_new(o, "index", json_integer(d->index));
    json_object_set_new(o, "name", json_text(d->name));
    json_object_set_new(o, "driver", json_text(d->driver));
    json_object_set_new(o, "api", json_string(api));
    json_object_set_new(o, "type", json_text(d->type));
    json_object_set_new(o, "vendor_id", json_integer(d->vendor_id));
    json_object_set_new(o, "device_id", json_integer(d->device_id));
    json_object_set_new(o, "usable", json_boolean(d->usable));
    json_object_set_new(o, "why_not", json_text(d->usable ? NULL : d->why_not));
    json_object_set_new(limits, "memory_bytes", json_integer((json_int_t)d->memory_bytes));
    json_object_set_new(limits, "max_storage_buffer_range",
                        json_integer((json_int_t)d->max_storage_buffer_range));
    json_object_set_new(limits, "max_workgroup_count", three(d->max_workgroup_count));
    json_object_set_new(limits, "max_workgroup_size", three(d->max_workgroup_size));
    json_object_set_new(limits, "max_workgroup_invocations",
                        json_integer(d->max_workgroup_invocations));
    json_object_set_new(limits, "max_shared_memory_bytes",
                        json_integer(d->max_shared_memory_bytes));
    json_object_set_new(limits, "subgroup_size", json_integer(d->subgroup_size));
    json_object_set_new(o, "limits", limits);
    for (size_t i = 0; i < FEATURES; i++)
        json_object_set_new(used, features[i].name, json_boolean(has(d, i)));
    json_object_set_new(o, "features", used);
    return o;
}

/* ---- listing ---- */

static enum status ask(const struct subject *s, struct device_list *list, struct diag *diag)
{
    char error[512] = "";
    int found;

    if (!s->path)
        return diag_fail(diag, STATUS_USAGE,
                         "the scalar reference has no devices; expected a delegate library");
    if (!s->extras.devices)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s does not export assay_gpu_devices", s->path);
    for (size_t i = 0; i < DEVICES_MAX; i++)
        list->items[i].struct_size = sizeof list->items[i];
    found = s->extras.devices(list->items, DEVICES_MAX, error, sizeof error);
    if (found < 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "%s", error[0] ? error : "no reason given");
    if (found == 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "the Vulkan driver has no device");
    list->count = found < DEVICES_MAX ? (size_t)found : DEVICES_MAX;
    return STATUS_OK;
}

enum status device_list_read(struct device_list *list, const char *delegate, struct diag *diag)
{
    struct subject subject = { .path = NULL };
    enum status s;

    list->count = 0;
    if ((s = subject_init(&subject, delegate, NULL, diag)) == STATUS_OK &&
        (s = subject_load(&subject, diag)) == STATUS_OK)
        s = ask(&subject, list, diag);
    subject_close(&subject);
    return s;
}
