/* Hashes that identify a file of the cache, and its name. */
#include "delegate/base/parallel.h"
#include "delegate/base/source_id.h"
#include "delegate/cache/cache.h"
#include "delegate/plan/workgroups.h"
#include "delegate/shaders/spirv.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct checksum cache_hash_library(void)
{
    struct checksum h = { { 0 } };

    checksum_add_text(&h, ASSAY_VERSION);
    checksum_add_text(&h, source_id);
    checksum_add(&h, spirv_shaders, spirv_shader_count * sizeof spirv_shaders[0]);
    checksum_add(&h, spirv_packed, spirv_packed_bytes);
    return h;
}

/* Hashes of the constants, which are most of a model: several threads sum a tensor each. */
struct contents {
    const struct graph *graph;
    struct checksum *each; /* by tensor */
};

static struct checksum hash_content(const struct graph_tensor *t)
{
    struct checksum h = { { 0 } };

    /* data is not NULL only for constants, which have all their elements. */
    if (t->data)
        checksum_add(&h, t->data, (t->elements * runtime_type_bits(t->type) + 7) / 8);
    return h;
}

static void hash_one(void *user, size_t i)
{
    const struct contents *const c = user;

    c->each[i] = hash_content(&c->graph->tensors[i]);
}

struct checksum cache_hash_graph(const struct graph *g)
{
    const size_t count = (size_t)g->tensor_count;
    struct contents contents = { g, mem_alloc(count, sizeof *contents.each) };
    struct checksum h = { { 0 } };

    if (contents.each)
        parallel_run(count, count, hash_one, &contents);
    for (int i = 0; i < g->tensor_count; i++) {
        const struct graph_tensor *t = &g->tensors[i];
        const int32_t shape[] = { i, t->type, t->rank, t->dequantized_from };
        /* Without memory for all hashes, one at a time. */
        const struct checksum content = contents.each ? contents.each[i] : hash_content(t);

        checksum_add(&h, shape, sizeof shape);
        checksum_add(&h, t->dims, t->rank > 0 ? (size_t)t->rank * sizeof t->dims[0] : 0);
        if (t->quant.scale) {
            checksum_add(&h, t->quant.scale, t->quant.count * sizeof t->quant.scale[0]);
            checksum_add(&h, t->quant.zero_point, t->quant.count * sizeof t->quant.zero_point[0]);
        }
        if (t->quant.block_scales)
            checksum_add(&h, t->quant.block_scales, t->elements / t->quant.block * 2);
        checksum_add(&h, &content, sizeof content);
    }
    mem_free(contents.each);
    return h;
}

static void add_step(struct checksum *h, const struct plan_step *s)
{
    checksum_add_text(h, s->shader);
    checksum_add(h, s->spec, s->spec_count * sizeof s->spec[0]);
    checksum_add(h, s->push, s->push_bytes);
    checksum_add(h, s->groups, sizeof s->groups);
    checksum_add(h, &s->items, sizeof s->items);
    checksum_add(h, &s->runs, sizeof s->runs);
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];
        const uint64_t values[] = { n->location, n->offset, n->bytes, n->writes };

        checksum_add(h, values, sizeof values);
    }
}

static void add_io(struct checksum *h, const struct plan_io *io, int count)
{
    for (int i = 0; i < count; i++) {
        const uint64_t values[] = { (uint64_t)io[i].tensor, io[i].format,
                                    io[i].offset,           io[i].bytes,
                                    io[i].constant != NULL, io[i].float_view.type };

        checksum_add(h, values, sizeof values);
        if (io[i].float_view.type != kTfLiteNoType) {
            checksum_add(h, &io[i].float_view.scale, sizeof io[i].float_view.scale);
            checksum_add(h, &io[i].float_view.zero_point, sizeof io[i].float_view.zero_point);
        }
    }
}

struct checksum cache_hash_plan(const struct plan *p)
{
    const uint64_t sizes[] = { p->half,           p->poison,      (uint64_t)p->step_count,
                               p->constant_bytes, p->arena_bytes, p->input_bytes,
                               p->output_bytes };
    struct checksum h = { { 0 } };

    checksum_add(&h, sizes, sizeof sizes);
    for (int i = 0; i < p->step_count; i++)
        add_step(&h, p->steps[i]);
    add_io(&h, p->inputs, p->input_count);
    add_io(&h, p->outputs, p->output_count);
    return h;
}

void cache_name(char name[CACHE_NAME_BYTES], const char *token, const struct cache_identity *id)
{
    enum { SHOWN = 64 };
    struct checksum h = { { 0 } };
    char shown[SHOWN + 1];
    size_t n = 0;

    if (token) {
        for (; n < SHOWN && token[n]; n++)
            shown[n] = isalnum((unsigned char)token[n]) || (n > 0 && strchr("._-", token[n]))
                           ? token[n]
                           : '_';
        shown[n] = '\0';
        checksum_add_text(&h, token);
    } else {
        snprintf(shown, sizeof shown, "%016llx%016llx", (unsigned long long)id->model.word[1],
                 (unsigned long long)id->model.word[0]);
    }
    checksum_add(&h, &id->plan, sizeof id->plan);
    checksum_add(&h, id->device_uuid, sizeof id->device_uuid);
    checksum_add(&h, &id->vendor_id, sizeof id->vendor_id);
    checksum_add(&h, &id->device_id, sizeof id->device_id);
    snprintf(name, CACHE_NAME_BYTES, "%s_%016llx.assay", shown, (unsigned long long)h.word[0]);
}
