/* PRELU: alpha, constant or computed, is broadcast to the shape of x, which is the output's. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/int8/exact.h"

static bool accept_prelu(struct check *c)
{
    return binary_accept(c) && check_computed_input(c, 0, 0, GRAPH_MAX_RANK) &&
           check_same_shape(c, RULE_PRELU_OUTPUT_SHAPE);
}

static enum status plan_prelu(struct planner *p, const struct graph_node *n)
{
    return binary_plan(p, n, BINARY_PRELU, 0);
}

/* Slopes of 1 leave the input as it is. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    return binary_operand_is(g, n, 1, 1) ? 0 : -1;
}

static const struct gpu_op ops[] = {
    { GPU_OP(PRELU, 1), .variant = BINARY_PRELU, .exact = &exact_binary, .accept = accept_prelu,
      .plan = plan_prelu, .link = 1 + CHAIN_BINARY + BINARY_PRELU, .fold = binary_fold,
      .kept_input = kept_input },
};
const struct gpu_family gpu_prelu = { ops, sizeof ops / sizeof ops[0] };
