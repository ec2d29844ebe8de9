#include "delegate/transform/rewrite.h"

#include "delegate/transform/float_view.h"

#include <stdio.h>
#include <string.h>

#define TRANSFORM(name, meaning) extern const struct transform transform_##name;
#include "delegate/graph/transforms.def"
#undef TRANSFORM

static const struct transform *const transforms[] = {
#define TRANSFORM(name, meaning) &transform_##name,
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};

static enum status no_memory(struct rewrite *w)
{
    return diag_fail(w->diag, STATUS_NO_MEMORY, "transforming %d nodes: out of memory",
                     w->graph.node_count);
}

/* Readers and producers as they are now. */
static void count_readers(struct rewrite *w)
{
    struct graph *g = &w->graph;

    for (int t = 0; t < g->tensor_count; t++) {
        w->readers[t] = 0;
        g->tensors[t].producer = -1;
    }
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *n = &g->nodes[i];

        for (int j = 0; j < n->input_count; j++)
            if (n->inputs[j] >= 0)
                w->readers[n->inputs[j]]++;
        if (n->has_residual)
            w->readers[n->residual]++;
        for (int j = 0; j < n->output_count; j++)
            g->tensors[n->outputs[j]].producer = i;
    }
}

static enum status copy_partition(struct rewrite *w, const struct rewrite_request *r)
{
    struct graph *g = &w->graph;

    /* At most one new constant a node, and in float view a bias and unrounded outputs. */
    w->node_room = r->node_count;
    w->tensor_room = r->graph->tensor_count + r->node_count;
    for (int i = 0; i < r->node_count && r->options->quantized == QUANTIZED_FLOAT_VIEW; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        w->node_room += n ? n->output_count : 0;
        w->tensor_room += n ? n->output_count + 1 : 0;
    }
    g->tensors = ARENA_NEW(&g->arena, (size_t)w->tensor_room, struct graph_tensor);
    g->nodes = ARENA_NEW(&g->arena, (size_t)w->node_room, struct graph_node);
    w->readers = ARENA_NEW(&g->arena, (size_t)w->tensor_room, int);
    w->exposed = ARENA_NEW(&g->arena, (size_t)w->tensor_room, bool);
    if (!g->tensors || !g->nodes || !w->readers || !w->exposed)
        return no_memory(w);
    g->tensor_count = r->graph->tensor_count;
    memcpy(g->tensors, r->graph->tensors, (size_t)g->tensor_count * sizeof *g->tensors);
    for (int i = 0; i < r->node_count; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        if (!n || !n->op)
            return diag_fail(w->diag, STATUS_INVALID, "node %d is not one that was accepted",
                             r->nodes[i]);
        g->nodes[g->node_count++] = *n;
    }
    for (int i = 0; i < r->output_count; i++)
        if (r->outputs[i] >= 0 && r->outputs[i] < g->tensor_count)
            w->exposed[r->outputs[i]] = true;
    count_readers(w);
    return STATUS_OK;
}

enum status rewrite_apply(struct rewrite *w, enum transform_id id, bool *changed)
{
    int i = 0;

    while (i < w->graph.node_count) {
        const int count = w->graph.node_count;
        bool fired = false;

        TRY(transforms[id]->apply(w, i, &fired));
        if (!fired) {
            i++;
            continue;
        }
        *changed = true;
        w->applied[id]++;
        w->merged += count - w->graph.node_count;
        count_readers(w);
    }
    return STATUS_OK;
}

enum status rewrite_make(struct rewrite *w, const struct rewrite_request *request,
                         struct diag *diag)
{
    bool changed = true;
    enum status s;

    *w = (struct rewrite){ .options = request->options, .limits = request->limits, .diag = diag };
    s = copy_partition(w, request);
    if (s == STATUS_OK && request->options->quantized == QUANTIZED_FLOAT_VIEW) {
        s = float_view_make(w);
        count_readers(w);
    }
    /* Each firing takes a node away or changes one for good, so there is an end. */
    while (s == STATUS_OK && changed) {
        changed = false;
        for (int t = 0; t < TRANSFORM_COUNT && s == STATUS_OK; t++)
            if (!(w->options->no_transform & 1u << t))
                s = rewrite_apply(w, (enum transform_id)t, &changed);
    }
    if (s != STATUS_OK)
        rewrite_close(w);
    return s;
}

void rewrite_close(struct rewrite *w)
{
    graph_close(&w->graph);
    *w = (struct rewrite){ 0 };
}

int rewrite_only_reader(const struct rewrite *w, int tensor)
{
    const struct graph *g = &w->graph;

    if (w->readers[tensor] != 1 || w->exposed[tensor])
        return -1;
    for (int i = 0; i < g->node_count; i++)
        for (int j = 0; j < g->nodes[i].input_count; j++)
            if (g->nodes[i].inputs[j] == tensor)
                return i;
    return -1;
}

bool rewrite_is_overwritten(const struct rewrite *w, int tensor)
{
    for (int i = 0; i < w->graph.node_count; i++)
        if (w->graph.nodes[i].has_residual && w->graph.nodes[i].residual == tensor)
            return true;
    return false;
}

/* A list of tensors with one replaced. */
static const int *replaced(struct rewrite *w, const int *list, int count, int i, int tensor)
{
    int *copy = arena_copy(&w->graph.arena, list, (size_t)count, sizeof *copy);

    if (copy)
        copy[i] = tensor;
    return copy;
}

enum status rewrite_input(struct rewrite *w, int node, int i, int tensor)
{
    struct graph_node *n = &w->graph.nodes[node];
    const int *inputs = replaced(w, n->inputs, n->input_count, i, tensor);

    if (!inputs)
        return no_memory(w);
    n->inputs = inputs;
    return STATUS_OK;
}

enum status rewrite_output(struct rewrite *w, int node, int i, int tensor)
{
    struct graph_node *n = &w->graph.nodes[node];
    const int *outputs = replaced(w, n->outputs, n->output_count, i, tensor);

    if (!outputs)
        return no_memory(w);
    n->outputs = outputs;
    return STATUS_OK;
}

enum status rewrite_redirect(struct rewrite *w, int from, int to)
{
    for (int i = 0; i < w->graph.node_count; i++) {
        struct graph_node *n = &w->graph.nodes[i];

        for (int j = 0; j < n->input_count; j++)
            if (n->inputs[j] == from)
                TRY(rewrite_input(w, i, j, to));
        if (n->has_residual && n->residual == from)
            n->residual = to;
    }
    return STATUS_OK;
}

enum status rewrite_constant(struct rewrite *w, const int32_t *values, int count, int *tensor)
{
    struct graph *g = &w->graph;
    const int32_t *data = arena_copy(&g->arena, values, (size_t)count, sizeof *data);

    if (!data || g->tensor_count == w->tensor_room)
        return no_memory(w);
    *tensor = g->tensor_count++;
    g->tensors[*tensor] = (struct graph_tensor){ .name = "",
                                                 .type = kTfLiteInt32,
                                                 .rank = 1,
                                                 .dims = { count },
                                                 .elements = (size_t)count,
                                                 .data = data,
                                                 .producer = -1,
                                                 .source = -1 };
    return STATUS_OK;
}

void *rewrite_params(struct rewrite *w, int node, size_t bytes)
{
    struct graph_node *n = &w->graph.nodes[node];
    void *copy = arena_copy(&w->graph.arena, n->params, 1, bytes);

    if (!copy) {
        no_memory(w);
        return NULL;
    }
    n->params = copy;
    return copy;
}

enum status rewrite_name(struct rewrite *w, int node, const char *first, const char *second)
{
    char text[192];
    const char *name;

    snprintf(text, sizeof text, "%s+%s", first, second);
    if (!(name = arena_string(&w->graph.arena, text)))
        return no_memory(w);
    w->graph.nodes[node].name = name;
    return STATUS_OK;
}

void rewrite_remove(struct rewrite *w, int node)
{
    struct graph *g = &w->graph;

    memmove(&g->nodes[node], &g->nodes[node + 1],
            (size_t)(g->node_count - node - 1) * sizeof g->nodes[0]);
    g->node_count--;
}

bool rewrite_same_shape(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return a->rank >= 0 && a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}
