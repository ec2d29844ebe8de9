#include "delegate/vulkan/pipeline.h"

#include "delegate/base/clock.h"
#include "delegate/shaders/spirv.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

struct pipeline {
    struct pipeline *next;
    const struct spirv *shader;
    uint32_t spec[PLAN_SPEC_MAX];
    uint32_t spec_count;
    VkPipeline handle;
    uint64_t in_cache; /* serial of the cache that it was last added to; 0: none */
};

static atomic_ullong made, made_ns;

uint64_t pipelines_made(void)
{
    return atomic_load(&made);
}

uint64_t pipelines_made_ns(void)
{
    return atomic_load(&made_ns);
}

static const struct spirv *find_shader(struct pipelines *p, const struct plan_step *step, bool half)
{
    const struct spirv *shader;
    char full[64];

    if (strchr(step->shader, '.')) /* the name says the storage type, which is not the plan's */
        return spirv_find(step->shader);
    snprintf(full, sizeof full, "%s.%s", step->shader, half ? "f16" : "f32");
    if ((shader = spirv_find(full)))
        return shader;
    /* Shaders that move bits have one for each size of elements. */
    snprintf(full, sizeof full, "%s.%s", step->shader, half ? "short" : "word");
    if ((shader = spirv_find(full)))
        return shader;
    /* Integer shaders do not depend on the storage type of floats. */
    snprintf(full, sizeof full, "%s.%s", step->shader,
             step->packed_dot && atomic_load(&p->packed_dot) ? "dot" : "int");
    return spirv_find(full);
}

static enum status create(const struct pipelines *p, const struct spirv *shader,
                          const uint32_t *spec, uint32_t spec_count, VkPipelineCache cache,
                          VkPipeline *out, struct diag *diag)
{
    VkSpecializationMapEntry entries[PLAN_SPEC_MAX];
    const VkSpecializationInfo specialization = { spec_count, entries, spec_count * sizeof spec[0],
                                                  spec };
    const VkShaderModuleCreateInfo module_info = { .sType =
                                                       VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                   .codeSize = shader->count * sizeof(uint32_t),
                                                   .pCode = spirv_code(shader) };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .pName = "main",
                   .pSpecializationInfo = &specialization },
        .layout = p->layout
    };
    const uint64_t before = clock_ns();
    VkResult r;

    if (!module_info.pCode)
        return diag_fail(diag, STATUS_NO_MEMORY, "shader %s: no memory to unpack it", shader->name);
    for (uint32_t i = 0; i < spec_count; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof spec[0], sizeof spec[0] };
    r = vkCreateShaderModule(p->device, &module_info, NULL, &info.stage.module);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, result_fail_call(diag, "vkCreateShaderModule", r), "shader %s",
                           shader->name);
    r = vkCreateComputePipelines(p->device, cache, 1, &info, NULL, out);
    vkDestroyShaderModule(p->device, info.stage.module, NULL);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, result_fail_call(diag, "vkCreateComputePipelines", r), "shader %s",
                           shader->name);
    atomic_fetch_add(&made, 1);
    atomic_fetch_add(&made_ns, clock_ns() - before);
    return STATUS_OK;
}

/* A pipeline that the device already has is made once more so that the cache holds it too. */
static enum status fill_cache(const struct pipelines *p, struct pipeline *old,
                              struct pipeline_cache *cache, struct diag *diag)
{
    VkPipeline again;

    if (!cache || !cache->fill || old->in_cache == cache->serial)
        return STATUS_OK;
    TRY(create(p, old->shader, old->spec, old->spec_count, cache->handle, &again, diag));
    vkDestroyPipeline(p->device, again, NULL);
    old->in_cache = cache->serial;
    return STATUS_OK;
}

static enum status find_or_create(struct pipelines *p, const struct plan_step *step, bool half,
                                  struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);
    struct pipeline *made_now;
    enum status s;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    for (struct pipeline *old = p->list; old; old = old->next)
        if (old->shader == shader && old->spec_count == step->spec_count &&
            memcmp(old->spec, step->spec, old->spec_count * sizeof old->spec[0]) == 0) {
            *out = old->handle;
            return fill_cache(p, old, cache, diag);
        }
    if (!(made_now = mem_alloc(1, sizeof *made_now)))
        return diag_fail(diag, STATUS_NO_MEMORY, "shader %s: out of memory", shader->name);
    made_now->shader = shader;
    made_now->spec_count = step->spec_count;
    memcpy(made_now->spec, step->spec, sizeof made_now->spec);
    made_now->in_cache = cache ? cache->serial : 0;
    s = create(p, shader, step->spec, step->spec_count, cache ? cache->handle : VK_NULL_HANDLE,
               &made_now->handle, diag);
    if (s != STATUS_OK) {
        mem_free(made_now);
        return s;
    }
    made_now->next = p->list;
    p->list = made_now;
    *out = made_now->handle;
    return STATUS_OK;
}

enum status pipelines_get(struct pipelines *p, const struct plan_step *step, bool half,
                          struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    enum status s;

    lock_acquire(&p->lock);
    s = find_or_create(p, step, half, cache, out, diag);
    lock_release(&p->lock);
    return s;
}

enum status pipelines_make(struct pipelines *p, const struct plan_step *step, bool half,
                           struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    return create(p, shader, step->spec, step->spec_count, cache->handle, out, diag);
}

void pipelines_init(struct pipelines *p)
{
    *p = (struct pipelines){ .list = NULL };
    lock_init(&p->lock, LOCK_RANK_PIPELINES, 0);
}

void pipelines_open(struct pipelines *p, VkDevice device, VkPipelineLayout layout, bool packed_dot)
{
    p->device = device;
    p->layout = layout;
    atomic_store(&p->packed_dot, packed_dot);
}

void pipelines_close(struct pipelines *p)
{
    while (p->list) {
        struct pipeline *first = p->list;

        p->list = first->next;
        vkDestroyPipeline(p->device, first->handle, NULL);
        mem_free(first);
    }
    lock_destroy(&p->lock);
}

enum status pipeline_cache_open(struct pipeline_cache *c, VkDevice device, const void *data,
                                size_t bytes, bool fill, struct diag *diag)
{
    static atomic_ullong serials;
    const VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                             .initialDataSize = bytes,
                                             .pInitialData = bytes ? data : NULL };
    VkResult r;

    *c = (struct pipeline_cache){ .device = device,
                                  .serial = atomic_fetch_add(&serials, 1) + 1,
                                  .fill = fill };
    r = vkCreatePipelineCache(device, &info, NULL, &c->handle);
    if (r == VK_SUCCESS)
        return STATUS_OK;
    *c = (struct pipeline_cache){ 0 };
    return result_fail_call(diag, "vkCreatePipelineCache", r);
}

void pipeline_cache_close(struct pipeline_cache *c)
{
    if (c->device)
        vkDestroyPipelineCache(c->device, c->handle, NULL);
    *c = (struct pipeline_cache){ 0 };
}

enum status pipeline_cache_read(const struct pipeline_cache *c, uint8_t **data, size_t *bytes,
                                struct diag *diag)
{
    VkResult r = vkGetPipelineCacheData(c->device, c->handle, bytes, NULL);

    *data = NULL;
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkGetPipelineCacheData", r);
    if (!(*data = mem_alloc(*bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "pipeline cache of %zu bytes: out of memory",
                         *bytes);
    r = vkGetPipelineCacheData(c->device, c->handle, bytes, *data);
    if (r == VK_SUCCESS)
        return STATUS_OK;
    mem_free(*data);
    *data = NULL;
    return result_fail_call(diag, "vkGetPipelineCacheData", r);
}
