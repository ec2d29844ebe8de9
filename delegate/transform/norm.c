/* The nodes of a norm, MEAN, SUB, MUL, MEAN, ADD, RSQRT, MUL, MUL and ADD or fewer, become one, if
 * no other node reads what lies between: up to eight dispatches less.  The squares are not rounded
 * to f16, in which those of elements above 255 overflow; in fp32 sums may be added in another
 * order. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    struct gpu_norm norm;

    if (!n->op->norm || n->steps.scale > 0 || !n->op->norm(g, n, &norm))
        return STATUS_OK;
    if (!rewrite_stays(w, norm.x))
        return rewrite_decline(w, node, "its input is overwritten later, a constant, or state");
    return rewrite_fuse(w, node, &norm.fused,
                        &(struct rewrite_as){ &gpu_norm, "NORM", &norm, sizeof norm,
                                              (const int[]){ norm.x, norm.weights, norm.bias }, 3 },
                        fired);
}

/* From the last node on, so that a norm has its weights and its bias. */
const struct transform transform_norm = { .apply = apply, .backwards = true };
