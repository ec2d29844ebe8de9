/* PAD of H and W becomes the padding of the convolution or the MAX_POOL_2D that alone reads it.
 *
 * The shaders of convolutions skip products with padding.  0 times an infinite or NaN weight would
 * be NaN, so weights must be constant and finite.  Those of MAX_POOL_2D compare with the zeros, in
 * the order of the padded image (delegate/ops/reduce/pool.comp); a pool's own padding does not
 * count.  An average has no such shader. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/op_facts.h"

#include <math.h>

static bool is_finite_constant(const struct graph *g, int tensor)
{
    if (!graph_is_constant(g, tensor))
        return false;
    for (size_t i = 0; i < g->tensors[tensor].elements; i++)
        if (!isfinite(graph_constant_float(g, tensor, i)))
            return false;
    return true;
}

enum { PADS_MAX = 1 << 20 }; /* as for windows: the shaders compute coordinates in 32 bits */

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    struct graph_node *into;
    int64_t pads[2];
    int reader, weights;

    if (!n->op->pads_image)
        return STATUS_OK;
    if ((reader = rewrite_only_reader(w, n->outputs[0])) < 0)
        return w->exposed[n->outputs[0]]
                   ? rewrite_decline(w, node, "its result is an output of the partition")
                   : rewrite_decline(w, node, "its result is read %d times",
                                     w->readers[n->outputs[0]]);
    into = &w->graph.nodes[reader];
    if (into->inputs[0] != n->outputs[0] || !into->op->takes_padding)
        return rewrite_decline(w, node, "%s takes no padding", rewrite_node_name(w, reader).text);
    if (!into->op->takes_padding(into))
        return rewrite_decline(w, node, "%s has padding of its own",
                               rewrite_node_name(w, reader).text);
    weights = op_facts_find(into->code)->weights;
    if (weights != OP_NONE && !is_finite_constant(g, into->inputs[weights]))
        return rewrite_decline(w, node, "the weights of %s are not constant, or not finite",
                               rewrite_node_name(w, reader).text);
    if (!n->op->pads_image(g, n, pads))
        return rewrite_decline(w, node, "it does not pad H and W of an image alone");
    if (rewrite_is_overwritten(w, n->inputs[0]))
        return rewrite_decline(w, node, "a convolution overwrites its input");
    if (graph_is_quantized(g, n) && !graph_same_quant(graph_input(g, n, 0), graph_output(g, n, 0)))
        return rewrite_decline(w, node, "its input has another scale or zero point");
    pads[0] += into->pad_top;
    pads[1] += into->pad_left;
    if (pads[0] > PADS_MAX || pads[1] > PADS_MAX)
        return rewrite_decline(w, node, "more than %d rows or columns of padding", PADS_MAX);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    into->has_pads = true;
    into->pad_top = (int32_t)pads[0];
    into->pad_left = (int32_t)pads[1];
    TRY(rewrite_name(w, reader, n->name, into->name));
    rewrite_input(w, reader, 0, n->inputs[0]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_pad = { .apply = apply };
