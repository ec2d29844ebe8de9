/* PAD of H and W into the convolution that alone reads it: the window then begins outside the
 * image, where the shaders read zeros.  Not into a pool, whose average counts only what lies inside
 * and whose maximum knows no zeros there.
 *
 * The shaders do not multiply the zeros outside: with an infinite or NaN weight that would show, so
 * only constant, finite weights are taken. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "tensorflow/lite/c/builtin_op_data.h"

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

/* A convolution whose window begins at the image's edge, or where another PAD has put it. */
static bool begins_at_edge(const struct graph_node *n)
{
    TfLitePadding padding;

    switch (n->code) {
    case BUILTIN_CONV_2D: padding = ((const TfLiteConvParams *)n->params)->padding; break;
    case BUILTIN_DEPTHWISE_CONV_2D:
        padding = ((const TfLiteDepthwiseConvParams *)n->params)->padding;
        break;
    default: return false;
    }
    return n->has_pads || padding == kTfLitePaddingValid;
}

/* Zeros before H and W; false when there are some elsewhere. */
static bool zeros_before(const struct graph *g, const struct graph_node *n, int64_t pads[2])
{
    int64_t before[4];

    if (graph_input(g, n, 0)->rank != 4)
        return false;
    for (size_t d = 0; d < 4; d++) {
        before[d] = graph_constant_int(g, n->inputs[1], 2 * d);
        if ((d == 0 || d == 3) &&
            (before[d] != 0 || graph_constant_int(g, n->inputs[1], 2 * d + 1) != 0))
            return false;
    }
    pads[0] = before[1];
    pads[1] = before[2];
    return true;
}

enum { MOST = 1 << 20 }; /* as for windows: the shaders' coordinates are 32 bits */

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    struct graph_node *conv;
    int64_t pads[2];
    int reader;

    if (n->code != BUILTIN_PAD || (reader = rewrite_only_reader(w, n->outputs[0])) < 0)
        return STATUS_OK;
    conv = &w->graph.nodes[reader];
    if (conv->inputs[0] != n->outputs[0] || !begins_at_edge(conv) ||
        !is_finite_constant(g, conv->inputs[1]) || !zeros_before(g, n, pads) ||
        rewrite_is_overwritten(w, n->inputs[0]) ||
        (graph_is_quantized(g, n) &&
         !graph_same_quant(graph_input(g, n, 0), graph_output(g, n, 0))))
        return STATUS_OK;
    pads[0] += conv->pad_top;
    pads[1] += conv->pad_left;
    if (pads[0] > MOST || pads[1] > MOST)
        return STATUS_OK;
    conv->has_pads = true;
    conv->pad_top = (int32_t)pads[0];
    conv->pad_left = (int32_t)pads[1];
    TRY(rewrite_name(w, reader, n->name, conv->name));
    TRY(rewrite_input(w, reader, 0, n->inputs[0]));
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_pad = { apply };
