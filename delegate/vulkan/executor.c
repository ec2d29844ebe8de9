/* Speed: each inference */
#include "delegate/vulkan/executor.h"

#include "delegate/base/clock.h"
#include "delegate/base/parallel.h"
#include "delegate/vulkan/instance.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static atomic_ullong driver_ns;

uint64_t executor_driver_ns(void)
{
    return atomic_load(&driver_ns);
}

static void add_driver_time(uint64_t before)
{
    atomic_fetch_add(&driver_ns, clock_ns() - before);
}

/* TRANSFER_DST: the option poison fills the arena with vkCmdFillBuffer, and the host reads it. */
static enum status open_arena(struct recording *r, struct diag *diag)
{
    return buffer_open(r->device, &r->arena, "activations", r->plan->arena_bytes,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       r->plan->poison != POISON_OFF ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT : 0,
                       VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, diag);
}

static enum status open_buffers(struct recording *r, struct diag *diag)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const VkBufferUsageFlags filled = storage | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const struct plan *p = r->plan;
    struct device *d = r->device;

    TRY(buffer_open(d, &r->constants, "constants", p->constant_bytes, filled,
                    d->host_writes ? visible | local : 0, d->host_writes ? coherent : local, diag));
    TRY(open_arena(r, diag));
    /* The host writes inputs in order, which is fast in device-local memory; it reads outputs,
     * which is slow from memory that it does not cache.  Where shaders of an H200 read inputs from
     * memory of the host instead, MobileNet v1 takes 13 to 60 us longer (0.5 to 1.6 MB). */
    TRY(buffer_open(d, &r->input, "inputs", p->input_bytes, storage, visible, local | coherent,
                    diag));
    return buffer_open(d, &r->output, "outputs", p->output_bytes, storage, visible,
                       cached | coherent | (p->zero_copy_outputs ? local : 0), diag);
}

static enum status open_commands(struct executor *e, struct diag *diag)
{
    const VkDevice device = e->recording.device->handle;
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = e->recording.device->queue_family };
    VkCommandBufferAllocateInfo allocate = { .sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 3 };
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    VkCommandBuffer buffers[3];
    VkResult result;

    result = vkCreateCommandPool(device, &pool, NULL, &e->commands);
    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateCommandPool", result);
    allocate.commandPool = e->commands;
    result = vkAllocateCommandBuffers(device, &allocate, buffers);
    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkAllocateCommandBuffers", result);
    e->recording.run = buffers[0];
    e->recording.once = buffers[1];
    e->recording.early = buffers[2];
    result = vkCreateFence(device, &fence, NULL, &e->fence);
    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateFence", result);
    return STATUS_OK;
}

/* Polls the fence, not a word that a last command writes: on an H200 both are seen at the same time
 * (within 0.5 us, with vkCmdFillBuffer or an event), and only the fence tells that the command
 * buffer may be submitted again. */
static enum status wait_fence(struct executor *e, struct diag *diag)
{
    struct device *const d = e->recording.device;
    VkResult result;

    if (e->wait == WAIT_ACTIVE || e->wait == WAIT_AGGRESSIVE) {
        while ((result = vkGetFenceStatus(d->handle, e->fence)) == VK_NOT_READY)
            if (e->wait == WAIT_ACTIVE)
                sched_yield();
    } else {
        result = vkWaitForFences(d->handle, 1, &e->fence, VK_TRUE, UINT64_MAX);
    }
    if (result == VK_SUCCESS)
        return STATUS_OK;
    /* Memory must not be freed while the device still works on it: wait for the whole queue. */
    if (result != VK_ERROR_DEVICE_LOST) {
        device_lock_queue(d);
        vkQueueWaitIdle(d->queue);
        device_unlock_queue(d);
    }
    return result_fail_call(diag, "waiting for the device", result);
}

/* Fails once the validation layer has given a message. */
static enum status check_validation(struct diag *diag)
{
    char text[512];
    const long n = instance_validation_messages(text, sizeof text);

    if (n == 0)
        return STATUS_OK;
    return diag_fail(diag, STATUS_DEVICE, "validation layer: %ld messages, the last: %s", n, text);
}

static enum status queue(struct executor *e, VkCommandBuffer commands, VkFence fence,
                         struct diag *diag)
{
    struct device *const d = e->recording.device;
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands };
    VkResult result;

    device_lock_queue(d);
    result = vkQueueSubmit(d->queue, 1, &info, fence);
    device_unlock_queue(d);
    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkQueueSubmit", result);
    return STATUS_OK;
}

static enum status submit(struct executor *e, VkCommandBuffer commands, struct diag *diag)
{
    const VkResult result = vkResetFences(e->recording.device->handle, 1, &e->fence);

    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkResetFences", result);
    return queue(e, commands, e->fence, diag);
}

/* Waits for early commands that no inference has followed, and which no fence tells of. */
static enum status end_prefetch(struct executor *e, struct diag *diag)
{
    struct device *const d = e->recording.device;
    VkResult result;

    if (!e->prefetching)
        return STATUS_OK;
    e->prefetching = false;
    device_lock_queue(d);
    result = vkQueueWaitIdle(d->queue);
    device_unlock_queue(d);
    return result == VK_SUCCESS ? STATUS_OK : result_fail_call(diag, "vkQueueWaitIdle", result);
}

enum status executor_prefetch(struct executor *e, struct diag *diag)
{
    if (e->recording.prefetched == 0)
        return STATUS_OK;
    TRY(end_prefetch(e, diag));
    TRY(queue(e, e->recording.early, VK_NULL_HANDLE, diag));
    e->prefetching = true;
    return STATUS_OK;
}

enum status executor_submit(struct executor *e, struct diag *diag)
{
    TRY(submit(e, e->recording.run, diag));
    TRY(wait_fence(e, diag));
    return check_validation(diag);
}

/* Writes into device memory where the host can, else copies from a staging buffer that is freed
 * afterwards.  The command buffer is recorded again later. */
static enum status upload_constants(struct executor *e, struct diag *diag)
{
    struct recording *const r = &e->recording;
    const size_t bytes = r->plan->constant_bytes;
    uint64_t before = clock_ns();
    struct buffer staging;
    enum status s;

    if (bytes == 0)
        return STATUS_OK;
    if (r->constants.mapped) {
        parallel_copy(r->constants.mapped, r->plan->constants, bytes);
        return buffer_flush(r->device, &r->constants, diag);
    }
    TRY(buffer_open(r->device, &staging, "staging of constants", bytes,
                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, diag));
    add_driver_time(before);
    parallel_copy(staging.mapped, r->plan->constants, bytes);
    before = clock_ns();
    if ((s = buffer_flush(r->device, &staging, diag)) == STATUS_OK &&
        (s = record_copy(r, staging.handle, r->constants.handle, bytes, diag)) == STATUS_OK)
        s = executor_submit(e, diag);
    buffer_close(r->device, &staging);
    add_driver_time(before);
    return s;
}

enum status executor_open(struct executor *e, struct device *d, const struct plan *plan,
                          const struct gpu_options *options, struct pipeline_cache *cache,
                          struct diag *diag)
{
    struct recording *const r = &e->recording;
    uint64_t before;
    enum status s;

    *e = (struct executor){ .recording = { .device = d, .plan = plan, .cache = cache },
                            .wait = options->wait };
    if (options->profile && (s = profile_open(&r->profile, d, plan, diag)) != STATUS_OK) {
        executor_close(e);
        return s;
    }
    r->inputs = mem_alloc((size_t)plan->input_count, sizeof *r->inputs);
    r->outputs = mem_alloc((size_t)plan->output_count, sizeof *r->outputs);
    if (!r->inputs || !r->outputs) {
        executor_close(e);
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    }
    before = clock_ns();
    if ((s = open_buffers(r, diag)) == STATUS_OK && (s = open_commands(e, diag)) == STATUS_OK)
        s = record_sets(r, diag);
    add_driver_time(before);
    if (s != STATUS_OK || (s = upload_constants(e, diag)) != STATUS_OK)
        executor_close(e);
    return s;
}

enum status executor_record(struct executor *e, struct diag *diag)
{
    struct recording *const r = &e->recording;

    TRY(pipelines_make_all(&r->device->pipelines, r->plan->steps, r->plan->step_count,
                           r->plan->half, r->cache, &r->held, diag));
    TRY(record_plan(r, diag));
    r->cache = NULL; /* its owner closes it when the partition is ready */
    return check_validation(diag);
}

void executor_close(struct executor *e)
{
    struct recording *const r = &e->recording;
    struct device *const d = r->device;

    if (!d)
        return;
    if (e->running)
        (void)wait_fence(e, NULL); /* nobody reads the results, so a failure does not matter */
    (void)end_prefetch(e, NULL);
    vkDestroyFence(d->handle, e->fence, NULL);
    vkDestroyCommandPool(d->handle, e->commands, NULL);
    vkDestroyDescriptorPool(d->handle, r->pool, NULL);
    mem_free(r->sets);
    mem_free(r->inputs);
    mem_free(r->outputs);
    pipelines_release(&d->pipelines, &r->held);
    profile_close(r->profile, d);
    buffer_close(d, &r->constants);
    buffer_close(d, &r->arena);
    buffer_close(d, &r->input);
    buffer_close(d, &r->output);
    *e = (struct executor){ .running = false };
}

void *executor_input(struct executor *e, int i)
{
    return (char *)e->recording.input.mapped + e->recording.plan->inputs[i].offset;
}

const void *executor_output(const struct executor *e, int i)
{
    return (const char *)e->recording.output.mapped + e->recording.plan->outputs[i].offset;
}

static bool is_of_a_tensor(const struct plan *p, size_t offset)
{
    for (int i = 0; i < p->tensor_count; i++) {
        const struct plan_tensor *const t = &p->tensors[i];

        if (plan_has_memory(p, i) && offset >= t->offset && offset - t->offset < t->bytes)
            return true;
    }
    return false;
}

/* Fails where the memory behind a result does not hold the poison: a shader has written past its
 * end, where without the option another tensor may be.  end: in the buffer. */
static enum status check_guard(const struct recording *r, const struct buffer *b, size_t end,
                               const char *what, struct diag *diag)
{
    const uint32_t poison = record_poison(r->plan);

    for (size_t at = end; at < end + PLAN_GUARD_BYTES; at += sizeof poison) {
        uint32_t found;

        memcpy(&found, (const char *)b->mapped + at, sizeof found);
        if (found != poison && !(b == &r->arena && is_of_a_tensor(r->plan, at)))
            return diag_fail(diag, STATUS_DEVICE,
                             "option poison: expected 0x%08x at %zu bytes behind %s, found 0x%08x",
                             poison, at - end, what, found);
    }
    return STATUS_OK;
}

static size_t to_word(size_t offset)
{
    return (offset + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
}

/* Not so is an output that is a constant. */
static bool is_staged(const struct plan *p, int i)
{
    return p->outputs[i].plan_tensor >= 0;
}

/* Where what is behind an output begins in the staging buffer. */
static size_t output_end(const struct plan *p, int i)
{
    const struct plan_io *const io = &p->outputs[i];
    const size_t slices = io->zero_copy ? p->tensors[io->plan_tensor].bytes : 0;

    return to_word(io->offset + (slices > io->staged_bytes ? slices : io->staged_bytes));
}

static enum status guard_outputs(struct recording *r, struct diag *diag)
{
    const uint32_t poison = record_poison(r->plan);

    for (int i = 0; i < r->plan->output_count; i++)
        for (size_t k = 0; is_staged(r->plan, i) && k < PLAN_GUARD_BYTES; k += sizeof poison)
            memcpy((char *)r->output.mapped + output_end(r->plan, i) + k, &poison, sizeof poison);
    return buffer_flush(r->device, &r->output, diag);
}

static enum status check_guards(const struct recording *r, struct diag *diag)
{
    const struct plan *const p = r->plan;

    TRY(buffer_invalidate(r->device, &r->arena, diag));
    for (int i = 0; i < p->tensor_count; i++)
        if (plan_has_memory(p, i))
            TRY(check_guard(r, &r->arena, to_word(p->tensors[i].offset + p->tensors[i].bytes),
                            p->steps[p->tensors[i].first_step]->label, diag));
    for (int i = 0; i < p->output_count; i++)
        if (is_staged(p, i))
            TRY(check_guard(r, &r->output, output_end(p, i), "an output", diag));
    return STATUS_OK;
}

enum status executor_run(struct executor *e, struct diag *diag)
{
    TRY(executor_start(e, diag));
    return executor_finish(e, diag);
}

enum status executor_start(struct executor *e, struct diag *diag)
{
    TRY(executor_finish(e, diag));
    TRY(buffer_flush(e->recording.device, &e->recording.input, diag));
    if (e->recording.plan->poison != POISON_OFF)
        TRY(guard_outputs(&e->recording, diag));
    TRY(submit(e, e->recording.run, diag));
    e->prefetching = false; /* the fence tells of all that was submitted before */
    e->running = true;
    e->failed = false;
    return STATUS_OK;
}

static enum status finish(struct executor *e, struct diag *diag)
{
    struct recording *const r = &e->recording;

    TRY(wait_fence(e, diag));
    TRY(check_validation(diag));
    TRY(buffer_invalidate(r->device, &r->output, diag));
    if (r->plan->poison != POISON_OFF)
        TRY(check_guards(r, diag));
    return r->profile ? profile_collect(r->profile, r->device, diag) : STATUS_OK;
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

bool executor_has_ended(const struct executor *e)
{
    return !e->running || vkGetFenceStatus(e->recording.device->handle, e->fence) != VK_NOT_READY;
}

enum status executor_stage_output(struct executor *e, int i, struct diag *diag)
{
    TRY(executor_finish(e, diag));
    if (!e->recording.outputs[i].handle)
        return STATUS_OK;
    TRY(record_stage_output(&e->recording, i, diag));
    TRY(submit(e, e->recording.once, diag));
    TRY(wait_fence(e, diag));
    TRY(buffer_invalidate(e->recording.device, &e->recording.output, diag));
    return check_validation(diag);
}

enum status executor_rebind(struct executor *e, struct diag *diag)
{
    struct recording *const r = &e->recording;

    TRY(executor_finish(e, diag));
    TRY(end_prefetch(e, diag));
    if (r->plan->arena_bytes > r->arena.bytes) {
        buffer_close(r->device, &r->arena);
        TRY(open_arena(r, diag));
    }
    record_write_sets(r);
    TRY(record_plan(r, diag));
    return check_validation(diag);
}
