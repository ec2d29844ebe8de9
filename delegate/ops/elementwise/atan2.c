/* ATAN2 of floats of one shape: computed by the shader of binary. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/chain.args.h"

static bool accept(struct check *c)
{
    const struct graph_tensor *y, *x;

    if (!binary_accept_types(c, CHECK_VALUES, CHECK_VALUES))
        return false;
    y = graph_input(c->graph, c->node, 0);
    x = graph_input(c->graph, c->node, 1);
    if (graph_has_steps(y))
        return refuse(c, RULE_TENSOR_TYPE, c->node->inputs[0], "type",
                      "cast the tensors around this node", "f32", "%s", runtime_type_name(y->type));
    if (y->rank != x->rank || y->elements != x->elements)
        return refuse(c, RULE_BINARY_BROADCAST, c->node->inputs[1], "dims",
                      "the CPU kernel refuses it, too", "the shape of input 0",
                      "rank %d, %zu elements", x->rank, x->elements);
    return true;
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return binary_plan(p, n, BINARY_ATAN2, kTfLiteActNone);
}

static const struct gpu_op ops[] = {
    { GPU_OP(ATAN2, 1), .magnitude = 3.1415929f, .accept = accept, .plan = plan,
      .link = 1 + CHAIN_BINARY + BINARY_ATAN2, .shape = binary_shape },
};
const struct gpu_family gpu_atan2 = { ops, sizeof ops / sizeof ops[0] };
