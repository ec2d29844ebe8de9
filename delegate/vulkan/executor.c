#include "delegate/vulkan/executor.h"

#include "delegate/vulkan/instance.h"
#include "delegate/vulkan/record.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <sched.h>
#include <string.h>

enum { BUFFER_MIN = 256 };

/* Index of a memory type with all of `required`, as many of `wanted` as there are, or -1. */
static int find_type(const struct device *d, uint32_t allowed, VkMemoryPropertyFlags required,
                     VkMemoryPropertyFlags wanted)
{
    int best = -1, best_score = -1;

    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = d->memory.memoryTypes[i].propertyFlags;
        int score = 0;

        if (!(allowed & 1u << i) || (flags & required) != required)
            continue;
        for (VkMemoryPropertyFlags bit = 1; bit != 0 && bit <= wanted; bit <<= 1)
            score += (flags & wanted & bit) != 0;
        if (score > best_score) {
            best = (int)i;
            best_score = score;
        }
    }
    return best;
}

static void buffer_close(struct device *d, struct executor_buffer *b)
{
    vkDestroyBuffer(d->handle, b->handle, NULL);
    blocks_give(&d->blocks, d->handle, &b->block);
    *b = (struct executor_buffer){ 0 };
}

static enum status buffer_open(struct device *d, struct executor_buffer *b, const char *what,
                               size_t bytes, VkBufferUsageFlags usage,
                               VkMemoryPropertyFlags required, VkMemoryPropertyFlags wanted,
                               struct diag *diag)
{
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = bytes < BUFFER_MIN ? BUFFER_MIN : bytes,
                                      .usage = usage };
    VkMemoryRequirements needs;
    const char *call = "vkCreateBuffer";
    VkResult r;
    int type;

    *b = (struct executor_buffer){ .bytes = info.size };
    if ((r = vkCreateBuffer(d->handle, &info, NULL, &b->handle)) != VK_SUCCESS)
        goto fail;
    vkGetBufferMemoryRequirements(d->handle, b->handle, &needs);
    type = find_type(d, needs.memoryTypeBits, required, wanted);
    if (type < 0) {
        buffer_close(d, b);
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s: the device has no memory type of kind 0x%x",
                         what, required);
    }
    b->coherent = d->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    r = blocks_take(&d->blocks, d->handle, (uint32_t)type, needs.size,
                    (required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0, &b->block, &call);
    if (r != VK_SUCCESS)
        goto fail;
    b->mapped = b->block.mapped;
    call = "vkBindBufferMemory";
    if ((r = vkBindBufferMemory(d->handle, b->handle, b->block.memory, 0)) != VK_SUCCESS)
        goto fail;
    return STATUS_OK;
fail:
    result_fail(diag, call, r);
    buffer_close(d, b);
    return diag_prefix(diag, diag ? diag->status : STATUS_DEVICE, "%s: %zu bytes", what, bytes);
}

/* It may be filled with a poison. */
static enum status open_arena(struct executor *e, struct diag *diag)
{
    return buffer_open(e->device, &e->arena, "activations", e->plan->arena_bytes,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0,
                       VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, diag);
}

static enum status open_buffers(struct executor *e, struct diag *diag)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const VkBufferUsageFlags filled = storage | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const struct plan *p = e->plan;
    struct device *d = e->device;

    TRY(buffer_open(d, &e->constants, "constants", p->constant_bytes, filled,
                    d->host_writes ? visible | local : 0, d->host_writes ? coherent : local, diag));
    TRY(open_arena(e, diag));
    /* The host writes inputs in order, which is quick into device-local memory; it reads outputs,
     * which is not quick from memory that it does not cache. */
    TRY(buffer_open(d, &e->input, "inputs", p->input_bytes, storage, visible, local | coherent,
                    diag));
    return buffer_open(d, &e->output, "outputs", p->output_bytes, storage, visible,
                       cached | coherent | (p->zero_copy_outputs ? local : 0), diag);
}

static enum status open_commands(struct executor *e, struct diag *diag)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = e->device->queue_family };
    VkCommandBufferAllocateInfo allocate = { .sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 2 };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    VkCommandBuffer buffers[2];
    VkResult r;

    r = vkCreateCommandPool(e->device->handle, &pool, NULL, &e->commands);
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkCreateCommandPool", r);
    allocate.commandPool = e->commands;
    r = vkAllocateCommandBuffers(e->device->handle, &allocate, buffers);
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkAllocateCommandBuffers", r);
    e->buffer = buffers[0];
    e->once = buffers[1];
    r = vkCreateFence(e->device->handle, &fence, NULL, &e->fence);
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkCreateFence", r);
    return STATUS_OK;
}

static enum status wait_fence(struct executor *e, struct diag *diag)
{
    VkResult r;

    if (e->wait == WAIT_ACTIVE || e->wait == WAIT_AGGRESSIVE) {
        while ((r = vkGetFenceStatus(e->device->handle, e->fence)) == VK_NOT_READY)
            if (e->wait == WAIT_ACTIVE)
                sched_yield();
    } else {
        r = vkWaitForFences(e->device->handle, 1, &e->fence, VK_TRUE, UINT64_MAX);
    }
    if (r == VK_SUCCESS)
        return STATUS_OK;
    /* What could not be waited for must not run on when its memory goes. */
    if (r != VK_ERROR_DEVICE_LOST) {
        device_lock_queue(e->device);
        vkQueueWaitIdle(e->device->queue);
        device_unlock_queue(e->device);
    }
    return result_fail(diag, "waiting for the device", r);
}

/* A message of the validation layer fails what runs under it. */
static enum status check_validation(struct diag *diag)
{
    char text[512];
    const long n = instance_validation_messages(text, sizeof text);

    if (n == 0)
        return STATUS_OK;
    return diag_fail(diag, STATUS_DEVICE, "validation layer: %ld messages, the last: %s", n, text);
}

static enum status submit(struct executor *e, VkCommandBuffer commands, struct diag *diag)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    VkResult r = vkResetFences(e->device->handle, 1, &e->fence);

    if (r != VK_SUCCESS)
        return result_fail(diag, "vkResetFences", r);
    device_lock_queue(e->device);
    r = vkQueueSubmit(e->device->queue, 1, &info, e->fence);
    device_unlock_queue(e->device);
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkQueueSubmit", r);
    return STATUS_OK;
}

enum status executor_submit(struct executor *e, struct diag *diag)
{
    TRY(submit(e, e->buffer, diag));
    TRY(wait_fence(e, diag));
    return check_validation(diag);
}

static enum status flush(const struct executor *e, const struct executor_buffer *b, bool to_device,
                         struct diag *diag)
{
    const VkMappedMemoryRange range = { .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                        .memory = b->block.memory,
                                        .size = VK_WHOLE_SIZE };

    VkResult r;

    if (b->coherent)
        return STATUS_OK;
    r = to_device ? vkFlushMappedMemoryRanges(e->device->handle, 1, &range)
                  : vkInvalidateMappedMemoryRanges(e->device->handle, 1, &range);
    if (r != VK_SUCCESS)
        return result_fail(
            diag, to_device ? "vkFlushMappedMemoryRanges" : "vkInvalidateMappedMemoryRanges", r);
    return STATUS_OK;
}

/* Straight into device memory where the host can, else through a staging buffer that goes
 * afterwards; the command buffer is recorded anew later. */
static enum status upload_constants(struct executor *e, struct diag *diag)
{
    const size_t bytes = e->plan->constant_bytes;
    struct executor_buffer staging;
    enum status s;

    if (bytes == 0)
        return STATUS_OK;
    if (e->constants.mapped) {
        memcpy(e->constants.mapped, e->plan->constants, bytes);
        return flush(e, &e->constants, true, diag);
    }
    TRY(buffer_open(e->device, &staging, "staging of constants", bytes,
                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, diag));
    memcpy(staging.mapped, e->plan->constants, bytes);
    if ((s = flush(e, &staging, true, diag)) == STATUS_OK &&
        (s = record_copy(e, staging.handle, e->constants.handle, bytes, diag)) == STATUS_OK)
        s = executor_submit(e, diag);
    buffer_close(e->device, &staging);
    return s;
}

enum status executor_open(struct executor *e, struct device *d, const struct plan *plan,
                          const struct gpu_options *options, struct pipeline_cache *cache,
                          struct diag *diag)
{
    enum status s;

    *e = (struct executor){ .device = d, .plan = plan, .wait = options->wait, .cache = cache };
    if (options->profile && (s = profile_open(&e->profile, d, plan, diag)) != STATUS_OK) {
        executor_close(e);
        return s;
    }
    e->inputs = mem_alloc((size_t)plan->input_count, sizeof *e->inputs);
    e->outputs = mem_alloc((size_t)plan->output_count, sizeof *e->outputs);
    if (!e->inputs || !e->outputs) {
        executor_close(e);
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    }
    if ((s = open_buffers(e, diag)) != STATUS_OK || (s = open_commands(e, diag)) != STATUS_OK ||
        (s = upload_constants(e, diag)) != STATUS_OK || (s = record_sets(e, diag)) != STATUS_OK)
        executor_close(e);
    return s;
}

enum status executor_record(struct executor *e, struct diag *diag)
{
    TRY(record_plan(e, diag));
    e->cache = NULL; /* goes now */
    return check_validation(diag);
}

void executor_close(struct executor *e)
{
    struct device *d = e->device;

    if (!d)
        return;
    if (e->running)
        (void)wait_fence(e, NULL); /* lost or not, nothing of it is wanted */
    vkDestroyFence(d->handle, e->fence, NULL);
    vkDestroyCommandPool(d->handle, e->commands, NULL);
    vkDestroyDescriptorPool(d->handle, e->pool, NULL);
    mem_free(e->sets);
    mem_free(e->inputs);
    mem_free(e->outputs);
    profile_close(e->profile, d);
    buffer_close(d, &e->constants);
    buffer_close(d, &e->arena);
    buffer_close(d, &e->input);
    buffer_close(d, &e->output);
    *e = (struct executor){ 0 };
}

void *executor_input(struct executor *e, int i)
{
    return (char *)e->input.mapped + e->plan->inputs[i].offset;
}

const void *executor_output(const struct executor *e, int i)
{
    return (const char *)e->output.mapped + e->plan->outputs[i].offset;
}

enum status executor_run(struct executor *e, struct diag *diag)
{
    TRY(executor_start(e, diag));
    return executor_finish(e, diag);
}

enum status executor_start(struct executor *e, struct diag *diag)
{
    TRY(executor_finish(e, diag));
    TRY(flush(e, &e->input, true, diag));
    TRY(submit(e, e->buffer, diag));
    e->running = true;
    e->failed = false;
    return STATUS_OK;
}

static enum status finish(struct executor *e, struct diag *diag)
{
    TRY(wait_fence(e, diag));
    TRY(check_validation(diag));
    TRY(flush(e, &e->output, false, diag));
    return e->profile ? profile_collect(e->profile, e->device, diag) : STATUS_OK;
}

enum status executor_finish(struct executor *e, struct diag *diag)
{
    enum status s;

    if (!e->running)
        return STATUS_OK;
    e->running = false;
    s = finish(e, diag);
    e->failed = s != STATUS_OK;
    return s;
}

enum status executor_fetch(struct executor *e, int i, struct diag *diag)
{
    TRY(executor_finish(e, diag));
    if (!e->outputs[i].handle)
        return STATUS_OK;
    TRY(record_fetch(e, i, diag));
    TRY(submit(e, e->once, diag));
    TRY(wait_fence(e, diag));
    TRY(flush(e, &e->output, false, diag));
    return check_validation(diag);
}

enum status executor_rebind(struct executor *e, struct diag *diag)
{
    TRY(executor_finish(e, diag));
    if (e->plan->arena_bytes > e->arena.bytes) {
        buffer_close(e->device, &e->arena);
        TRY(open_arena(e, diag));
    }
    record_write_sets(e);
    TRY(record_plan(e, diag));
    return check_validation(diag);
}
