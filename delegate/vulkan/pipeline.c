#include "delegate/vulkan/pipeline.h"

#include "delegate/base/clock.h"
#include "delegate/base/parallel.h"
#include "delegate/shaders/freeze.h"
#include "delegate/shaders/spirv.h"
#include "delegate/shaders/thaw.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a pipeline is made of. */
struct recipe {
    const struct spirv *shader;
    uint32_t spec[PLAN_SPEC_MAX];
    uint32_t spec_count;
    uint32_t thawed, thawed_at;
    uint8_t push[PLAN_PUSH_BYTES]; /* of a frozen step */
    uint32_t push_bytes;           /* 0: not frozen */
};

struct pipeline {
    struct pipeline *next;
    struct recipe recipe;
    size_t holders;    /* lists of pipelines_held that it is in */
    uint64_t released; /* when there was none any more: pipelines.releases */
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

static enum status recipe_of(struct recipe *r, const struct spirv *shader,
                             const struct plan_step *step, bool frozen, struct diag *diag)
{
    *r = (struct recipe){ .shader = shader,
                          .spec_count = step->spec_count,
                          .thawed = step->thawed,
                          .thawed_at = step->thawed_at };
    if (!shader)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no shader '%s'", step->shader);
    memcpy(r->spec, step->spec, step->spec_count * sizeof step->spec[0]);
    if (frozen) {
        r->push_bytes = step->push_bytes;
        memcpy(r->push, step->push, step->push_bytes);
    }
    return STATUS_OK;
}

static bool same(const struct recipe *a, const struct recipe *b)
{
    return a->shader == b->shader && a->spec_count == b->spec_count && a->thawed == b->thawed &&
           a->thawed_at == b->thawed_at && a->push_bytes == b->push_bytes &&
           memcmp(a->spec, b->spec, a->spec_count * sizeof a->spec[0]) == 0 &&
           memcmp(a->push, b->push, a->push_bytes) == 0;
}

/* The words of the shader, shared by the pipelines that are neither frozen nor thawed; *own: new
 * memory for mem_free, or NULL. */
static enum status find_words(const struct recipe *recipe, VkShaderModuleCreateInfo *info,
                              uint32_t **own, struct diag *diag)
{
    const struct spirv *const shader = recipe->shader;
    size_t count = shader->count;

    *own = NULL;
    info->pCode = spirv_code(shader);
    if (info->pCode && recipe->push_bytes)
        info->pCode = *own =
            spirv_freeze(info->pCode, shader->count, recipe->push, recipe->push_bytes, &count);
    else if (info->pCode && recipe->thawed)
        info->pCode = *own =
            spirv_thaw(info->pCode, shader->count, recipe->thawed, recipe->thawed_at, &count);
    info->codeSize = count * sizeof(uint32_t);
    return info->pCode ? STATUS_OK
                       : diag_fail(diag, STATUS_NO_MEMORY, "shader %s: no memory to unpack it",
                                   shader->name);
}

static enum status create(const struct pipelines *p, const struct recipe *recipe,
                          VkPipelineCache cache, VkPipeline *out, struct diag *diag)
{
    const struct spirv *const shader = recipe->shader;
    VkSpecializationMapEntry entries[PLAN_SPEC_MAX];
    const VkSpecializationInfo specialization = { recipe->spec_count, entries,
                                                  recipe->spec_count * sizeof recipe->spec[0],
                                                  recipe->spec };
    VkShaderModuleCreateInfo module_info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .pName = "main",
                   .pSpecializationInfo = &specialization },
        .layout = p->layout
    };
    uint32_t *own;
    VkResult r;

    TRY(find_words(recipe, &module_info, &own, diag));
    for (uint32_t i = 0; i < recipe->spec_count; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof recipe->spec[0],
                                                 sizeof recipe->spec[0] };
    r = vkCreateShaderModule(p->device, &module_info, NULL, &info.stage.module);
    mem_free(own);
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

static struct pipeline *find(const struct pipelines *p, const struct recipe *recipe)
{
    struct pipeline *at = p->list;

    while (at && !same(&at->recipe, recipe))
        at = at->next;
    return at;
}

static struct pipeline *pipeline_new(const struct recipe *recipe, struct diag *diag)
{
    struct pipeline *new = mem_alloc(1, sizeof *new);

    if (new)
        new->recipe = *recipe;
    else
        diag_fail(diag, STATUS_NO_MEMORY, "shader %s: out of memory", recipe->shader->name);
    return new;
}

/* Orders what a step still needs. */
static enum status order(struct orders *o, struct pipelines *p, const struct plan_step *step,
                         bool half, const struct pipeline_cache *cache, struct diag *diag)
{
    struct pipeline *pipeline;
    struct recipe recipe;

    TRY(recipe_of(&recipe, find_shader(p, step, half), step, step->frozen, diag));
    for (size_t i = 0; i < o->count; i++)
        if (same(&o->list[i].pipeline->recipe, &recipe))
            return STATUS_OK;
    if ((pipeline = find(p, &recipe))) {
        if (cache && cache->fill && pipeline->in_cache != cache->serial)
            o->list[o->count++] = (struct order){ .pipeline = pipeline, .known = true };
        return STATUS_OK;
    }
    if (!(pipeline = pipeline_new(&recipe, diag)))
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

    it->status = create(o->pipelines, &made_of->recipe, o->cache, &handle, &it->diag);
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
    const struct spirv *x = ((const struct order *)a)->pipeline->recipe.shader;
    const struct spirv *y = ((const struct order *)b)->pipeline->recipe.shader;

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

/* ---- pipelines that plans hold ---- */

static void destroy(const struct pipelines *p, struct pipeline *pipeline)
{
    vkDestroyPipeline(p->device, pipeline->handle, NULL);
    mem_free(pipeline);
}

static size_t count_unheld(const struct pipelines *p)
{
    size_t count = 0;

    for (const struct pipeline *at = p->list; at; at = at->next)
        count += at->holders == 0;
    return count;
}

/* Where the list has the one to be destroyed next: that was released first, of frozen ones any. */
static struct pipeline **oldest_unheld(struct pipelines *p)
{
    struct pipeline **oldest = NULL;

    for (struct pipeline **at = &p->list; *at; at = &(*at)->next) {
        if ((*at)->holders > 0)
            continue;
        if ((*at)->recipe.push_bytes)
            return at;
        if (!oldest || (*at)->released < (*oldest)->released)
            oldest = at;
    }
    return oldest;
}

/* Destroys what nobody holds: all frozen pipelines, and the oldest others. */
static void sweep(struct pipelines *p)
{
    size_t unheld = count_unheld(p);
    struct pipeline **at;

    while ((at = oldest_unheld(p)) && ((*at)->recipe.push_bytes || unheld > p->kept)) {
        struct pipeline *const pipeline = *at;

        *at = pipeline->next;
        destroy(p, pipeline);
        unheld--;
    }
}

static enum status hold_one(struct pipelines_held *held, struct pipeline *pipeline,
                            struct diag *diag)
{
    struct pipeline **list = held->list;

    for (size_t i = 0; i < held->count; i++)
        if (list[i] == pipeline)
            return STATUS_OK;
    if (held->count == held->capacity) {
        const size_t capacity = 2 * held->capacity + 8;

        if (!(list = mem_resize(list, capacity, sizeof *list)))
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu pipelines: out of memory", capacity);
        held->list = list;
        held->capacity = capacity;
    }
    list[held->count++] = pipeline;
    pipeline->holders++;
    return STATUS_OK;
}

/* All that is needed was made. */
static enum status hold(struct pipelines *p, struct plan_step *const *steps, int count, bool half,
                        struct pipelines_held *held, struct diag *diag)
{
    struct recipe recipe;

    for (int i = 0; i < count; i++) {
        struct pipeline *found;

        if (steps[i]->idle)
            continue;
        TRY(recipe_of(&recipe, find_shader(p, steps[i], half), steps[i], steps[i]->frozen, diag));
        if (!(found = find(p, &recipe)))
            continue; /* another thread has just switched the packed dot product off */
        TRY(hold_one(held, found, diag));
    }
    return STATUS_OK;
}

static void let_go(struct pipelines *p, struct pipelines_held *held)
{
    p->releases++;
    for (size_t i = 0; i < held->count; i++) {
        held->list[i]->holders--;
        held->list[i]->released = p->releases;
    }
    mem_free(held->list);
    *held = (struct pipelines_held){ .count = 0 };
    sweep(p);
}

enum status pipelines_make_all(struct pipelines *p, struct plan_step *const *steps, int count,
                               bool half, const struct pipeline_cache *cache,
                               struct pipelines_held *held, struct diag *diag)
{
    enum status s;

    *held = (struct pipelines_held){ .count = 0 };
    lock_acquire(&p->lock);
    if ((s = make_all(p, steps, count, half, cache, diag)) == STATUS_OK)
        s = hold(p, steps, count, half, held, diag);
    if (s != STATUS_OK)
        let_go(p, held);
    lock_release(&p->lock);
    return s;
}

void pipelines_release(struct pipelines *p, struct pipelines_held *held)
{
    if (!held->list)
        return;
    lock_acquire(&p->lock);
    let_go(p, held);
    lock_release(&p->lock);
}

size_t pipelines_frozen(struct pipelines *p)
{
    size_t count = 0;

    lock_acquire(&p->lock);
    for (const struct pipeline *at = p->list; at; at = at->next)
        count += at->recipe.push_bytes > 0;
    lock_release(&p->lock);
    return count;
}

size_t pipelines_unheld(struct pipelines *p)
{
    size_t count;

    lock_acquire(&p->lock);
    count = count_unheld(p);
    lock_release(&p->lock);
    return count;
}

static struct pipeline *find_held(const struct pipelines_held *held, const struct recipe *recipe)
{
    for (size_t i = 0; i < held->count; i++)
        if (same(&held->list[i]->recipe, recipe))
            return held->list[i];
    return NULL;
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

enum status pipelines_get(struct pipelines *p, struct pipelines_held *held,
                          const struct plan_step *step, bool half, VkPipeline *out,
                          struct diag *diag)
{
    const struct spirv *shader = find_shader(p, step, half);
    struct plan_step needed = *step, *const steps[] = { &needed };
    struct pipeline *found;
    struct recipe recipe;
    enum status s = STATUS_OK;

    TRY(recipe_of(&recipe, shader, step, step->frozen, diag));
    needed.frozen = false;
    needed.idle = false; /* an idle step is run, too, to copy an output to the host */
    lock_acquire(&p->lock);
    if (!(found = find_held(held, &recipe))) {
        recipe.push_bytes = 0;
        if (!(found = find(p, &recipe)) &&
            (s = make_all(p, steps, 1, half, NULL, diag)) == STATUS_OK)
            found = find(p, &recipe);
        if (s == STATUS_OK)
            s = hold_one(held, found, diag);
    }
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
    const uint64_t before = clock_ns();
    struct recipe recipe;
    enum status s;

    TRY(recipe_of(&recipe, find_shader(p, step, half), step, step->frozen, diag));
    s = create(p, &recipe, cache->handle, out, diag);
    atomic_fetch_add(&made_ns, clock_ns() - before);
    return s;
}

void pipelines_init(struct pipelines *p)
{
    *p = (struct pipelines){ .kept = PIPELINES_KEPT };
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
        destroy(p, first);
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

/* VkPipelineCacheHeaderVersionOne, with which what a driver keeps begins.  The llvmpipe of
 * Mesa 26.2 ends in the middle of it. */
enum { PIPELINE_HEADER_BYTES = 4 * sizeof(uint32_t) + VK_UUID_SIZE };

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
    if (*bytes < PIPELINE_HEADER_BYTES)
        *bytes = 0;
    if (r == VK_SUCCESS)
        return STATUS_OK;
    mem_free(*data);
    *data = NULL;
    return result_fail_call(diag, "vkGetPipelineCacheData", r);
}
