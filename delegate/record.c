#include "delegate/record.h"

#include "delegate/instance.h"
#include "delegate/pipeline.h"
#include "reference/memory.h"

/* What steps since the last barrier have touched of the arena. */
struct touched {
    size_t begin, end;
    bool writes;
};

struct hazards {
    struct touched *list;
    int count;
};

static bool conflicts(const struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->space != SPACE_ARENA)
            continue;
        for (int i = 0; i < h->count; i++)
            if ((h->list[i].writes || n->writes) && n->offset < h->list[i].end &&
                h->list[i].begin < n->offset + n->bytes)
                return true;
    }
    return false;
}

static void touch(struct hazards *h, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->space == SPACE_ARENA)
            h->list[h->count++] = (struct touched){ n->offset, n->offset + n->bytes, n->writes };
    }
}

static const struct executor_buffer *buffer_of(const struct executor *e, enum plan_space space)
{
    switch (space) {
    case SPACE_CONSTANTS: return &e->constants;
    case SPACE_INPUT: return &e->input;
    case SPACE_OUTPUT: return &e->output;
    default: return &e->arena;
    }
}

static void write_set(struct executor *e, int step)
{
    const struct plan_step *s = e->plan->steps[step];
    VkDescriptorBufferInfo infos[PLAN_BINDINGS];
    VkWriteDescriptorSet writes[PLAN_BINDINGS];

    for (uint32_t b = 0; b < PLAN_BINDINGS; b++) {
        /* A shader may name a binding that its constants switch off: it still needs a buffer. */
        const struct plan_binding *n =
            s->bindings[b].space == SPACE_NONE ? &s->bindings[0] : &s->bindings[b];

        infos[b] = (VkDescriptorBufferInfo){ buffer_of(e, n->space)->handle, n->offset, n->bytes };
        writes[b] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = e->sets[step],
                                            .dstBinding = b,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &infos[b] };
    }
    vkUpdateDescriptorSets(e->device->handle, PLAN_BINDINGS, writes, 0, NULL);
}

enum status record_sets(struct executor *e, struct diag *diag)
{
    const uint32_t count = (uint32_t)e->plan->step_count;
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
        return device_fail(diag, "vkCreateDescriptorPool", r);
    allocate.descriptorPool = e->pool;
    for (uint32_t i = 0; i < count; i++) {
        r = vkAllocateDescriptorSets(e->device->handle, &allocate, &e->sets[i]);
        if (r != VK_SUCCESS)
            return device_fail(diag, "vkAllocateDescriptorSets", r);
        write_set(e, (int)i);
    }
    return STATUS_OK;
}

static enum status begin(struct executor *e, VkCommandBufferUsageFlags flags, struct diag *diag)
{
    const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = flags };
    const VkResult r = vkBeginCommandBuffer(e->buffer, &info);

    return r == VK_SUCCESS ? STATUS_OK : device_fail(diag, "vkBeginCommandBuffer", r);
}

static enum status end(struct executor *e, struct diag *diag)
{
    const VkResult r = vkEndCommandBuffer(e->buffer);

    return r == VK_SUCCESS ? STATUS_OK : device_fail(diag, "vkEndCommandBuffer", r);
}

static void barrier(struct executor *e, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags used)
{
    const VkMemoryBarrier b = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = written,
                                .dstAccessMask = used };

    vkCmdPipelineBarrier(e->buffer, from, to, 0, 1, &b, 0, NULL, 0, NULL);
}

static void poison_arena(struct executor *e)
{
    static const uint32_t patterns[][2] = { [POISON_NAN] = { 0x7fc00000, 0x7e007e00 },
                                            [POISON_INF] = { 0x7f800000, 0x7c007c00 },
                                            [POISON_JUNK] = { 0xc7c35000, 0xfbfffbff } };

    vkCmdFillBuffer(e->buffer, e->arena.handle, 0, VK_WHOLE_SIZE,
                    patterns[e->plan->poison][e->plan->half]);
    barrier(e, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static enum status record_steps(struct executor *e, struct hazards *h, struct diag *diag)
{
    const struct plan *p = e->plan;
    VkPipeline bound = VK_NULL_HANDLE;

    for (int i = 0; i < p->step_count; i++) {
        const struct plan_step *s = p->steps[i];
        VkPipeline pipeline;

        TRY(device_pipeline(e->device, s, p->half, e->cache, &pipeline, diag));
        if (conflicts(h, s) || (e->profile && i > 0)) { /* profiled steps run one by one */
            barrier(e, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
            e->barriers++;
            h->count = 0;
        }
        touch(h, s);
        if (pipeline != bound)
            vkCmdBindPipeline(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        bound = pipeline;
        vkCmdBindDescriptorSets(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, e->device->layout, 0, 1,
                                &e->sets[i], 0, NULL);
        vkCmdPushConstants(e->buffer, e->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           s->push_bytes, s->push);
        instance_label_begin(e->buffer, s->label);
        vkCmdDispatch(e->buffer, s->groups[0], s->groups[1], s->groups[2]);
        instance_label_end(e->buffer);
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
    if ((s = begin(e, 0, diag)) != STATUS_OK)
        goto done;
    if (e->plan->poison != POISON_OFF)
        poison_arena(e);
    if (e->profile)
        profile_begin(e->profile, e->buffer);
    if ((s = record_steps(e, &h, diag)) != STATUS_OK)
        goto done;
    barrier(e, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    s = end(e, diag);
done:
    mem_free(h.list);
    return s;
}

enum status record_repeated(struct executor *e, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag)
{
    TRY(begin(e, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdResetQueryPool(e->buffer, pool, 0, 2);
    vkCmdBindPipeline(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(e->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, e->device->layout, 0, 1,
                            &e->sets[step], 0, NULL);
    vkCmdPushConstants(e->buffer, e->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_bytes,
                       s->push);
    vkCmdWriteTimestamp(e->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    for (int i = 0; i < repeats; i++) {
        vkCmdDispatch(e->buffer, s->groups[0], s->groups[1], s->groups[2]);
        barrier(e, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    vkCmdWriteTimestamp(e->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    return end(e, diag);
}

enum status record_copy(struct executor *e, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag)
{
    const VkBufferCopy region = { .size = bytes };

    TRY(begin(e, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, diag));
    vkCmdCopyBuffer(e->buffer, from, to, 1, &region);
    barrier(e, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    return end(e, diag);
}
