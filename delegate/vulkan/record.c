#include "delegate/vulkan/record.h"

#include "delegate/vulkan/instance.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

/* A range of bytes of a VkBuffer. */
struct range {
    VkBuffer buffer;
    VkDeviceSize begin, end;
};

/* A range that a step since the last barrier reads or writes. */
struct access {
    struct range range;
    bool writes;
};

struct hazards {
    struct access *list;
    int count;
};

static struct range at(const struct buffer *b, size_t offset, size_t bytes)
{
    return (struct range){ b->handle, offset, offset + bytes };
}

/* The backing memory of an input or output: the caller's, or the staging buffer. */
static struct range io_range(const struct recording *r, enum plan_location location, int io,
                             size_t bytes)
{
    const bool input = location == LOCATION_INPUT;
    const struct executor_io *own = input ? &r->inputs[io] : &r->outputs[io];
    const struct plan_io *planned = input ? &r->plan->inputs[io] : &r->plan->outputs[io];

    if (own->handle)
        return (struct range){ own->handle, own->offset, own->offset + bytes };
    return at(input ? &r->input : &r->output, planned->offset, bytes);
}

static struct range find_range(const struct recording *r, const struct plan_binding *n)
{
    const struct plan_tensor *t;

    switch (n->location) {
    case LOCATION_CONSTANTS: return at(&r->constants, n->offset, n->bytes);
    case LOCATION_INPUT:
    case LOCATION_OUTPUT: return io_range(r, n->location, n->index, n->bytes);
    default: break;
    }
    t = &r->plan->tensors[plan_owner(r->plan, n->index)];
    if (t->location == LOCATION_ARENA)
        return at(&r->arena, n->offset, n->bytes);
    return io_range(r, t->location, t->io, n->bytes);
}

static bool conflicts(const struct recording *r, const struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];
        struct range p;

        if (n->location == LOCATION_NONE || n->location == LOCATION_CONSTANTS)
            continue;
        p = find_range(r, n);
        for (int i = 0; i < h->count; i++) {
            const struct range *q = &h->list[i].range;

            if ((h->list[i].writes || n->writes) && p.buffer == q->buffer && p.begin < q->end &&
                q->begin < p.end)
                return true;
        }
    }
    return false;
}

static void add_accesses(const struct recording *r, struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->location != LOCATION_NONE && n->location != LOCATION_CONSTANTS)
            h->list[h->count++] = (struct access){ find_range(r, n), n->writes };
    }
}

/* With the option poison a tensor's range goes on to the end of the arena, or of the staged
 * outputs, or as far as the device allows: a write behind the last element, which drivers that
 * check ranges drop, then reaches what is there, as elsewhere.  Not under the validation layer,
 * which takes a range for what is accessed. */
static VkDeviceSize shown_bytes(const struct recording *r, const struct range *p)
{
    const VkDeviceSize most = r->device->limits.max_storage_buffer_range;
    const VkDeviceSize left = p->buffer == r->arena.handle    ? r->arena.bytes - p->begin
                              : p->buffer == r->output.handle ? r->output.bytes - p->begin
                                                              : 0;

    if (r->plan->poison == POISON_OFF || left == 0 || instance_validates())
        return p->end - p->begin;
    return left < most ? left : most;
}

static void write_ranges(struct recording *r, VkDescriptorSet set,
                         const struct range ranges[PLAN_BINDINGS])
{
    VkDescriptorBufferInfo infos[PLAN_BINDINGS];
    VkWriteDescriptorSet writes[PLAN_BINDINGS];

    for (uint32_t b = 0; b < r->device->bindings; b++) {
        const struct range *p = &ranges[b];

        infos[b] = (VkDescriptorBufferInfo){ p->buffer, p->begin, shown_bytes(r, p) };
        writes[b] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = b,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &infos[b] };
    }
    vkUpdateDescriptorSets(r->device->handle, r->device->bindings, writes, 0, NULL);
}

/* A binding that the specialization constants switch off still needs a valid buffer. */
static const struct plan_binding *binding_of(const struct plan_step *s, uint32_t b)
{
    return s->bindings[b].location == LOCATION_NONE ? &s->bindings[0] : &s->bindings[b];
}

/* Writes the descriptors of a step.  staged: the step stores an output to the staging buffer, even
 * if that output is bound to memory of the caller. */
static void write_set(struct recording *r, VkDescriptorSet set, const struct plan_step *s,
                      bool staged)
{
    struct range ranges[PLAN_BINDINGS];

    for (uint32_t b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = binding_of(s, b);

        ranges[b] = n->location == LOCATION_OUTPUT && staged ? at(&r->output, n->offset, n->bytes)
                                                             : find_range(r, n);
    }
    write_ranges(r, set, ranges);
}

/* The step that stores an output as staging memory has it; NULL for one whose value is a constant.
 */
static const struct plan_step *find_store(const struct plan *p, int output)
{
    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i]->bindings[0].location == LOCATION_OUTPUT &&
            p->steps[i]->bindings[0].index == output && p->steps[i]->use != USE_BOUND)
            return p->steps[i];
    return NULL;
}

void record_write_sets(struct recording *r)
{
    const struct plan *p = r->plan;

    for (int i = 0; i < p->step_count; i++)
        if (!p->steps[i]->idle)
            write_set(r, r->sets[i], p->steps[i], false);
    for (int i = 0; i < p->output_count; i++)
        if (r->outputs[i].handle)
            write_set(r, r->sets[p->step_count + i], find_store(p, i), true);
}

static int count_prefetched(const struct plan *p)
{
    int count = 0;

    for (int i = 0; i < p->step_count; i++)
        count += p->steps[i]->prefetch;
    return count;
}

enum status record_sets(struct recording *r, struct diag *diag)
{
    const struct plan *p = r->plan;
    const uint32_t count =
        (uint32_t)p->step_count + (uint32_t)p->output_count + (uint32_t)count_prefetched(p);
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * PLAN_BINDINGS };
    const VkDescriptorPoolCreateInfo pool = { .sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = count,
                                              .poolSizeCount = 1,
                                              .pPoolSizes = &size };
    VkDescriptorSetAllocateInfo allocate = { .sType =
                                                 VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &r->device->set_layout };
    VkResult result;

    if (!(r->sets = mem_alloc(count, sizeof *r->sets)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%u steps: out of memory", count);
    if (count == 0)
        return STATUS_OK;
    result = vkCreateDescriptorPool(r->device->handle, &pool, NULL, &r->pool);
    if (result != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateDescriptorPool", result);
    allocate.descriptorPool = r->pool;
    for (uint32_t i = 0; i < count; i++) {
        result = vkAllocateDescriptorSets(r->device->handle, &allocate, &r->sets[i]);
        if (result != VK_SUCCESS)
            return result_fail_call(diag, "vkAllocateDescriptorSets", result);
    }
    record_write_sets(r);
    return STATUS_OK;
}

static enum status begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags,
                         struct diag *diag)
{
    const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = flags };
    const VkResult result = vkBeginCommandBuffer(commands, &info);

    return result == VK_SUCCESS ? STATUS_OK
                                : result_fail_call(diag, "vkBeginCommandBuffer", result);
}

static enum status end(VkCommandBuffer commands, struct diag *diag)
{
    const VkResult result = vkEndCommandBuffer(commands);

    if (result == VK_SUCCESS)
        return STATUS_OK;
    vkResetCommandBuffer(commands, 0); /* so that it can be recorded again */
    return result_fail_call(diag, "vkEndCommandBuffer", result);
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags used)
{
    const VkMemoryBarrier b = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = written,
                                .dstAccessMask = used };

    vkCmdPipelineBarrier(commands, from, to, 0, 1, &b, 0, NULL, 0, NULL);
}

enum { READ_WRITE = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };

/* Queue family ownership transfer of memory that is shared with another VkDevice. */
static void transfer_ownership(struct recording *r, const struct executor_io *io, bool acquire)
{
    const uint32_t own = r->device->queue_family;
    const VkBufferMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
        .srcAccessMask = acquire ? 0 : READ_WRITE,
        .dstAccessMask = acquire ? READ_WRITE : 0,
        .srcQueueFamilyIndex = acquire ? VK_QUEUE_FAMILY_EXTERNAL : own,
        .dstQueueFamilyIndex = acquire ? own : VK_QUEUE_FAMILY_EXTERNAL,
        .buffer = io->handle,
        .size = VK_WHOLE_SIZE,
    };

    vkCmdPipelineBarrier(
        r->run, acquire ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        acquire ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0,
        NULL, 1, &b, 0, NULL);
}

/* Barriers against buffers that the caller owns: acquire before the first step, release after the
 * last.  They order the plan against any other work on the queue.  The release also makes the
 * staging buffer visible to the host. */
static void record_external_barriers(struct recording *r, bool acquire)
{
    const struct plan *p = r->plan;
    bool any = false;

    for (int i = 0; i < p->input_count + p->output_count; i++) {
        const struct executor_io *io =
            i < p->input_count ? &r->inputs[i] : &r->outputs[i - p->input_count];

        any |= io->handle != VK_NULL_HANDLE;
        if (io->handle && io->foreign)
            transfer_ownership(r, io, acquire);
    }
    if (any && acquire)
        barrier(r->run, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    else if (any)
        barrier(r->run, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    if (!acquire)
        barrier(r->run, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

uint32_t record_poison(const struct plan *p)
{
    static const uint32_t patterns[][2] = { [POISON_NAN] = { 0x7fc00000, 0x7e007e00 },
                                            [POISON_INF] = { 0x7f800000, 0x7c007c00 },
                                            [POISON_JUNK] = { 0xc7c35000, 0xfbfffbff } };

    return patterns[p->poison][p->half];
}

static void poison_arena(struct recording *r)
{
    vkCmdFillBuffer(r->run, r->arena.handle, 0, VK_WHOLE_SIZE, record_poison(r->plan));
    barrier(r->run, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
}

static void dispatch(struct recording *r, VkCommandBuffer commands, const struct plan_step *s,
                     VkDescriptorSet set)
{
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->device->layout, 0, 1, &set,
                            0, NULL);
    vkCmdPushConstants(commands, r->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_bytes,
                       s->push);
    if (!r->device->given) /* a given device's instance may lack VK_EXT_debug_utils */
        instance_label_begin(commands, s->label);
    vkCmdDispatch(commands, s->groups[0], s->groups[1], s->groups[2]);
    if (!r->device->given)
        instance_label_end(commands);
}

static enum status record_steps(struct recording *r, struct hazards *h, struct diag *diag)
{
    const struct plan *p = r->plan;
    VkPipeline bound = VK_NULL_HANDLE;

    for (int i = 0; i < p->step_count; i++) {
        const struct plan_step *s = p->steps[i];
        VkPipeline pipeline;

        if (s->idle) {
            if (r->profile)
                profile_stamp(r->profile, r->run, i + 1);
            continue;
        }
        TRY(pipelines_get(&r->device->pipelines, &r->held, s, p->half, &pipeline, diag));
        if (conflicts(r, h, s) || (r->profile && i > 0)) { /* profiled steps do not overlap */
            barrier(r->run, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
            r->barriers++;
            h->count = 0;
        }
        add_accesses(r, h, s);
        if (pipeline != bound)
            vkCmdBindPipeline(r->run, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        bound = pipeline;
        dispatch(r, r->run, s, r->sets[i]);
        r->dispatches++;
        r->copies +=
            s->bindings[0].location == LOCATION_OUTPUT || s->bindings[1].location == LOCATION_INPUT;
        if (r->profile)
            profile_stamp(r->profile, r->run, i + 1);
    }
    return STATUS_OK;
}

/* ---- the code of pipelines ---- */

static size_t aligned(size_t bytes)
{
    return (bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
}

/* What the first workgroup writes to a binding of the step, at most: as many elements as to binding
 * 0, which may be f32 where those are f16. */
static size_t written_bytes(const struct plan_step *s, uint32_t b)
{
    const struct plan_binding *n = &s->bindings[b];

    if (b == 0 || !n->writes)
        return b == 0 ? s->first_bytes : 0;
    return n->bytes < 2 * s->first_bytes ? n->bytes : 2 * s->first_bytes;
}

static size_t prefetch_bytes_of(const struct plan_step *s)
{
    size_t bytes = 0;

    for (uint32_t b = 0; b < PLAN_BINDINGS; b++)
        bytes += aligned(written_bytes(s, b));
    return bytes;
}

/* Where the prefetched steps write, one behind the other. */
static size_t prefetch_bytes(const struct plan *p)
{
    size_t bytes = 0;

    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i]->prefetch && !p->steps[i]->idle)
            bytes += prefetch_bytes_of(p->steps[i]);
    return bytes;
}

/* Writes the set of a prefetched step, whose result nobody reads: it writes to the arena from `to`
 * on, where no other one does, and reads behind all that they write, so that they run at the same
 * time.  False: the arena is too small for that. */
static bool write_prefetch_set(struct recording *r, VkDescriptorSet set, const struct plan_step *s,
                               size_t to, size_t from)
{
    struct range ranges[PLAN_BINDINGS];
    size_t next = to;

    for (uint32_t b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = binding_of(s, b);

        if (n == &s->bindings[0])
            ranges[b] = at(&r->arena, to, s->first_bytes);
        else if (n->location == LOCATION_CONSTANTS)
            ranges[b] = find_range(r, n);
        else if (n->writes)
            ranges[b] = at(&r->arena, next, written_bytes(s, b));
        else
            ranges[b] = at(&r->arena, from, n->bytes);
        if (n == &s->bindings[b])
            next += aligned(written_bytes(s, b));
        if (ranges[b].buffer == r->arena.handle && ranges[b].end > r->arena.bytes)
            return false;
    }
    write_ranges(r, set, ranges);
    return true;
}

/* The device loads the code of a pipeline when it first runs it: 3 to 5 us on an H200.  One
 * workgroup of each pipeline does so while the host copies inputs. */
static enum status record_prefetches(struct recording *r, struct diag *diag)
{
    const struct plan *p = r->plan;
    const VkDescriptorSet *set = r->sets + p->step_count + p->output_count;
    const size_t from = prefetch_bytes(p);
    size_t to = 0;

    r->prefetched = 0;
    if (from == 0)
        return STATUS_OK;
    TRY(begin(r->early, 0, diag));
    for (int i = 0; i < p->step_count; i++) {
        struct plan_step one = *p->steps[i];
        VkPipeline pipeline;

        if (!one.prefetch || one.idle || !write_prefetch_set(r, *set, &one, to, from))
            continue;
        TRY(pipelines_get(&r->device->pipelines, &r->held, &one, p->half, &pipeline, diag));
        to += prefetch_bytes_of(&one);
        one.groups[0] = one.groups[1] = one.groups[2] = 1;
        vkCmdBindPipeline(r->early, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        dispatch(r, r->early, &one, *set++);
        r->prefetched++;
    }
    barrier(r->early, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    if (p->poison != POISON_OFF) /* which fills the arena */
        barrier(r->early, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    return end(r->early, diag);
}

enum status record_plan(struct recording *r, struct diag *diag)
{
    struct hazards h = { .list = mem_alloc((size_t)r->plan->step_count * PLAN_BINDINGS,
                                           sizeof *h.list) };
    enum status s = STATUS_OK;

    if (!h.list)
        return diag_fail(diag, STATUS_NO_MEMORY, "%d steps: out of memory", r->plan->step_count);
    r->barriers = r->dispatches = r->copies = 0;
    if ((s = record_prefetches(r, diag)) != STATUS_OK) {
        vkResetCommandBuffer(r->early, 0);
        goto done;
    }
    if ((s = begin(r->run, 0, diag)) != STATUS_OK)
        goto done;
    record_external_barriers(r, true);
    if (r->plan->poison != POISON_OFF)
        poison_arena(r);
    if (r->profile)
        profile_begin(r->profile, r->run);
    if ((s = record_steps(r, &h, diag)) != STATUS_OK) {
        vkResetCommandBuffer(r->run, 0);
        goto done;
    }
    record_external_barriers(r, false);
    s = end(r->run, diag);
done:
    mem_free(h.list);
    return s;
}

enum status record_repeated(struct recording *r, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag)
{
    TRY(begin(r->run, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdResetQueryPool(r->run, pool, 0, 2);
    vkCmdBindPipeline(r->run, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(r->run, VK_PIPELINE_BIND_POINT_COMPUTE, r->device->layout, 0, 1,
                            &r->sets[step], 0, NULL);
    vkCmdPushConstants(r->run, r->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_bytes,
                       s->push);
    vkCmdWriteTimestamp(r->run, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    for (int i = 0; i < repeats; i++) {
        vkCmdDispatch(r->run, s->groups[0], s->groups[1], s->groups[2]);
        barrier(r->run, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    }
    vkCmdWriteTimestamp(r->run, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    return end(r->run, diag);
}

enum status record_copy(struct recording *r, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag)
{
    const VkBufferCopy region = { .size = bytes };

    TRY(begin(r->run, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdCopyBuffer(r->run, from, to, 1, &region);
    barrier(r->run, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    return end(r->run, diag);
}

enum status record_stage_output(struct recording *r, int output, struct diag *diag)
{
    const struct plan_step *s = find_store(r->plan, output);
    VkPipeline pipeline;

    TRY(pipelines_get(&r->device->pipelines, &r->held, s, r->plan->half, &pipeline, diag));
    TRY(begin(r->once, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    barrier(r->once, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    vkCmdBindPipeline(r->once, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    dispatch(r, r->once, s, r->sets[r->plan->step_count + output]);
    barrier(r->once, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return end(r->once, diag);
}
