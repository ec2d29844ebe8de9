#include "delegate/vulkan/record.h"

#include "delegate/vulkan/instance.h"
#include "delegate/vulkan/pipeline.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

/* A part of a buffer, resolved. */
struct place {
    VkBuffer buffer;
    VkDeviceSize begin, end;
};

/* What steps since the last barrier have touched. */
struct touched {
    struct place place;
    bool writes;
};

struct hazards {
    struct touched *list;
    int count;
};

static struct place at(const struct executor_buffer *b, size_t offset, size_t bytes)
{
    return (struct place){ b->handle, offset, offset + bytes };
}

/* Where the memory of an input or output is: the caller's, or in the staging buffer. */
static struct place io_place(const struct executor *e, enum plan_location location, int io,
                             size_t bytes)
{
    const bool input = location == LOCATION_INPUT;
    const struct executor_io *own = input ? &e->inputs[io] : &e->outputs[io];
    const struct plan_io *planned = input ? &e->plan->inputs[io] : &e->plan->outputs[io];

    if (own->handle)
        return (struct place){ own->handle, own->offset, own->offset + bytes };
    return at(input ? &e->input : &e->output, planned->offset, bytes);
}

static struct place find_place(const struct executor *e, const struct plan_binding *n)
{
    const struct plan_tensor *t;

    switch (n->location) {
    case LOCATION_CONSTANTS: return at(&e->constants, n->offset, n->bytes);
    case LOCATION_INPUT:
    case LOCATION_OUTPUT: return io_place(e, n->location, n->tensor, n->bytes);
    default: break;
    }
    t = &e->plan->tensors[plan_owner(e->plan, n->tensor)];
    if (t->location == LOCATION_ARENA)
        return at(&e->arena, n->offset, n->bytes);
    return io_place(e, t->location, t->io, n->bytes);
}

static bool conflicts(const struct executor *e, const struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];
        struct place p;

        if (n->location == LOCATION_NONE || n->location == LOCATION_CONSTANTS)
            continue;
        p = find_place(e, n);
        for (int i = 0; i < h->count; i++) {
            const struct place *q = &h->list[i].place;

            if ((h->list[i].writes || n->writes) && p.buffer == q->buffer && p.begin < q->end &&
                q->begin < p.end)
                return true;
        }
    }
    return false;
}

static void touch(const struct executor *e, struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->location != LOCATION_NONE && n->location != LOCATION_CONSTANTS)
            h->list[h->count++] = (struct touched){ find_place(e, n), n->writes };
    }
}

/* staged: what the step stores goes to the staging memory. */
static void write_set(struct executor *e, VkDescriptorSet set, const struct plan_step *s,
                      bool staged)
{
    VkDescriptorBufferInfo infos[PLAN_BINDINGS];
    VkWriteDescriptorSet writes[PLAN_BINDINGS];

    for (uint32_t b = 0; b < PLAN_BINDINGS; b++) {
        /* A shader may name a binding that its constants switch off: it still needs a buffer. */
        const struct plan_binding *n =
            s->bindings[b].location == LOCATION_NONE ? &s->bindings[0] : &s->bindings[b];
        struct place p = find_place(e, n);

        if (n->location == LOCATION_OUTPUT && staged)
            p = at(&e->output, n->offset, n->bytes);
        infos[b] = (VkDescriptorBufferInfo){ p.buffer, p.begin, p.end - p.begin };
        writes[b] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = b,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &infos[b] };
    }
    vkUpdateDescriptorSets(e->device->handle, PLAN_BINDINGS, writes, 0, NULL);
}

/* The step that stores an output; NULL for one whose value is known. */
static const struct plan_step *find_store(const struct plan *p, int output)
{
    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i]->bindings[0].location == LOCATION_OUTPUT &&
            p->steps[i]->bindings[0].tensor == output)
            return p->steps[i];
    return NULL;
}

void record_write_sets(struct executor *e)
{
    const struct plan *p = e->plan;

    for (int i = 0; i < p->step_count; i++)
        if (!p->steps[i]->idle)
            write_set(e, e->sets[i], p->steps[i], false);
    for (int i = 0; i < p->output_count; i++)
        if (e->outputs[i].handle)
            write_set(e, e->sets[p->step_count + i], find_store(p, i), true);
}

enum status record_sets(struct executor *e, struct diag *diag)
{
    const uint32_t count = (uint32_t)(e->plan->step_count + e->plan->output_count);
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * PLAN_BINDINGS };
    const VkDescriptorPoolCreateInfo pool = { .sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = count,
                                              .poolSizeCount = 1,
                                              .pPoolSizes = &size };
    VkDescriptorSetAllocateInfo allocate = { .sType =
                                                 VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &e->device->set_layout };
    VkResult r;

    if (!(e->sets = mem_alloc(count, sizeof *e->sets)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%u steps: out of memory", count);
    if (count == 0)
        return STATUS_OK;
    r = vkCreateDescriptorPool(e->device->handle, &pool, NULL, &e->pool);
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkCreateDescriptorPool", r);
    allocate.descriptorPool = e->pool;
    for (uint32_t i = 0; i < count; i++) {
        r = vkAllocateDescriptorSets(e->device->handle, &allocate, &e->sets[i]);
        if (r != VK_SUCCESS)
            return result_fail(diag, "vkAllocateDescriptorSets", r);
    }
    record_write_sets(e);
    return STATUS_OK;
}

static enum status begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags,
                         struct diag *diag)
{
    const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = flags };
    const VkResult r = vkBeginCommandBuffer(commands, &info);

    return r == VK_SUCCESS ? STATUS_OK : result_fail(diag, "vkBeginCommandBuffer", r);
}

static enum status end(VkCommandBuffer commands, struct diag *diag)
{
    const VkResult r = vkEndCommandBuffer(commands);

    if (r == VK_SUCCESS)
        return STATUS_OK;
    vkResetCommandBuffer(commands, 0); /* it can be recorded again */
    return result_fail(diag, "vkEndCommandBuffer", r);
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

/* Memory that is shared with another device belongs to one of them at a time. */
static void transfer(struct executor *e, const struct executor_io *io, bool acquire)
{
    const uint32_t own = e->device->queue_family;
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
        e->buffer,
        acquire ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        acquire ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0,
        NULL, 1, &b, 0, NULL);
}

/* What others on the queue wrote before, a copy or a dispatch, is there; what is written here will
 * be there for those that come behind.  Without memory of the caller only the host is told. */
static void meet_caller(struct executor *e, bool acquire)
{
    const struct plan *p = e->plan;
    bool any = false;

    for (int i = 0; i < p->input_count + p->output_count; i++) {
        const struct executor_io *io =
            i < p->input_count ? &e->inputs[i] : &e->outputs[i - p->input_count];

        any |= io->handle != VK_NULL_HANDLE;
        if (io->handle && io->foreign)
            transfer(e, io, acquire);
    }
    if (any && acquire)
        barrier(e->buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    else if (any)
        barrier(e->buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    if (!acquire)
        barrier(e->buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

static void poison_arena(struct executor *e)
{
    static const uint32_t patterns[][2] = { [POISON_NAN] = { 0x7fc00000, 0x7e007e00 },
                                            [POISON_INF] = { 0x7f800000, 0x7c007c00 },
                                            [POISON_JUNK] = { 0xc7c35000, 0xfbfffbff } };

    vkCmdFillBuffer(e->buffer, e->arena.handle, 0, VK_WHOLE_SIZE,
                    patterns[e->plan->poison][e->plan->half]);
    barrier(e->buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
}

static void dispatch(struct executor *e, VkCommandBuffer commands, const struct plan_step *s,
                     VkDescriptorSet set)
{
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->device->layout, 0, 1, &set,
                            0, NULL);
    vkCmdPushConstants(commands, e->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_bytes,
                       s->push);
    if (!e->device->given) /* its instance may lack the extension */
        instance_label_begin(commands, s->label);
    vkCmdDispatch(commands, s->groups[0], s->groups[1], s->groups[2]);
    if (!e->device->given)
        instance_label_end(commands);
}

static enum status record_steps(struct executor *e, struct hazards *h, struct diag *diag)
{
    const struct plan *p = e->plan;
    VkPipeline bound = VK_NULL_HANDLE;

    for (int i = 0; i < p->step_count; i++) {
        const struct plan_step *s = p->steps[i];
        VkPipeline pipeline;

        if (s->idle) {
            if (e->profile)
                profile_stamp(e->profile, e->buffer, i + 1);
            continue;
        }
        TRY(pipelines_get(&e->device->pipelines, s, p->half, e->cache, &pipeline, diag));
        if (conflicts(e, h, s) || (e->profile && i > 0)) { /* profiled steps run one by one */
            barrier(e->buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
            e->barriers++;
            h->count = 0;
        }
        touch(e, h, s);
        if (pipeline != bound)
            vkCmdBindPipeline(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        bound = pipeline;
        dispatch(e, e->buffer, s, e->sets[i]);
        e->dispatches++;
        e->copies +=
            s->bindings[0].location == LOCATION_OUTPUT || s->bindings[1].location == LOCATION_INPUT;
        if (e->profile)
            profile_stamp(e->profile, e->buffer, i + 1);
    }
    return STATUS_OK;
}

enum status record_plan(struct executor *e, struct diag *diag)
{
    struct hazards h = { .list = mem_alloc((size_t)e->plan->step_count * PLAN_BINDINGS,
                                           sizeof *h.list) };
    enum status s = STATUS_OK;

    if (!h.list)
        return diag_fail(diag, STATUS_NO_MEMORY, "%d steps: out of memory", e->plan->step_count);
    e->barriers = e->dispatches = e->copies = 0;
    if ((s = begin(e->buffer, 0, diag)) != STATUS_OK)
        goto done;
    meet_caller(e, true);
    if (e->plan->poison != POISON_OFF)
        poison_arena(e);
    if (e->profile)
        profile_begin(e->profile, e->buffer);
    if ((s = record_steps(e, &h, diag)) != STATUS_OK) {
        vkResetCommandBuffer(e->buffer, 0);
        goto done;
    }
    meet_caller(e, false);
    s = end(e->buffer, diag);
done:
    mem_free(h.list);
    return s;
}

enum status record_repeated(struct executor *e, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag)
{
    TRY(begin(e->buffer, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdResetQueryPool(e->buffer, pool, 0, 2);
    vkCmdBindPipeline(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, e->device->layout, 0, 1,
                            &e->sets[step], 0, NULL);
    vkCmdPushConstants(e->buffer, e->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_bytes,
                       s->push);
    vkCmdWriteTimestamp(e->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    for (int i = 0; i < repeats; i++) {
        vkCmdDispatch(e->buffer, s->groups[0], s->groups[1], s->groups[2]);
        barrier(e->buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    }
    vkCmdWriteTimestamp(e->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    return end(e->buffer, diag);
}

enum status record_copy(struct executor *e, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag)
{
    const VkBufferCopy region = { .size = bytes };

    TRY(begin(e->buffer, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdCopyBuffer(e->buffer, from, to, 1, &region);
    barrier(e->buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    return end(e->buffer, diag);
}

enum status record_fetch(struct executor *e, int output, struct diag *diag)
{
    const struct plan_step *s = find_store(e->plan, output);
    VkPipeline pipeline;

    TRY(pipelines_get(&e->device->pipelines, s, e->plan->half, NULL, &pipeline, diag));
    TRY(begin(e->once, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    barrier(e->once, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_WRITE);
    vkCmdBindPipeline(e->once, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    dispatch(e, e->once, s, e->sets[e->plan->step_count + output]);
    barrier(e->once, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return end(e->once, diag);
}
