/* TANH, GELU, ABS and other elementwise ops of one input: the output has the input's shape and
 * type. */
#include "delegate/ops/elementwise/elementwise.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/elementwise/elementwise.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"
#include "reference/base/op_facts.h"
#include "tensorflow/lite/c/builtin_op_data.h"

uint32_t elementwise_op(const struct graph *g, const struct graph_node *n)
{
    if (n->op->variant == ELEMENTWISE_GELU && ((const TfLiteGeluParams *)n->params)->approximate)
        return ELEMENTWISE_GELU_TANH;
    if (n->op->variant == ELEMENTWISE_LOG && graph_input(g, n, 0)->float_view_of != kTfLiteNoType)
        return ELEMENTWISE_LOG_STEPS;
    return n->op->variant;
}

float elementwise_alpha(const struct graph_node *n)
{
    return n->op->code == BUILTIN_LEAKY_RELU ? ((const TfLiteLeakyReluParams *)n->params)->alpha
                                             : 0;
}

/* The types that an op has beside those of check_input. */
static unsigned types_of(uint32_t variant)
{
    switch (variant) {
    case ELEMENTWISE_ABS:
    case ELEMENTWISE_NEG:
    case ELEMENTWISE_SIGN: return CHECK_VALUES | CHECK_I32;
    case ELEMENTWISE_LOGICAL_NOT: return CHECK_BOOL;
    default: return CHECK_VALUES;
    }
}

/* The runtime has a kernel for 8-bit tensors of this type, and for no input below 0 of a root. */
static bool check_bytes(struct check *c)
{
    const struct op_facts *facts = op_facts_find(c->node->code);
    const int tensor = c->node->inputs[0];
    const struct graph_tensor *x = &c->graph->tensors[tensor];
    const bool is_signed = x->type == kTfLiteInt8;

    if (!graph_is_8bit(x))
        return true;
    if ((is_signed ? facts->i8 : facts->u8) == OP_NONE)
        return refuse(c, RULE_TENSOR_TYPE, tensor, "type", "dequantize the tensor before this node",
                      facts->i8 != OP_NONE ? "f32 or i8" : "f32", "%s", is_signed ? "i8" : "u8");
    if ((c->node->op->variant != ELEMENTWISE_SQRT && c->node->op->variant != ELEMENTWISE_RSQRT) ||
        x->quant.zero_point[0] == (is_signed ? INT8_MIN : 0))
        return true;
    return refuse(c, RULE_QUANT_POSITIVE, tensor, "zero point",
                  "quantize the input to a range that begins at 0", is_signed ? "-128" : "0", "%d",
                  x->quant.zero_point[0]);
}

static bool accept_elementwise(struct check *c)
{
    const unsigned types = types_of(c->node->op->variant);

    return check_counts(c, 1, 1, 1) && check_computed_data(c, 0, 0, GRAPH_MAX_RANK, types) &&
           check_data_output(c, 0, 0, GRAPH_MAX_RANK, types) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) &&
           check_bytes(c) && check_same_shape(c, RULE_UNARY_OUTPUT_SHAPE) &&
           (c->node->op->params_bytes == 0 || check_params(c));
}

static enum status plan_elementwise(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct elementwise_args args;
    struct plan_step *s;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("elementwise")), n, WORKGROUP,
                     1, 1);
    if (!s)
        return STATUS_NO_MEMORY;
    args.alpha = elementwise_alpha(n);
    args.count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices;
    step_spec(s, ELEMENTWISE_SPEC_OP, elementwise_op(p->graph, n));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_in_place(s, 1);
    return step_items(p, s, args.count);
}

/* A clamp of a constant. */
static void fold_clamp(const struct graph *g, const struct graph_node *n, float *values)
{
    for (size_t i = 0; i < graph_output(g, n, 0)->elements; i++)
        values[i] = gpu_op_activate(n->op->as_activation, graph_constant_float(g, n->inputs[0], i));
}

#define ELEMENTWISE(code_, version, variant_, ...)                                                 \
    {                                                                                              \
        .code = BUILTIN_##code_, .max_version = (version), .variant = ELEMENTWISE_##variant_,      \
        .accept = accept_elementwise, .plan = plan_elementwise, .exact = &exact_elementwise,       \
        .link = 1 + CHAIN_ELEMENTWISE + ELEMENTWISE_##variant_, __VA_ARGS__                        \
    }
static const struct gpu_op ops[] = {
    ELEMENTWISE(TANH, 3, TANH, .magnitude = 1, .shorts = true),
    ELEMENTWISE(GELU, 3, GELU, .params_bytes = sizeof(TfLiteGeluParams)),
    ELEMENTWISE(ELU, 1, ELU, .params_bytes = 0),
    ELEMENTWISE(LEAKY_RELU, 2, LEAKY_RELU, .params_bytes = sizeof(TfLiteLeakyReluParams)),
    ELEMENTWISE(RELU_N1_TO_1, 1, RELU_N1, .as_activation = kTfLiteActReluN1To1, .fold = fold_clamp),
    ELEMENTWISE(RELU_0_TO_1, 1, RELU_01, .magnitude = 1),
    ELEMENTWISE(ABS, 5, ABS, .within_inputs = true),
    ELEMENTWISE(NEG, 1, NEG, .within_inputs = true),
    ELEMENTWISE(SQRT, 2, SQRT, .params_bytes = 0),
    ELEMENTWISE(RSQRT, 3, RSQRT, .shorts = true),
    ELEMENTWISE(SQUARE, 1, SQUARE, .params_bytes = 0),
    ELEMENTWISE(LOG, 2, LOG, .params_bytes = 0),
    ELEMENTWISE(SIN, 2, SIN, .params_bytes = 0),
    ELEMENTWISE(COS, 2, COS, .params_bytes = 0),
    ELEMENTWISE(FLOOR, 1, FLOOR, .params_bytes = 0),
    ELEMENTWISE(CEIL, 1, CEIL, .params_bytes = 0),
    ELEMENTWISE(ROUND, 1, ROUND, .params_bytes = 0),
    ELEMENTWISE(SIGN, 2, SIGN, .params_bytes = 0),
    ELEMENTWISE(LOGICAL_NOT, 1, LOGICAL_NOT, .params_bytes = 0),
};
const struct gpu_family gpu_elementwise = { ops, sizeof ops / sizeof ops[0] };
