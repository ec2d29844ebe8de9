/* Hashes that identify a file of the cache, and its name. */
#include "delegate/base/source_id.h"
#include "delegate/cache/cache.h"
#include "delegate/plan/workgroups.h"
#include "delegate/shaders/spirv.h"

#include "reference/base/builtin.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct hash cache_hash_library(void)
{
    struct hash h = { { 0 } };

    hash_add_text(&h, ASSAY_VERSION);
    hash_add_text(&h, source_id);
    hash_add(&h, spirv_shaders, spirv_shader_count * sizeof spirv_shaders[0]);
    hash_add(&h, spirv_packed, spirv_packed_bytes);
    return h;
}

struct hash cache_hash_graph(const struct graph *g)
{
    struct hash h = { { 0 } };

    for (int i = 0; i < g->tensor_count; i++) {
        const struct graph_tensor *t = &g->tensors[i];
        const int32_t shape[] = { i, t->type, t->rank, t->dequantized_from };

        hash_add(&h, shape, sizeof shape);
        hash_add(&h, t->dims, t->rank > 0 ? (size_t)t->rank * sizeof t->dims[0] : 0);
        if (t->quant.scale) {
            hash_add(&h, t->quant.scale, t->quant.count * sizeof t->quant.scale[0]);
            hash_add(&h, t->quant.zero_point, t->quant.count * sizeof t->quant.zero_point[0]);
        }
        /* data is not NULL only for constants, which have all their elements. */
        if (t->data)
            hash_add(&h, t->data, (t->elements * runtime_type_bits(t->type) + 7) / 8);
    }
    return h;
}

static void add_step(struct hash *h, const struct plan_step *s)
{
    hash_add_text(h, s->shader);
    hash_add(h, s->spec, s->spec_count * sizeof s->spec[0]);
    hash_add(h, s->push, s->push_bytes);
    hash_add(h, s->groups, sizeof s->groups);
    hash_add(h, &s->items, sizeof s->items);
    hash_add(h, &s->runs, sizeof s->runs);
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];
        const uint64_t values[] = { n->location, n->offset, n->bytes, n->writes };

        hash_add(h, values, sizeof values);
    }
}

static void add_io(struct hash *h, const struct plan_io *io, int count)
{
    for (int i = 0; i < count; i++) {
        const uint64_t values[] = { (uint64_t)io[i].tensor, io[i].format,
                                    io[i].offset,           io[i].bytes,
                                    io[i].constant != NULL, io[i].view.type };

        hash_add(h, values, sizeof values);
        if (io[i].view.type != kTfLiteNoType) {
            hash_add(h, &io[i].view.scale, sizeof io[i].view.scale);
            hash_add(h, &io[i].view.zero_point, sizeof io[i].view.zero_point);
        }
    }
}

struct hash cache_hash_plan(const struct plan *p)
{
    const uint64_t sizes[] = { p->half,           p->poison,      (uint64_t)p->step_count,
                               p->constant_bytes, p->arena_bytes, p->input_bytes,
                               p->output_bytes };
    struct hash h = { { 0 } };

    hash_add(&h, sizes, sizeof sizes);
    for (int i = 0; i < p->step_count; i++)
        add_step(&h, p->steps[i]);
    add_io(&h, p->inputs, p->input_count);
    add_io(&h, p->outputs, p->output_count);
    return h;
}

void cache_name(char name[CACHE_NAME_BYTES], const char *token, const struct cache_identity *id)
{
    enum { SHOWN = 64 };
    struct hash h = { { 0 } };
    char shown[SHOWN + 1];
    size_t n = 0;

    if (token) {
        for (; token[n] && n < SHOWN; n++)
            shown[n] = isalnum((unsigned char)token[n]) || (n > 0 && strchr("._-", token[n]))
                           ? token[n]
                           : '_';
        shown[n] = '\0';
        hash_add_text(&h, token);
    } else {
        snprintf(shown, sizeof shown, "%016llx%016llx", (unsigned long long)id->model.word[1],
                 (unsigned long long)id->model.word[0]);
    }
    hash_add(&h, &id->plan, sizeof id->plan);
    hash_add(&h, id->device_uuid, sizeof id->device_uuid);
    hash_add(&h, &id->vendor_id, sizeof id->vendor_id);
    hash_add(&h, &id->device_id, sizeof id->device_id);
    snprintf(name, CACHE_NAME_BYTES, "%s_%016llx.assay", shown, (unsigned long long)h.word[0]);
}
