/* What libassay_delegate.so exports: the plug-in ABI and its own; gpu_v2.c has the third. */
#include "assay_gpu.h"
#include "delegate/api/support.h"
#include "delegate/base/struct_copy.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/host.h"
#include "delegate/runtime/kernel.h"
#include "delegate/vulkan/device_info.h"
#include "delegate/vulkan/pipeline.h"

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

/* Of options that end before ours do, the rest is NULL. */
static enum status create(struct gpu_delegate **d, const struct assay_gpu_options *given,
                          struct diag *diag)
{
    struct assay_gpu_options o = { .count = 0 };
    struct device_given device;
    int handles;

    if (given && given->struct_size < offsetof(struct assay_gpu_options, instance))
        return diag_fail(diag, STATUS_USAGE,
                         "struct assay_gpu_options of %zu bytes, %zu are needed",
                         given->struct_size, offsetof(struct assay_gpu_options, instance));
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
                         "a given device needs instance, physical_device, device and queue: %d of "
                         "4 are there",
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
    /* Python hosts pass a C int: the upper half of the register is anything. */
    const struct assay_gpu_options options = {
        .struct_size = sizeof options, .keys = keys, .values = values, .count = (uint32_t)count
    };

    return create_or_say(&options, report_error);
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    assay_gpu_delegate_destroy(delegate);
}

int assay_gpu_devices(struct assay_gpu_device *devices, int room, char *error, size_t error_bytes)
{
    struct assay_gpu_device all[64];
    struct diag diag = { 0 };
    const int count = device_list(all, 64, &diag);

    if (count < 0 && error && error_bytes)
        snprintf(error, error_bytes, "%s", diag.text);
    for (int i = 0; devices && i < count && i < room && i < 64; i++) {
        /* The array's stride is the caller's struct. */
        if (struct_copy_out((char *)devices + (size_t)i * devices->struct_size, &all[i],
                            sizeof all[i]) != 0)
            return -1;
    }
    return count;
}

int assay_gpu_refusal_count(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_hold(delegate);
    int count;

    if (!d)
        return 0;
    pthread_mutex_lock(&d->lock);
    count = d->decision.refusal_count;
    pthread_mutex_unlock(&d->lock);
    delegate_drop(d);
    return count;
}

int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i, struct assay_gpu_refusal *refusal)
{
    struct gpu_delegate *d = delegate_hold(delegate);
    struct assay_gpu_refusal mine;
    bool found;

    if (!d)
        return -1;
    pthread_mutex_lock(&d->lock);
    found = i >= 0 && i < d->decision.refusal_count;
    if (found)
        mine = refusal_view(&d->decision.refusals[i]);
    pthread_mutex_unlock(&d->lock);
    delegate_drop(d);
    return found ? struct_copy_out(refusal, &mine, sizeof mine) : -1;
}

int assay_gpu_get_stats(const TfLiteDelegate *delegate, struct assay_gpu_stats *stats)
{
    struct gpu_delegate *d = delegate_hold(delegate);
    struct assay_gpu_stats mine = { .pipelines_created = pipelines_made() };

    if (!d)
        return -1;
    memcpy(mine.device, d->device->info.name, sizeof mine.device);
    memcpy(mine.driver, d->device->info.driver, sizeof mine.driver);
    mine.api_version = d->device->info.api_version;
    mine.held_bytes = blocks_held_bytes();
    mine.held_blocks = blocks_held();
    mine.used_bytes = device_used_bytes(d->device->physical, d->device->info.memory_budget);
    mine.instance_ms = (double)d->cost.instance_ns / 1e6;
    mine.enumerate_ms = (double)d->cost.enumerate_ns / 1e6;
    mine.device_ms = (double)d->cost.device_ns / 1e6;
    mine.pipelines_ms = (double)pipelines_made_ns() / 1e6;
    pthread_mutex_lock(&d->lock);
    mine.init_ms = (double)d->init_ns / 1e6;
    mine.plan_ms = (double)d->time.plan_ns / 1e6;
    mine.serialize_ms = (double)d->time.serialize_ns / 1e6;
    mine.upload_ms = (double)d->time.upload_ns / 1e6;
    mine.tune_ms = (double)d->time.tune_ns / 1e6;
    mine.serialized_found = d->serialized.found;
    mine.serialized_written = d->serialized.written;
    mine.serialized_failed = d->serialized.failed;
    mine.serialized_bytes = d->serialized.bytes;
    for (struct kernel *k = d->kernels; k; k = k->next) {
        mine.partitions++;
        mine.nodes += k->plan.node_count;
        for (int i = 0; i < TRANSFORM_COUNT; i++)
            mine.transforms += k->plan.applied[i];
        mine.merged += k->plan.merged;
        mine.dispatches += k->executor.recording.dispatches;
        for (int i = 0; i < k->plan.step_count; i++)
            mine.tuned_steps += k->plan.steps[i]->tuned;
        mine.barriers += k->executor.recording.barriers;
        mine.constant_bytes += k->plan.constant_bytes;
        mine.activation_bytes += k->plan.arena_bytes;
        mine.activation_bound += k->plan.arena_bound;
        mine.in_place += k->plan.in_place;
        for (int i = 0; i < k->plan.input_count; i++)
            mine.copied_in_bytes += k->inputs[i].bound.on ? 0 : k->plan.inputs[i].bytes;
        for (int i = 0; i < k->plan.output_count; i++)
            mine.copied_out_bytes += k->outputs[i].bound.on ? 0 : k->plan.outputs[i].bytes;
        mine.invokes += atomic_load(&k->invokes);
        mine.invoke_ms += (double)atomic_load(&k->invoke_ns) / 1e6;
        mine.host_copies += atomic_load(&k->host_copies);
        mine.host_copied_bytes += atomic_load(&k->host_copied_bytes);
        mine.device_copies += atomic_load(&k->device_copies);
        mine.staging_bytes += k->plan.input_bytes + k->plan.output_bytes;
    }
    pthread_mutex_unlock(&d->lock);
    delegate_drop(d);
    return struct_copy_out(stats, &mine, sizeof mine);
}
