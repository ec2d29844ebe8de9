/* DEQUANTIZE of an f16 constant: nothing to compute, its consumers read the constant. */
#include "delegate/gpu_op.h"

static bool accept_dequantize(struct check *c)
{
    if (!check_counts(c, 1, 1, 1))
        return false;
    if (c->graph->tensors[c->node->outputs[0]].half_source < 0)
        return refuse(c, "dequantize.f16_constant", c->node->inputs[0], "type and data",
                      "this version computes float models", "an f16 constant to f32", "%s",
                      c->node->inputs[0] < 0
                          ? "absent"
                          : runtime_type_name(c->graph->tensors[c->node->inputs[0]].type));
    return true;
}

static enum status plan_dequantize(struct planner *p, const struct graph_node *n)
{
    (void)p;
    (void)n;
    return STATUS_OK;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_DEQUANTIZE,
      .max_version = 9,
      .accept = accept_dequantize,
      .plan = plan_dequantize },
};
const struct gpu_family gpu_dequantize = { ops, sizeof ops / sizeof ops[0] };
