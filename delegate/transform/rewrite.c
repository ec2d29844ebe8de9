#include "delegate/transform/rewrite.h"

#include "delegate/graph/gpu_op.h"

#include <stdio.h>
#include <string.h>

static enum status no_memory(struct rewrite *w)
{
    return diag_fail(w->diag, STATUS_NO_MEMORY, "transforming %d nodes: out of memory",
                     w->graph.node_count);
}

void rewrite_count_readers(struct rewrite *w)
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

    if (!data || g->tensor_count == w->tensor_capacity)
        return no_memory(w);
    *tensor = g->tensor_count++;
    g->tensors[*tensor] = (struct graph_tensor){ .name = "",
                                                 .type = kTfLiteInt32,
                                                 .rank = 1,
                                                 .dims = { count },
                                                 .elements = (size_t)count,
                                                 .data = data,
                                                 .producer = -1,
                                                 .dequantized_from = -1 };
    return STATUS_OK;
}

enum status rewrite_activation(struct rewrite *w, int node, TfLiteFusedActivation activation)
{
    struct graph_node *n = &w->graph.nodes[node];
    uint8_t *params = arena_copy(&w->graph.arena, n->params, 1, n->op->params_bytes);

    if (!params)
        return no_memory(w);
    memcpy(params + n->op->activation_at, &activation, sizeof activation);
    n->params = params;
    return STATUS_OK;
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
