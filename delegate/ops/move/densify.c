/* DENSIFY: its readers read the constant that the import has expanded, so there is nothing to
 * compute. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"

static bool accept_densify(struct check *c)
{
    const struct graph_tensor *x;

    if (!check_counts(c, 1, 1, 1))
        return false;
    x = graph_input(c->graph, c->node, 0);
    if (!x || (x->type != kTfLiteFloat32 && x->type != kTfLiteFloat16 && x->type != kTfLiteInt8))
        return refuse(c, RULE_TENSOR_TYPE, c->node->inputs[0], "type", "the model is malformed",
                      "f32, f16 or i8", "%s", x ? runtime_type_name(x->type) : "absent");
    return graph_is_constant(c->graph, c->node->outputs[0]) ||
           refuse(c, RULE_TENSOR_SPARSE, c->node->inputs[0], "sparsity", "the model is malformed",
                  "that of a constant, of the type and shape of the result",
                  "dense, or of another");
}

static enum status plan_nothing(struct planner *p, const struct graph_node *n)
{
    (void)p;
    (void)n;
    return STATUS_OK;
}

static const struct gpu_op ops[] = {
    { GPU_OP(DENSIFY, 1), .densifies = true, .exact = &gpu_exact_moves, .accept = accept_densify,
      .plan = plan_nothing },
};
const struct gpu_family gpu_densify = { ops, sizeof ops / sizeof ops[0] };
