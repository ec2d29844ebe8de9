#include "reference/format/composite.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWN = -2 };

/* The subgraph that is written anew. */
struct inliner {
    struct model *m;
    const struct model_subgraph *graphs; /* as they were read */
    struct diag *diag;
    struct composite_place *place;
    struct model_tensor *tensors; /* mem_resize */
    struct model_operator *operators;
    size_t tensor_count, tensor_room, operator_count, operator_room;
    uint64_t all_tensors, all_operators;  /* of the subgraphs before this one */
    uint64_t work;                        /* tables and indices, each as often as it is copied */
    size_t path[COMPOSITE_DEPTH_MAX + 1]; /* of subgraphs, from the one that is written */
    size_t depth;
};

/* A subgraph that is copied into it: which tensor each of its own became. */
struct copied {
    const struct model_subgraph *graph;
    int32_t *map;
    const struct model_composite *composite; /* NULL: the subgraph itself */
};

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "composites: out of memory");
}

bool composite_is(int32_t code)
{
    return code == BUILTIN_STABLEHLO_COMPOSITE;
}

static bool is_composite(const struct model *m, const struct model_operator *op)
{
    return op->opcode_index < m->opcode_count && composite_is(m->opcodes[op->opcode_index].code);
}

static enum status fail(const struct inliner *in, size_t node, const char *format, ...)
    PRINTF_LIKE(3, 4);

static enum status fail(const struct inliner *in, size_t node, const char *format, ...)
{
    char text[512];
    va_list args;

    *in->place = (struct composite_place){ in->path[in->depth], node };
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(in->diag, STATUS_INVALID, "subgraph %zu, operator %zu STABLEHLO_COMPOSITE: %s",
                     in->path[in->depth], node, text);
}

/* ---- lists that grow ---- */

static bool grow(void **items, size_t count, size_t *room, size_t size)
{
    const size_t more = *room ? 2 * *room : 64;
    void *moved;

    if (count < *room)
        return true;
    if (!(moved = mem_resize(*items, more, size)))
        return false;
    *items = moved;
    *room = more;
    return true;
}

static enum status add_tensor(struct inliner *in, const struct model_tensor *t)
{
    if (in->all_tensors + in->tensor_count >= limit_of(LIMIT_TENSORS))
        return limit_fail(in->diag, LIMIT_TENSORS, "composites: more than %zu tensors",
                          (size_t)in->all_tensors + in->tensor_count);
    if (!grow((void **)&in->tensors, in->tensor_count, &in->tensor_room, sizeof *t))
        return no_memory(in->diag);
    in->tensors[in->tensor_count++] = *t;
    return STATUS_OK;
}

static enum status add_operator(struct inliner *in, const struct model_operator *op)
{
    if (in->all_operators + in->operator_count >= limit_of(LIMIT_NODES))
        return limit_fail(in->diag, LIMIT_NODES, "composites: more than %zu operators",
                          (size_t)in->all_operators + in->operator_count);
    if (!grow((void **)&in->operators, in->operator_count, &in->operator_room, sizeof *op))
        return no_memory(in->diag);
    in->operators[in->operator_count++] = *op;
    return STATUS_OK;
}

/* Decompositions may be empty, and call others many times: what adds nothing costs time, too. */
static enum status add_work(struct inliner *in, uint64_t more)
{
    in->work += 1 + more;
    return in->work <= limit_of(LIMIT_TABLES)
               ? STATUS_OK
               : limit_fail(in->diag, LIMIT_TABLES, "composites: %" PRIu64 " tables and indices",
                            in->work);
}

/* ---- what a composite and its decomposition have in common ---- */

static void write_shape(const struct model_tensor *t, char *text, size_t bytes)
{
    const char *const name = tensor_type_name(t->type);
    size_t used = (size_t)snprintf(text, bytes, "%s[", name ? name : "?");

    for (size_t i = 0; i < t->shape.count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%" PRId32, i ? "," : "",
                                 t->shape.data[i]);
    if (used < bytes)
        snprintf(text + used, bytes - used, "]");
}

/* Scales and zero points: integers are handed on as they are. */
static bool same_scales(const struct model_quantization *a, const struct model_quantization *b)
{
    return a->scale.count == b->scale.count && a->zero_point.count == b->zero_point.count &&
           (a->scale.count == 0 ||
            memcmp(a->scale.data, b->scale.data, a->scale.count * sizeof *a->scale.data) == 0) &&
           (a->zero_point.count == 0 ||
            memcmp(a->zero_point.data, b->zero_point.data, a->zero_point.count * 8) == 0) &&
           (a->scale.count < 2 || a->quantized_dimension == b->quantized_dimension);
}

static enum status check_same(const struct inliner *in, size_t node, const char *side, size_t i,
                              const struct model_tensor *outer, const struct model_tensor *inner)
{
    char found[96], expected[96];

    if (outer->type != inner->type || !model_same_ints(outer->shape, inner->shape)) {
        write_shape(outer, found, sizeof found);
        write_shape(inner, expected, sizeof expected);
        return fail(in, node, "%s[%zu]: %s, its decomposition has %s", side, i, found, expected);
    }
    if (!same_scales(&outer->quantization, &inner->quantization))
        return fail(in, node, "%s[%zu]: another scale or zero point than in its decomposition",
                    side, i);
    return STATUS_OK;
}

static enum status check_index(const struct inliner *in, size_t node, const char *side, size_t i,
                               int32_t index, size_t count)
{
    return index >= 0 && (size_t)index < count
               ? STATUS_OK
               : fail(in, node, "%s[%zu]: %" PRId32 ", of %zu tensors", side, i, index, count);
}

static enum status check_sides(const struct inliner *in, size_t node, const struct copied *outer,
                               const struct model_subgraph *inner, const char *side,
                               struct model_ints a, struct model_ints b)
{
    if (a.count != b.count)
        return fail(in, node, "%s: %zu, its decomposition has %zu", side, a.count, b.count);
    for (size_t i = 0; i < a.count; i++) {
        TRY(check_index(in, node, side, i, a.data[i], outer->graph->tensor_count));
        TRY(check_index(in, node, side, i, b.data[i], inner->tensor_count));
        TRY(check_same(in, node, side, i, &outer->graph->tensors[a.data[i]],
                       &inner->tensors[b.data[i]]));
    }
    return STATUS_OK;
}

static enum status check_options(const struct inliner *in, size_t node, const struct options *o,
                                 struct model_composite *c)
{
    if (o->tag != OPTIONS_StableHLOCompositeOptions)
        return fail(in, node, "builtin_options_2: no StableHLOCompositeOptions");
    c->name = options_text(o, "name");
    c->attributes.data = options_bytes(o, "composite_attributes", &c->attributes.count);
    c->subgraph = options_int(o, "decomposition_subgraph_index");
    c->version = options_int(o, "version");
    if (!c->name)
        return fail(in, node, "name: absent");
    if (!c->attributes.data)
        return fail(in, node, "composite_attributes: absent");
    if (c->subgraph < 0 || (size_t)c->subgraph >= in->m->subgraph_count)
        return fail(in, node,
                    "decomposition_subgraph_index: %" PRId32 ", the model has %zu subgraphs",
                    c->subgraph, in->m->subgraph_count);
    for (size_t i = 0; i <= in->depth; i++)
        if (in->path[i] == (size_t)c->subgraph)
            return fail(in, node, "decomposition_subgraph_index: %" PRId32 ", which calls itself",
                        c->subgraph);
    if (in->depth == COMPOSITE_DEPTH_MAX)
        return fail(in, node, "decomposition_subgraph_index: composites %d deep, at most %d",
                    COMPOSITE_DEPTH_MAX + 1, COMPOSITE_DEPTH_MAX);
    return STATUS_OK;
}

/* ---- copying ---- */

static enum status map_list(struct inliner *in, const struct copied *c, struct model_ints *list)
{
    int32_t *mapped;

    if (!list->data || !(mapped = arena_copy(&in->m->arena, list->data, list->count, 4)))
        return list->data ? no_memory(in->diag) : STATUS_OK;
    for (size_t i = 0; i < list->count; i++) {
        assert(mapped[i] >= -1 &&
               mapped[i] < (int64_t)c->graph->tensor_count); /* verify.c: indices */
        if (mapped[i] != -1)
            mapped[i] = c->map[mapped[i]];
    }
    list->data = mapped;
    return STATUS_OK;
}

/* Details of a quantization name tensors: those, too, have another index now. */
static void map_details(struct model_tensor *t, const struct copied *c)
{
    int32_t *const named[] = { &t->quantization.block_scales, &t->quantization.block_zero_points };

    for (size_t i = 0; t->quantization.details_type == DETAILS_BLOCKWISE && i < 2; i++)
        if (*named[i] >= 0 && (size_t)*named[i] < c->graph->tensor_count)
            *named[i] = c->map[*named[i]];
}

/* Inputs and outputs of a decomposition are the tensors of the node; its others are added.  A
 * result that no operator of it writes, an input or a constant, has no place of its own. */
static enum status map_tensors(struct inliner *in, size_t node, const struct copied *outer,
                               const struct model_operator *op, struct copied *inner)
{
    const struct model_subgraph *const g = inner->graph;
    const size_t first = in->tensor_count;

    for (size_t t = 0; t < g->tensor_count; t++)
        inner->map[t] = UNKNOWN;
    for (size_t i = 0; i < g->inputs.count; i++) {
        int32_t *const to = &inner->map[g->inputs.data[i]];

        if (*to != UNKNOWN)
            return fail(in, node, "inputs[%zu]: its decomposition has this input twice", i);
        *to = outer->map[op->inputs.data[i]];
    }
    for (size_t i = 0; i < g->outputs.count; i++) {
        const int32_t t = g->outputs.data[i];
        size_t bytes;

        if (inner->map[t] == UNKNOWN && !model_tensor_data(in->m, &g->tensors[t], &bytes) &&
            !g->tensors[t].is_variable)
            inner->map[t] = outer->map[op->outputs.data[i]];
    }
    for (size_t t = 0; t < g->tensor_count; t++) {
        if (inner->map[t] != UNKNOWN)
            continue;
        inner->map[t] = (int32_t)in->tensor_count;
        TRY(add_tensor(in, &g->tensors[t]));
    }
    for (size_t t = first; t < in->tensor_count; t++)
        map_details(&in->tensors[t], inner);
    return STATUS_OK;
}

static enum status copy_operators(struct inliner *in, const struct copied *c);

static enum status copy_decomposition(struct inliner *in, size_t node, const struct copied *outer,
                                      const struct model_operator *op, struct copied *inner)
{
    TRY(map_tensors(in, node, outer, op, inner));
    in->path[++in->depth] = (size_t)inner->composite->subgraph;
    TRY(copy_operators(in, inner));
    in->depth--;
    for (size_t i = 0; i < op->outputs.count; i++)
        outer->map[op->outputs.data[i]] = inner->map[inner->graph->outputs.data[i]];
    return STATUS_OK;
}

static enum status inline_one(struct inliner *in, size_t node, const struct copied *outer,
                              const struct model_operator *op)
{
    struct model_composite read = { .node =
                                        outer->composite ? outer->composite->node : (int32_t)node };
    struct copied inner = { .graph = NULL };
    struct model_composite *kept;
    enum status s;

    TRY(check_options(in, node, &op->options, &read));
    inner.graph = &in->graphs[read.subgraph];
    TRY(add_work(in, inner.graph->tensor_count));
    TRY(check_sides(in, node, outer, inner.graph, "inputs", op->inputs, inner.graph->inputs));
    TRY(check_sides(in, node, outer, inner.graph, "outputs", op->outputs, inner.graph->outputs));
    inner.composite = kept = arena_copy(&in->m->arena, &read, 1, sizeof read);
    inner.map = mem_alloc(inner.graph->tensor_count, sizeof *inner.map);
    s = kept && inner.map ? copy_decomposition(in, node, outer, op, &inner) : no_memory(in->diag);
    mem_free(inner.map);
    return s;
}

static enum status copy_operators(struct inliner *in, const struct copied *c)
{
    for (size_t i = 0; i < c->graph->operator_count; i++) {
        struct model_operator op = c->graph->operators[i];

        TRY(add_work(in, (uint64_t)op.inputs.count + op.outputs.count + op.intermediates.count));
        if (is_composite(in->m, &op)) {
            TRY(inline_one(in, i, c, &op));
            continue;
        }
        TRY(map_list(in, c, &op.inputs));
        TRY(map_list(in, c, &op.outputs));
        TRY(map_list(in, c, &op.intermediates));
        op.composite = c->composite;
        TRY(add_operator(in, &op));
    }
    return STATUS_OK;
}

/* ---- the subgraph ---- */

/* The names of signatures stand for results that may be other tensors now. */
static enum status map_signatures(struct inliner *in, const struct copied *c)
{
    struct model_signature *const signatures =
        arena_copy(&in->m->arena, in->m->signatures, in->m->signature_count, sizeof *signatures);

    if (!signatures)
        return no_memory(in->diag);
    for (size_t i = 0; i < in->m->signature_count; i++) {
        struct model_signature *const s = &signatures[i];
        struct model_tensor_map *outputs;

        if (s->subgraph_index != in->path[0] || !s->outputs)
            continue;
        outputs = arena_copy(&in->m->arena, s->outputs, s->output_count, sizeof *outputs);
        if (!outputs)
            return no_memory(in->diag);
        for (size_t k = 0; k < s->output_count; k++)
            if (outputs[k].tensor_index < c->graph->tensor_count)
                outputs[k].tensor_index = (uint32_t)c->map[outputs[k].tensor_index];
        s->outputs = outputs;
    }
    in->m->signatures = signatures;
    return STATUS_OK;
}

static enum status inline_graph(struct inliner *in, struct copied *c, struct model_subgraph *to)
{
    bool moved = false;

    for (size_t t = 0; t < c->graph->tensor_count; t++) {
        c->map[t] = (int32_t)t;
        TRY(add_tensor(in, &c->graph->tensors[t]));
    }
    TRY(copy_operators(in, c));
    for (size_t i = 0; i < c->graph->outputs.count; i++)
        moved |= c->map[c->graph->outputs.data[i]] != c->graph->outputs.data[i];
    if (moved) {
        TRY(map_list(in, c, &to->outputs));
        if (in->m->signatures)
            TRY(map_signatures(in, c));
    }
    to->tensors = arena_copy(&in->m->arena, in->tensors, in->tensor_count, sizeof *to->tensors);
    to->operators =
        arena_copy(&in->m->arena, in->operators, in->operator_count, sizeof *to->operators);
    to->tensor_count = in->tensor_count;
    to->operator_count = in->operator_count;
    return to->tensors && to->operators ? STATUS_OK : no_memory(in->diag);
}

static bool has_composites(const struct model *m, const struct model_subgraph *g)
{
    for (size_t i = 0; i < g->operator_count; i++)
        if (is_composite(m, &g->operators[i]))
            return true;
    return false;
}

static enum status inline_graphs(struct inliner *in, struct model_subgraph *graphs)
{
    for (size_t g = 0; g < in->m->subgraph_count; g++) {
        struct copied c = { .graph = &in->graphs[g] };
        enum status s = STATUS_OK;

        in->path[0] = in->place->graph = g;
        in->depth = in->tensor_count = in->operator_count = 0;
        if (has_composites(in->m, c.graph)) {
            c.map = mem_alloc(c.graph->tensor_count, sizeof *c.map);
            s = c.map ? inline_graph(in, &c, &graphs[g]) : no_memory(in->diag);
            mem_free(c.map);
        }
        TRY(s);
        in->all_tensors += graphs[g].tensor_count;
        in->all_operators += graphs[g].operator_count;
    }
    return STATUS_OK;
}

enum status composite_inline(struct model *m, struct composite_place *place, struct diag *diag)
{
    struct inliner in = { .m = m, .graphs = m->subgraphs, .diag = diag, .place = place };
    struct model_subgraph *graphs;
    bool any = false;
    enum status s;

    for (size_t g = 0; g < m->subgraph_count; g++)
        any |= has_composites(m, &m->subgraphs[g]);
    if (!any)
        return STATUS_OK;
    if (!(graphs = arena_copy(&m->arena, m->subgraphs, m->subgraph_count, sizeof *graphs)))
        return no_memory(diag);
    s = inline_graphs(&in, graphs);
    mem_free(in.tensors);
    mem_free(in.operators);
    if (s == STATUS_OK)
        m->subgraphs = graphs;
    return s;
}
