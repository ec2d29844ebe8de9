/* BATCH_MATMUL, factors, mask, SOFTMAX and BATCH_MATMUL become one node, which reads keys and
 * values where TRANSPOSE and BROADCAST_TO would have copied them from: these go if nothing else
 * reads what they make (transform unused).  Logits are not rounded to f16; sums are made in another
 * order. */
#include "delegate/base/device_costs.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

#include <inttypes.h>

enum { BUFFERS = 5 }; /* of the step; Vulkan promises 4 */

/* So many rows pay, where each goes over so many elements of keys and values. */
static uint32_t rows_max(const struct rewrite *w, uint64_t elements)
{
    const struct device_costs *const costs = device_costs_of(w->limits);

    if (elements <= costs->attention.elements_max)
        return costs->attention.rows_max;
    return options_kernel(w->options, KERNEL_attention_parts) &&
                   (device_costs_pays(costs, KERNEL_attention_parts) ||
                    options_force(w->options, KERNEL_attention_parts))
               ? costs->attention.long_rows_max
               : 0;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    struct gpu_attention a;

    if (!n->op->attention || n->steps.scale > 0 || !n->op->attention(g, n, &a))
        return STATUS_OK;
    if (w->limits->max_storage_buffers < BUFFERS)
        return rewrite_decline(w, node, "the device has %u buffers for a shader, fewer than %d",
                               w->limits->max_storage_buffers, BUFFERS);
    const struct graph_tensor *const q = &g->tensors[a.q], *const y = graph_output(g, n, 0);
    const uint64_t rows = y->elements / (size_t)y->dims[y->rank - 1] / graph_images(y);
    const uint64_t elements =
        (uint64_t)a.slots * (uint64_t)(q->dims[q->rank - 1] + y->dims[y->rank - 1]);
    if (rows > rows_max(w, elements))
        return rewrite_decline(w, node,
                               "%" PRIu64 " rows of an image, more than %" PRIu32
                               " for keys and values of %" PRIu64 " elements",
                               rows, rows_max(w, elements), elements);
    if (!rewrite_stays(w, a.q) || !rewrite_stays(w, a.k) || !rewrite_stays(w, a.v) ||
        (a.mask >= 0 && !graph_is_constant(g, a.mask) && !rewrite_stays(w, a.mask)))
        return rewrite_decline(w, node, "an input is overwritten later, a constant, or state");
    return rewrite_fuse(w, node, &a.fused,
                        &(struct rewrite_as){ &gpu_attention, "ATTENTION", &a, sizeof a,
                                              (const int[]){ a.q, a.k, a.v, a.mask },
                                              a.mask < 0 ? 3 : 4 },
                        fired);
}

const struct transform transform_attention = { .apply = apply };
