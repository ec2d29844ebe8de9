/* The nine nodes of a rotary embedding, two SLICE, four MUL, SUB, ADD and CONCATENATION, become
 * one, if no other node reads what lies between: eight dispatches less.  Products and their sums
 * may be rounded as one, and in fp16 not before. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

/* The tensor keeps its elements while the embedding is computed. */
static bool stays(const struct rewrite *w, int tensor)
{
    return !graph_is_constant(&w->graph, tensor) && !w->graph.tensors[tensor].is_variable &&
           !rewrite_is_overwritten(w, tensor);
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    struct gpu_rope rope;

    if (!n->op->rope || !n->op->rope(g, n, &rope))
        return STATUS_OK;
    if (!stays(w, rope.x) || !stays(w, rope.cosines) || !stays(w, rope.sines))
        return rewrite_decline(w, node, "an input is overwritten later, a constant, or state");
    for (int i = 0; i < GPU_ROPE_NODES; i++)
        if (rewrite_only_reader(w, g->nodes[rope.nodes[i]].outputs[0]) < 0)
            return rewrite_decline(w, node, "the result of %s is read elsewhere, too",
                                   rewrite_node_name(w, rope.nodes[i]).text);
    for (int i = 0; i < 2; i++) {
        const int half = g->nodes[rope.halves[i]].outputs[0];

        if (w->readers[half] != 2 || w->exposed[half])
            return rewrite_decline(w, node, "the result of %s is read elsewhere, too",
                                   rewrite_node_name(w, rope.halves[i]).text);
    }
    if (!rewrite_may(w, node))
        return STATUS_OK;
    for (int i = 0; i < GPU_ROPE_NODES; i++)
        rewrite_remove(w, rope.nodes[i]);
    for (int i = 0; i < 2; i++)
        rewrite_remove(w, rope.halves[i]);
    *fired = true;
    return rewrite_rope(w, node, &rope);
}

const struct transform transform_rope = { .apply = apply };
