/* AVERAGE_POOL_2D whose window is the whole image runs as MEAN over H and W: that shader computes a
 * sum by a workgroup instead of one invocation. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { PIXELS_MIN = 16 }; /* with fewer the pool is as fast */

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    static const int32_t h_and_w[] = { 1, 2 };
    struct graph_node *n = &w->graph.nodes[node];
    const TfLitePoolParams *pool = n->params;
    const struct graph_tensor *x, *y;
    TfLiteReducerParams *mean;
    int axes, inputs[2];

    if (n->op->reduces_as == 0)
        return STATUS_OK;
    x = graph_input(&w->graph, n, 0);
    y = graph_output(&w->graph, n, 0);
    /* A window of the size of the image has no padding, with SAME as with VALID. */
    if (y->dims[1] != 1 || y->dims[2] != 1 || pool->filter_height != x->dims[1] ||
        pool->filter_width != x->dims[2])
        return STATUS_OK;
    if (graph_is_quantized(&w->graph, n))
        return rewrite_decline(w, node, "quantized: it is computed in integers");
    if (pool->activation != kTfLiteActNone)
        return rewrite_decline(w, node, "it has a fused activation");
    if ((int64_t)x->dims[1] * x->dims[2] < PIXELS_MIN)
        return rewrite_decline(w, node, "an image of %d pixels, fewer than %d",
                               x->dims[1] * x->dims[2], PIXELS_MIN);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    if (!(mean = arena_alloc(&w->graph.arena, 1, sizeof *mean)))
        return diag_fail(w->diag, STATUS_NO_MEMORY, "node %d: out of memory", n->host_node);
    mean->keep_dims = true;
    TRY(rewrite_constant(w, h_and_w, 2, &axes));
    inputs[0] = n->inputs[0];
    inputs[1] = axes;
    TRY(rewrite_inputs(w, node, inputs, 2));
    n->params = mean;
    n->code = n->op->reduces_as;
    n->op = gpu_op_find(n->code);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_mean = { .apply = apply };
