/* PRELU: alpha, constant or computed, is broadcast to the shape of x, which is the output's. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/binary.h"
#include "delegate/ops/int8/exact.h"

#include <string.h>

static bool accept_prelu(struct check *c)
{
    const struct graph_tensor *x, *y;

    if (!binary_accept(c) || !check_computed_input(c, 0, 0, GRAPH_MAX_RANK))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (x->rank != y->rank || memcmp(x->dims, y->dims, (size_t)x->rank * sizeof x->dims[0]) != 0)
        return refuse(c, RULE_PRELU_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                      "the model is malformed", "the input's", "rank %d", y->rank);
    return true;
}

static enum status plan_prelu(struct planner *p, const struct graph_node *n)
{
    return binary_plan(p, n, BINARY_PRELU, 0);
}

/* Slopes of 1. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    return binary_operand_is(g, n, 1, 1) ? 0 : -1;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_PRELU,
      .max_version = 1,
      .variant = BINARY_PRELU,
      .exact = &exact_binary,
      .accept = accept_prelu,
      .plan = plan_prelu,
      .fold = binary_fold,
      .kept_input = kept_input },
};
const struct gpu_family gpu_prelu = { ops, sizeof ops / sizeof ops[0] };
