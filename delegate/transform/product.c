/* FULLY_CONNECTED of few rows runs as a 1x1 convolution, whose shader splits a sum among more
 * invocations.  On an H200, fp32: 1 row, 1024 to 1024, 20 -> 11 us; 1 row, 256 to 256, 7.2 -> 6.4;
 * but 64 rows, 256 to 256, 12.6 -> 14.1, and 16 rows, 64 to 64, 5.4 -> 5.6. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/op_facts.h"

#include <inttypes.h>

enum { ROWS_MAX = 3, PRODUCTS_MIN = 65536 };

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    struct graph_node *n = &w->graph.nodes[node];
    const struct graph_tensor *x, *weights;

    if (!n->op->has_conv_1x1 || n->as_conv_1x1)
        return STATUS_OK;
    if (graph_is_quantized(&w->graph, n))
        return rewrite_decline(w, node, "quantized: it is computed in integers");
    x = graph_input(&w->graph, n, 0);
    weights = graph_input(&w->graph, n, op_facts_find(n->code)->weights);
    if (x->elements / (size_t)weights->dims[1] > ROWS_MAX)
        return rewrite_decline(w, node, "%zu rows, more than %d",
                               x->elements / (size_t)weights->dims[1], ROWS_MAX);
    if ((uint64_t)x->elements * (uint64_t)weights->dims[0] < PRODUCTS_MIN)
        return rewrite_decline(w, node, "%" PRIu64 " products, fewer than %d",
                               (uint64_t)x->elements * (uint64_t)weights->dims[0], PRODUCTS_MIN);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    n->as_conv_1x1 = true;
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_product = { .apply = apply };
