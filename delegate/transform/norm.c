/* The six nodes of a root mean square norm, MUL, MEAN, ADD, RSQRT, MUL and MUL, become one, if no
 * other node reads what lies between: four dispatches less.  The squares are not rounded to f16, in
 * which those of elements above 255 overflow; in fp32 sums may be added in another order. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    struct gpu_norm norm;
    int reader = node;

    if (!n->op->norm || n->steps.scale > 0 || !n->op->norm(g, n, &norm))
        return STATUS_OK;
    if (graph_is_constant(g, norm.x) || g->tensors[norm.x].is_variable ||
        rewrite_is_overwritten(w, norm.x))
        return rewrite_decline(w, node, "its input is overwritten later, a constant, or state");
    for (int i = 0; i < GPU_NORM_NODES; reader = norm.nodes[i++])
        if (!rewrite_reads_alone(w, reader, g->nodes[norm.nodes[i]].outputs[0]))
            return STATUS_OK;
    if (!rewrite_may(w, node))
        return STATUS_OK;
    for (int i = 0; i < GPU_NORM_NODES; i++)
        rewrite_remove(w, norm.nodes[i]);
    *fired = true;
    return rewrite_norm(w, node, &norm);
}

const struct transform transform_norm = { .apply = apply };
