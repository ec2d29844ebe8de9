/* The nine nodes of a rotary embedding, two SLICE, four MUL, SUB, ADD and CONCATENATION, become
 * one, if no other node reads what lies between: eight dispatches less.  Products and their sums
 * may be rounded as one, and in fp16 not before. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    struct gpu_rope rope;

    if (!n->op->rope || !n->op->rope(g, n, &rope))
        return STATUS_OK;
    if (!rewrite_stays(w, rope.x) || !rewrite_stays(w, rope.cosines) ||
        !rewrite_stays(w, rope.sines))
        return rewrite_decline(w, node, "an input is overwritten later, a constant, or state");
    return rewrite_fuse(w, node, &rope.fused,
                        &(struct rewrite_as){ &gpu_rope, "ROPE", &rope, sizeof rope,
                                              (const int[]){ rope.x, rope.cosines, rope.sines },
                                              3 },
                        fired);
}

const struct transform transform_rope = { .apply = apply };
