/* FULLY_CONNECTED as a 1x1 convolution, whose shader gives a workgroup more of the sum and of the
 * rows.  A small one stays: there is nothing to share out. */
#include "delegate/transform.h"
#include "reference/builtin.h"

enum { WORTH_IT = 65536 }; /* products */

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    struct graph_node *n = &w->graph.nodes[node];
    const struct graph_tensor *x, *weights;

    if (n->code != BUILTIN_FULLY_CONNECTED || n->as_product)
        return STATUS_OK;
    x = graph_input(&w->graph, n, 0);
    weights = graph_input(&w->graph, n, 1);
    /* Each row of x is multiplied with dims[0] columns. */
    if ((uint64_t)x->elements * (uint64_t)weights->dims[0] < WORTH_IT)
        return STATUS_OK;
    n->as_product = true;
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_product = { apply };
