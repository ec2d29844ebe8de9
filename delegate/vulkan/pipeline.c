#include "delegate/vulkan/pipeline.h"

#include "delegate/base/clock.h"
#include "delegate/base/parallel.h"
#include "delegate/shaders/spirv.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
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
    return STATUS_OK;
}

/* ---- the pipelines of a plan, several at a time ---- */

/* A pipeline to make.  One that the device already has (`known`) is made once more so that the
 * cache holds it too. */
struct order {
    struct pipeline *pipeline;
    bool known;
    enum status status;
    struct diag diag;
};

struct orders {
    const struct pipelines *pipelines; /* only read */
    VkPipelineCache cache;
    struct order *list;
    size_t count;
};

static bool is_for(const struct pipeline *made_of, const struct spirv *shader,
                   const struct plan_step *step)
{
    return made_of->shader == shader && made_of->spec_count == step->spec_count &&
           memcmp(made_of->spec, step->spec, step->spec_count * sizeof step->spec[0]) == 0;
}

static struct pipeline *find(const struct pipelines *p, const struct spirv *shader,
                             const struct plan_step *step)
{
    struct pipeline *at = p->list;

    while (at && !is_for(at, shader, step))
        at = at->next;
    return at;
}

static struct pipeline *pipeline_new(const struct spirv *shader, const struct plan_step *step,
                                     struct diag *diag)
{
    struct pipeline *new = mem_alloc(1, sizeof *new);

    if (!new) {
        diag_fail(diag, STATUS_NO_MEMORY, "shader %s: out of memory", shader->name);
        return NULL;
    }
    new->shader = shader;
    new->spec_count = step->spec_count;
    memcpy(new->spec, step->spec, sizeof new->spec);
    return new;
}

/* Orders what a step still needs. */
static enum status order(struct orders *o, struct pipelines *p, const struct plan_step *step,
                         bool half, const struct pipeline_cache *cache, struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);
    struct pipeline *pipeline;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    for (size_t i = 0; i < o->count; i++)
        if (is_for(o->list[i].pipeline, shader, step))
            return STATUS_OK;
    if ((pipeline = find(p, shader, step))) {
        if (cache && cache->fill && pipeline->in_cache != cache->serial)
            o->list[o->count++] = (struct order){ .pipeline = pipeline, .known = true };
        return STATUS_OK;
    }
    if (!(pipeline = pipeline_new(shader, step, diag)))
        return STATUS_NO_MEMORY;
    o->list[o->count++] = (struct order){ .pipeline = pipeline };
    return STATUS_OK;
}

static void fulfil(void *user, size_t i)
{
    const struct orders *const o = user;
    struct order *const it = &o->list[i];
    struct pipeline *const made_of = it->pipeline;
    VkPipeline handle = VK_NULL_HANDLE;

    it->status = create(o->pipelines, made_of->shader, made_of->spec, made_of->spec_count, o->cache,
                        &handle, &it->diag);
    if (it->status != STATUS_OK)
        return;
    if (it->known)
        vkDestroyPipeline(o->pipelines->device, handle, NULL);
    else
        made_of->handle = handle;
}

/* The largest shaders first, so that no thread begins with one when the others are done. */
static int by_size(const void *a, const void *b)
{
    const struct spirv *x = ((const struct order *)a)->pipeline->shader;
    const struct spirv *y = ((const struct order *)b)->pipeline->shader;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->name, y->name);
}

/* Adds the pipelines that were made to the list, and frees the others.  The first failure is the
 * one that is told. */
static enum status deliver(struct orders *o, struct pipelines *p,
                           const struct pipeline_cache *cache, struct diag *diag)
{
    enum status s = STATUS_OK;

    for (size_t i = 0; i < o->count; i++) {
        const struct order *const it = &o->list[i];

        if (it->status != STATUS_OK && s == STATUS_OK) {
            s = it->status;
            if (diag)
                *diag = it->diag;
        }
        if (it->status == STATUS_OK)
            it->pipeline->in_cache = cache ? cache->serial : 0;
        if (it->known)
            continue;
        if (it->status == STATUS_OK) {
            it->pipeline->next = p->list;
            p->list = it->pipeline;
        } else {
            mem_free(it->pipeline);
        }
    }
    return s;
}

static enum status make_all(struct pipelines *p, struct plan_step *const *steps, int count,
                            bool half, const struct pipeline_cache *cache, struct diag *diag)
{
    struct orders o = { .pipelines = p,
                        .cache = cache ? cache->handle : VK_NULL_HANDLE,
                        .list = mem_alloc((size_t)count, sizeof *o.list) };
    const uint64_t before = clock_ns();
    enum status s = STATUS_OK;

    if (!o.list)
        return diag_fail(diag, STATUS_NO_MEMORY, "%d steps: out of memory", count);
    for (int i = 0; i < count && s == STATUS_OK; i++)
        if (!steps[i]->idle)
            s = order(&o, p, steps[i], half, cache, diag);
    if (s == STATUS_OK) {
        qsort(o.list, o.count, sizeof *o.list, by_size);
        parallel_run(o.count, o.count, fulfil, &o);
        s = deliver(&o, p, cache, diag);
    } else {
        for (size_t i = 0; i < o.count; i++)
            if (!o.list[i].known)
                mem_free(o.list[i].pipeline);
    }
    mem_free(o.list);
    atomic_fetch_add(&made_ns, clock_ns() - before);
    return s;
}

enum status pipelines_make_all(struct pipelines *p, struct plan_step *const *steps, int count,
                               bool half, const struct pipeline_cache *cache, struct diag *diag)
{
    enum status s;

    lock_acquire(&p->lock);
    s = make_all(p, steps, count, half, cache, diag);
    lock_release(&p->lock);
    return s;
}

#ifdef ASSAY_COVERAGE
/* make coverage counts the shaders that are recorded, and the values of their constants. */
static void log_shader(const struct spirv *shader, const struct plan_step *step)
{
    const char *const path = getenv("ASSAY_SHADER_LOG");
    FILE *const f = path ? fopen(path, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%s\t", shader->name);
    for (uint32_t i = 0; i < step->spec_count; i++)
        fprintf(f, "%s%u", i ? "," : "", step->spec[i]);
    fputc('\n', f);
    fclose(f);
}
#endif

enum status pipelines_get(struct pipelines *p, const struct plan_step *step, bool half,
                          VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);
    struct plan_step needed = *step, *const steps[] = { &needed };
    const struct pipeline *found;
    enum status s = STATUS_OK;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    needed.idle = false; /* an idle step is run, too, to copy an output to the host */
    lock_acquire(&p->lock);
    if (!(found = find(p, shader, step)) &&
        (s = make_all(p, steps, 1, half, NULL, diag)) == STATUS_OK)
        found = find(p, shader, step);
    if (s == STATUS_OK) {
        *out = found->handle;
#ifdef ASSAY_COVERAGE
        log_shader(shader, step);
#endif
    }
    lock_release(&p->lock);
    return s;
}

enum status pipelines_make(struct pipelines *p, const struct plan_step *step, bool half,
                           struct pipeline_cache *cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);
    const uint64_t before = clock_ns();
    enum status s;

    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    s = create(p, shader, step->spec, step->spec_count, cache->handle, out, diag);
    atomic_fetch_add(&made_ns, clock_ns() - before);
    return s;
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
