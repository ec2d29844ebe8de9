/* LOG_SOFTMAX over the last dimension. */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/reduce/softmax.h"

static bool accept_log_softmax(struct check *c)
{
    return check_counts(c, 1, 1, 1) && check_rows(c);
}

static enum status plan_log_softmax(struct planner *p, const struct graph_node *n)
{
    return softmax_plan(p, n, SOFTMAX_LOG, 1);
}

static const struct gpu_op ops[] = {
    { GPU_OP(LOG_SOFTMAX, 2), .exact = &exact_log_softmax, .accept = accept_log_softmax,
      .plan = plan_log_softmax },
};
const struct gpu_family gpu_log_softmax = { ops, sizeof ops / sizeof ops[0] };
