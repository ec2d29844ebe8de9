/* In float view, a rounding node becomes part of the node that computes its input, if no other node
 * reads that: the shader rounds before it stores.  fp32 has the same bits; in fp16 the result is
 * not rounded to f16 before. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/float_view.h"
#include "delegate/transform/rewrite.h"

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    int producer;

    if (!float_view_is_rounding(n))
        return STATUS_OK;
    producer = g->tensors[n->inputs[0]].producer;
    if (producer < 0)
        return rewrite_decline(w, node, "no node of the partition computes its input");
    if (!rewrite_reads_alone(w, node, n->inputs[0]))
        return STATUS_OK;
    if (!g->nodes[producer].op->rounds_to_steps || g->nodes[producer].steps.scale > 0)
        return rewrite_decline(w, node, "the kernel of %s does not round, or rounds already",
                               rewrite_node_name(w, producer).text);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    w->graph.nodes[producer].steps = float_view_steps(graph_output(g, n, 0));
    rewrite_output(w, producer, 0, n->outputs[0]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_rounding = { .apply = apply };
