/* Reductions of 8-bit and i16 tensors, and AVERAGE_POOL_2D over a whole image.
 * Meaning: reference/ops/reduce.c, pool.c */
#include "delegate/ops/reduce/reduce_int8.h"

#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"

#include <math.h>

static bool accept_mean(struct check *c)
{
    return check_multiplier(c, c->node->outputs[0], "input scale / output scale",
                            tensor_scale(graph_input(c->graph, c->node, 0)) /
                                tensor_scale(graph_output(c->graph, c->node, 0)));
}

struct fixed_multiplier reduce_multiplier(const struct graph_tensor *x,
                                          const struct graph_tensor *y, uint32_t count)
{
    struct fixed_multiplier m = requantize_multiplier(tensor_scale(x) / tensor_scale(y));
    int shift = 0;

    /* As TensorFlow Lite's MEAN: q is divided by count, after a shift to the left by as many bits
     * as count has and the exponent allows. */
    while (shift < 31 + m.e && (uint64_t)count >> (shift + 1) > 0)
        shift++;
    m.q = (int32_t)(((int64_t)m.q << shift) / (int64_t)count);
    m.e -= shift;
    return m;
}

double reduce_product_factor(const struct graph_tensor *x, const struct graph_tensor *y)
{
    const double count = (double)(x->elements / y->elements);

    return tensor_scale(x) / pow(tensor_scale(y), 1 / count);
}

enum status reduce_plan_average(struct planner *p, const struct graph_node *n,
                                struct fixed_range range)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const uint32_t pixels = (uint32_t)x->dims[1] * (uint32_t)x->dims[2];
    struct reduce_plan r = { .shader = INTEGER_SHADER(x, "reduce_int8"),
                             .op = REDUCE_SUM,
                             .integers = true,
                             .is_signed = x->type == kTfLiteInt8,
                             .average = true,
                             .args = { .rows = pixels,
                                       .multiplier = (int32_t)pixels,
                                       .low = range.low,
                                       .high = range.high } };

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    for (int g = 0; g < REDUCE_GROUPS; g++)
        r.args.kept_size[g] = r.args.reduced_size[g] = 1;
    r.args.kept_size[REDUCE_GROUPS - 1] = p->plan->tensors[dst].rows;
    r.args.kept_stride[REDUCE_GROUPS - 1] = pixels;
    r.args.reduced_size[REDUCE_GROUPS - 1] = pixels;
    r.args.reduced_stride[REDUCE_GROUPS - 1] = 1;
    return reduce_plan(p, n, &r, src, dst);
}

const struct gpu_exact exact_reduce = { accept_mean, NULL };
