/* PAD of H and W becomes the padding of the convolution that alone reads it.  A PAD before a pool
 * stays, since a pool leaves its padding out of its average and its maximum.
 *
 * The shaders skip products with padding.  0 times an infinite or NaN weight would be NaN, so
 * weights must be constant and finite. */
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
    struct graph_node *conv;
    int64_t pads[2];
    int reader;

    if (!n->op->pads_image)
        return STATUS_OK;
    if ((reader = rewrite_only_reader(w, n->outputs[0])) < 0)
        return w->exposed[n->outputs[0]]
                   ? rewrite_decline(w, node, "its result is an output of the partition")
                   : rewrite_decline(w, node, "its result is read %d times",
                                     w->readers[n->outputs[0]]);
    conv = &w->graph.nodes[reader];
    if (conv->inputs[0] != n->outputs[0] || !conv->op->takes_padding)
        return rewrite_decline(w, node, "%s takes no padding", rewrite_node_name(w, reader).text);
    if (!conv->op->takes_padding(conv))
        return rewrite_decline(w, node, "%s has padding of its own",
                               rewrite_node_name(w, reader).text);
    if (!is_finite_constant(g, conv->inputs[op_facts_find(conv->code)->weights]))
        return rewrite_decline(w, node, "the weights of %s are not constant, or not finite",
                               rewrite_node_name(w, reader).text);
    if (!n->op->pads_image(g, n, pads))
        return rewrite_decline(w, node, "it does not pad H and W of an image alone");
    if (rewrite_is_overwritten(w, n->inputs[0]))
        return rewrite_decline(w, node, "a convolution overwrites its input");
    if (graph_is_quantized(g, n) && !graph_same_quant(graph_input(g, n, 0), graph_output(g, n, 0)))
        return rewrite_decline(w, node, "its input has another scale or zero point");
    pads[0] += conv->pad_top;
    pads[1] += conv->pad_left;
    if (pads[0] > PADS_MAX || pads[1] > PADS_MAX)
        return rewrite_decline(w, node, "more than %d rows or columns of padding", PADS_MAX);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    conv->has_pads = true;
    conv->pad_top = (int32_t)pads[0];
    conv->pad_left = (int32_t)pads[1];
    TRY(rewrite_name(w, reader, n->name, conv->name));
    rewrite_input(w, reader, 0, n->inputs[0]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_pad = { .apply = apply };
