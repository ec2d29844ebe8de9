/* LOG_SOFTMAX of 8-bit tensors, in fixed point.
 * Meaning: reference/ops/log_softmax.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/reduce/softmax_int8.h"

static bool accept_log_softmax(struct check *c)
{
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    return check_output_steps(c, 1. / 16, 0, y->type == kTfLiteInt8 ? INT8_MAX : UINT8_MAX) &&
           check_exponents(c, 1);
}

static enum status plan_log_softmax(struct planner *p, const struct graph_node *n)
{
    return softmax_int8_plan(p, n, 1, true);
}

const struct gpu_exact exact_log_softmax = { accept_log_softmax, plan_log_softmax };
