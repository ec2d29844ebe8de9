/* QUANTIZE and DEQUANTIZE.  Readers of a dequantized constant read the constant.  In floats both
 * ops are views: f16 tensors are loaded into the storage type, and in float view (float_view.h)
 * 8-bit tensors hold reals.  With integers (dequantize_int8.c) both are computed. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/dequantize_int8.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"

/* The shape stays, and the input is computed. */
static bool check_shape(struct check *c)
{
    if (!check_same_shape(c, RULE_DEQUANTIZE_OUTPUT_SHAPE))
        return false;
    return !graph_is_constant(c->graph, c->node->inputs[0]) ||
           refuse(c, RULE_DEQUANTIZE_OUTPUT_SHAPE, c->node->inputs[0], "data",
                  "the result is a constant: fold it when the model is converted",
                  "an input that is computed at run time", "a constant");
}

/* i16 has no float view. */
static bool has_integers(const struct check *c, const struct graph_tensor *t)
{
    return graph_is_8bit(t) || (graph_has_steps(t) && c->options->quantized == QUANTIZED_EXACT);
}

static bool accept_dequantize(struct check *c)
{
    const struct graph_tensor *x, *y;

    if (!check_counts(c, 1, 1, 1))
        return false;
    if (c->graph->tensors[c->node->outputs[0]].dequantized_from >= 0)
        return true;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (!x || !(x->type == kTfLiteFloat16 || has_integers(c, x)) || y->type != kTfLiteFloat32)
        return refuse(c, RULE_DEQUANTIZE_TYPES, c->node->inputs[0], "type",
                      "with quantized=exact the delegate takes i16, too", "f16, i8 or u8 to f32",
                      "%s to %s", x ? runtime_type_name(x->type) : "absent",
                      runtime_type_name(y->type));
    return check_shape(c) && (x->type == kTfLiteFloat16 || check_scales(c, c->node->inputs[0]));
}

/* The CPU kernels convert i16 to i8, but no 8-bit type to i16. */
static bool is_quantize(const struct check *c, const struct graph_tensor *x,
                        const struct graph_tensor *y)
{
    if (!has_integers(c, y))
        return false;
    if (x->type == kTfLiteInt16)
        return has_integers(c, x) && y->type != kTfLiteUInt8;
    return x->type == kTfLiteFloat32 || (graph_is_8bit(x) && graph_is_8bit(y));
}

static bool accept_quantize(struct check *c)
{
    const struct graph_tensor *x, *y;

    if (!check_counts(c, 1, 1, 1))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (!x || !is_quantize(c, x, y))
        return refuse(c, RULE_QUANTIZE_TYPES, c->node->inputs[0], "type",
                      "with quantized=exact the delegate takes some of i16, too",
                      "f32, i8 or u8 to i8 or u8; quantized=exact: f32 to i16, i16 to i16 or i8",
                      "%s to %s", x ? runtime_type_name(x->type) : "absent",
                      runtime_type_name(y->type));
    return check_shape(c) && check_scales(c, c->node->outputs[0]) &&
           (x->type == kTfLiteFloat32 || check_scales(c, c->node->inputs[0]));
}

static enum status plan_view(struct planner *p, const struct graph_node *n)
{
    if (graph_is_constant(p->graph, n->outputs[0]))
        return STATUS_OK;
    return planner_view(p, n->outputs[0], planner_tensor(p, n->inputs[0])) < 0 ? STATUS_NO_MEMORY
                                                                               : STATUS_OK;
}

static const struct gpu_op ops[] = {
    { GPU_OP(DEQUANTIZE, 9), .dequantizes = true, .exact = &exact_dequantize,
      .accept = accept_dequantize, .plan = plan_view },
    { GPU_OP(QUANTIZE, 6), .quantizes = true, .exact = &exact_dequantize, .accept = accept_quantize,
      .plan = plan_view, .kept_input = quantize_kept_input },
};
const struct gpu_family gpu_dequantize = { ops, sizeof ops / sizeof ops[0] };
