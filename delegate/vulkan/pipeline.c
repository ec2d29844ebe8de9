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
    uint64_t in_cache; /* serial of the one that it went into last */
};

static atomic_ullong made, made_ns;

uint64_t device_pipelines_made(void)
{
    return atomic_load(&made);
}

uint64_t device_pipelines_ns(void)
{
    return atomic_load(&made_ns);
}

static const struct spirv *find_shader(const struct device *d, const struct plan_step *step,
                                       bool half)
{
    const struct spirv *shader;
    char full[64];

    if (strchr(step->shader, '.')) /* the storage is not the plan's */
        return spirv_find(step->shader);
    snprintf(full, sizeof full, "%s.%s", step->shader, half ? "f16" : "f32");
    if ((shader = spirv_find(full)))
        return shader;
    /* Of integers: one for both. */
    snprintf(full, sizeof full, "%s.%s", step->shader,
             step->packed_dot && device_has_dot(d) ? "dot" : "int");
    return spirv_find(full);
}

static enum status create(struct device *d, const struct spirv *shader, const uint32_t *spec,
                          uint32_t spec_count, VkPipelineCache cache, VkPipeline *out,
                          struct diag *diag)
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
        .layout = d->layout
    };
    const uint64_t before = clock_ns();
    VkResult r;

    for (uint32_t i = 0; i < spec_count; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof spec[0], sizeof spec[0] };
    r = vkCreateShaderModule(d->handle, &module_info, NULL, &info.stage.module);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, result_fail(diag, "vkCreateShaderModule", r), "shader %s",
                           shader->name);
    r = vkCreateComputePipelines(d->handle, cache, 1, &info, NULL, out);
    vkDestroyShaderModule(d->handle, info.stage.module, NULL);
    if (r != VK_SUCCESS)
        return diag_prefix(diag, result_fail(diag, "vkCreateComputePipelines", r), "shader %s",
                           shader->name);
    atomic_fetch_add(&made, 1);
    atomic_fetch_add(&made_ns, clock_ns() - before);
    return STATUS_OK;
}

/* A pipeline that the device has, but that the cache does not: made once more, for its sake. */
static enum status fill_cache(struct device *d, struct pipeline *p, struct pipeline_cache *cache,
                              struct diag *diag)
{
    VkPipeline again;

    if (!cache || !cache->fill || p->in_cache == cache->serial)
        return STATUS_OK;
    TRY(create(d, p->shader, p->spec, p->spec_count, cache->handle, &again, diag));
    vkDestroyPipeline(d->handle, again, NULL);
    p->in_cache = cache->serial;
    return STATUS_OK;
}

static enum status find_or_create(struct device *d, const struct plan_step *step, bool half,
                                  struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(d, step, half);
    struct pipeline *p;
    enum status s;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    for (p = d->pipelines; p; p = p->next)
        if (p->shader == shader && p->spec_count == step->spec_count &&
            memcmp(p->spec, step->spec, p->spec_count * sizeof p->spec[0]) == 0) {
            *out = p->handle;
            return fill_cache(d, p, cache, diag);
        }
    if (!(p = mem_alloc(1, sizeof *p)))
        return diag_fail(diag, STATUS_NO_MEMORY, "shader %s: out of memory", shader->name);
    p->shader = shader;
    p->spec_count = step->spec_count;
    memcpy(p->spec, step->spec, sizeof p->spec);
    p->in_cache = cache ? cache->serial : 0;
    s = create(d, shader, p->spec, p->spec_count, cache ? cache->handle : VK_NULL_HANDLE,
               &p->handle, diag);
    if (s != STATUS_OK) {
        mem_free(p);
        return s;
    }
    p->next = d->pipelines;
    d->pipelines = p;
    *out = p->handle;
    return STATUS_OK;
}

enum status device_pipeline(struct device *d, const struct plan_step *step, bool half,
                            struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    enum status s;

    pthread_mutex_lock(&d->pipeline_lock);
    s = find_or_create(d, step, half, cache, out, diag);
    pthread_mutex_unlock(&d->pipeline_lock);
    return s;
}

enum status device_pipeline_alone(struct device *d, const struct plan_step *step, bool half,
                                  struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(d, step, half);

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    return create(d, shader, step->spec, step->spec_count, cache->handle, out, diag);
}

void pipelines_close(struct device *d)
{
    while (d->pipelines) {
        struct pipeline *p = d->pipelines;

        d->pipelines = p->next;
        vkDestroyPipeline(d->handle, p->handle, NULL);
        mem_free(p);
    }
}

enum status pipeline_cache_open(struct pipeline_cache *c, struct device *d, const void *data,
                                size_t bytes, bool fill, struct diag *diag)
{
    static atomic_ullong serials;
    const VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                             .initialDataSize = bytes,
                                             .pInitialData = bytes ? data : NULL };
    VkResult r;

    *c = (struct pipeline_cache){ .device = d,
                                  .serial = atomic_fetch_add(&serials, 1) + 1,
                                  .fill = fill };
    r = vkCreatePipelineCache(d->handle, &info, NULL, &c->handle);
    if (r == VK_SUCCESS)
        return STATUS_OK;
    *c = (struct pipeline_cache){ 0 };
    return result_fail(diag, "vkCreatePipelineCache", r);
}

void pipeline_cache_close(struct pipeline_cache *c)
{
    if (c->device)
        vkDestroyPipelineCache(c->device->handle, c->handle, NULL);
    *c = (struct pipeline_cache){ 0 };
}

enum status pipeline_cache_read(const struct pipeline_cache *c, uint8_t **data, size_t *bytes,
                                struct diag *diag)
{
    VkResult r = vkGetPipelineCacheData(c->device->handle, c->handle, bytes, NULL);

    *data = NULL;
    if (r != VK_SUCCESS)
        return result_fail(diag, "vkGetPipelineCacheData", r);
    if (!(*data = mem_alloc(*bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "pipeline cache of %zu bytes: out of memory",
                         *bytes);
    r = vkGetPipelineCacheData(c->device->handle, c->handle, bytes, *data);
    if (r == VK_SUCCESS)
        return STATUS_OK;
    mem_free(*data);
    *data = NULL;
    return result_fail(diag, "vkGetPipelineCacheData", r);
}
