/* L2_NORMALIZATION over the last dimension. */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/reduce/softmax.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static bool accept_l2_normalization(struct check *c)
{
    const TfLiteL2NormParams *params = c->node->params;

    if (!check_counts(c, 1, 1, 1) || !check_params(c) || !check_rows(c))
        return false;
    return params->activation == kTfLiteActNone ||
           refuse(c, RULE_PARAMS_ACTIVATION, -1, "activation", "make the activation a node",
                  "0 (none)", "%d", (int)params->activation);
}

static enum status plan_l2_normalization(struct planner *p, const struct graph_node *n)
{
    return softmax_plan(p, n, SOFTMAX_NORM, 1);
}

static const struct gpu_op ops[] = {
    { GPU_OP(L2_NORMALIZATION, 2), .exact = &exact_l2_normalization,
      .accept = accept_l2_normalization, .plan = plan_l2_normalization },
};
const struct gpu_family gpu_l2_normalization = { ops, sizeof ops / sizeof ops[0] };
