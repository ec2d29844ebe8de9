/* RELU, RELU6, LOGISTIC, EXP of 8-bit tensors: a table of 256 results, computed on the host.
 * Meaning: reference/ops/unary.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* TensorFlow Lite divides in f32. */
static double multiplier_of(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->quant.scale[0] / graph_output(g, n, 0)->quant.scale[0];
}

static bool accept_unary(struct check *c)
{
    switch (c->node->code) {
    case BUILTIN_EXP: return true;
    case BUILTIN_LOGISTIC: return check_unit_output(c, 0);
    default:
        return check_activation_range(c, 0, (int)c->node->op->as_activation) &&
               check_multiplier(c, c->node->outputs[0], "input scale / output scale",
                                multiplier_of(c->graph, c->node));
    }
}

/* The result for q, an integer of x less the zero point, before it is clamped. */
static int64_t result_of(const struct graph_node *n, const struct graph_tensor *x,
                         const struct graph_tensor *y, struct fixed_multiplier m, int32_t q)
{
    const float real = x->quant.scale[0] * (float)q;
    float steps;

    if (n->op->as_activation != kTfLiteActNone)
        return (int64_t)tensor_zero_point(y) + fixed_multiply(q, m);
    steps = (n->code == BUILTIN_EXP ? expf(real) : 1 / (1 + expf(-real))) * (1 / y->quant.scale[0]);
    return fixed_round((double)(roundf(steps) + (float)tensor_zero_point(y)));
}

static enum status plan_unary(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const struct fixed_range range = requantize_range(y, (int)n->op->as_activation);
    const struct fixed_multiplier m = requantize_multiplier(multiplier_of(p->graph, n));
    struct byte_table table;

    for (int byte = 0; byte < 256; byte++) {
        const int32_t q = bytes_value(x->type, byte) - tensor_zero_point(x);

        table.to[byte] = (uint8_t)fixed_clamp(result_of(n, x, y, m, q), range);
    }
    return bytes_plan_table(p, n, &table, planner_tensor(p, n->inputs[0]),
                            planner_tensor(p, n->outputs[0]));
}

const struct gpu_exact exact_unary = { accept_unary, plan_unary };
