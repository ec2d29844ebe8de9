/* DEQUANTIZE of f16.  Of a constant there is nothing to compute: its readers read the constant.  Of
 * a tensor that is computed it is a view: f16 values have become the device's when they were loaded
 * or computed. */
#include "delegate/gpu_op.h"

#include <string.h>

static bool accept_dequantize(struct check *c)
{
    const struct graph_tensor *x, *y;
    bool same;

    if (!check_counts(c, 1, 1, 1))
        return false;
    if (c->graph->tensors[c->node->outputs[0]].half_source >= 0)
        return true;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (!x || x->type != kTfLiteFloat16 || y->type != kTfLiteFloat32)
        return refuse(c, RULE_DEQUANTIZE_F16, c->node->inputs[0], "type",
                      "this version computes float models", "f16 to f32", "%s to %s",
                      x ? runtime_type_name(x->type) : "absent", runtime_type_name(y->type));
    same = x->rank == y->rank && memcmp(x->dims, y->dims, (size_t)x->rank * sizeof x->dims[0]) == 0;
    if (!same || graph_is_constant(c->graph, c->node->inputs[0]))
        return refuse(c, RULE_DEQUANTIZE_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                      "the model is malformed", "the input's", "rank %d", y->rank);
    return true;
}

static enum status plan_dequantize(struct planner *p, const struct graph_node *n)
{
    if (graph_is_constant(p->graph, n->outputs[0]))
        return STATUS_OK;
    return planner_view(p, n->outputs[0], planner_tensor(p, n->inputs[0])) < 0 ? STATUS_NO_MEMORY
                                                                               : STATUS_OK;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_DEQUANTIZE,
      .max_version = 9,
      .accept = accept_dequantize,
      .plan = plan_dequantize },
};
const struct gpu_family gpu_dequantize = { ops, sizeof ops / sizeof ops[0] };
