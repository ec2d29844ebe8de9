/* Sums over the partitions of a delegate. */
#include "assay_gpu.h"
#include "delegate/base/struct_copy.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/kernel.h"
#include "delegate/vulkan/blocks.h"
#include "delegate/vulkan/device_info.h"
#include "delegate/vulkan/pipeline.h"
#include "reference/base/memory.h"

#include <string.h>

int assay_gpu_get_stats(const TfLiteDelegate *delegate, struct assay_gpu_stats *stats)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_stats mine = { .pipelines_created = pipelines_made() };

    if (!d)
        return -1;
    memcpy(mine.device, d->device->info.name, sizeof mine.device);
    memcpy(mine.driver, d->device->info.driver, sizeof mine.driver);
    mine.api_version = d->device->info.api_version;
    mine.held_bytes = blocks_held_bytes();
    mine.held_blocks = blocks_held();
    mine.used_bytes = device_used_bytes(d->device->physical, d->device->info.memory_budget);
    mine.host_bytes = mem_live_bytes() > 0 ? (uint64_t)mem_live_bytes() : 0;
    mine.host_peak_bytes = (uint64_t)mem_peak_bytes();
    mine.instance_ms = (double)d->cost.instance_ns / 1e6;
    mine.enumerate_ms = (double)d->cost.enumerate_ns / 1e6;
    mine.device_ms = (double)d->cost.device_ns / 1e6;
    mine.pipelines_ms = (double)pipelines_made_ns() / 1e6;
    mine.driver_ms = mine.pipelines_ms + (double)executor_driver_ns() / 1e6;
    lock_acquire(&d->lock);
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
    lock_release(&d->lock);
    delegate_release(d);
    return struct_copy_out(stats, &mine, sizeof mine);
}
