#include "delegate/transform/transform.h"

#include "delegate/transform/float_view.h"

#include <string.h>

#define TRANSFORM(name, meaning) extern const struct transform transform_##name;
#include "delegate/graph/transforms.def"
#undef TRANSFORM

static const struct transform *const transforms[] = {
#define TRANSFORM(name, meaning) &transform_##name,
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};

static enum status copy_partition(struct rewrite *w, const struct transform_request *r)
{
    struct graph *g = &w->graph;

    /* A transform adds at most one constant per node; float view adds a bias and unrounded outputs.
     */
    w->node_capacity = r->node_count;
    w->tensor_capacity = r->graph->tensor_count + r->node_count;
    for (int i = 0; i < r->node_count && r->options->quantized == QUANTIZED_FLOAT_VIEW; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        w->node_capacity += n ? n->output_count : 0;
        w->tensor_capacity += n ? n->output_count + 1 : 0;
    }
    g->tensors = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, struct graph_tensor);
    g->nodes = ARENA_NEW(&g->arena, (size_t)w->node_capacity, struct graph_node);
    w->readers = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, int);
    w->exposed = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, bool);
    if (!g->tensors || !g->nodes || !w->readers || !w->exposed)
        return diag_fail(w->diag, STATUS_NO_MEMORY, "transforming %d nodes: out of memory",
                         r->node_count);
    g->tensor_count = r->graph->tensor_count;
    memcpy(g->tensors, r->graph->tensors, (size_t)g->tensor_count * sizeof *g->tensors);
    for (int i = 0; i < r->node_count; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        if (!n || !n->op)
            return diag_fail(w->diag, STATUS_INVALID,
                             "node %d: expected an accepted node of the graph", r->nodes[i]);
        g->nodes[g->node_count++] = *n;
    }
    for (int i = 0; i < r->output_count; i++)
        if (r->outputs[i] >= 0 && r->outputs[i] < g->tensor_count)
            w->exposed[r->outputs[i]] = true;
    rewrite_count_readers(w);
    return STATUS_OK;
}

enum status transform_apply(struct rewrite *w, enum transform_id id, bool *changed)
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
        rewrite_count_readers(w);
    }
    return STATUS_OK;
}

enum status transform_partition(struct rewrite *w, const struct transform_request *request,
                                struct diag *diag)
{
    bool changed = true;
    enum status s;

    *w = (struct rewrite){ .options = request->options, .limits = request->limits, .diag = diag };
    s = copy_partition(w, request);
    if (s == STATUS_OK && request->options->quantized == QUANTIZED_FLOAT_VIEW) {
        s = float_view_make(w);
        rewrite_count_readers(w);
    }
    /* Each firing removes a node, or changes one in a way that none reverts, so the loop ends. */
    while (s == STATUS_OK && changed) {
        changed = false;
        for (int t = 0; t < TRANSFORM_COUNT && s == STATUS_OK; t++)
            if (!(w->options->no_transform & 1u << t))
                s = transform_apply(w, (enum transform_id)t, &changed);
    }
    if (s != STATUS_OK)
        rewrite_close(w);
    return s;
}
