/* RELU, RELU6, EXP, LOGISTIC, HARD_SWISH: the output has the input's shape. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/elementwise/unary.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"
#include "delegate/shaders/activation.args.h"
#include "delegate/shaders/count.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static bool accept_unary(struct check *c)
{
    return check_counts(c, 1, 1, 1) && check_computed_input(c, 0, 0, GRAPH_MAX_RANK) &&
           check_output(c, 0, 0, GRAPH_MAX_RANK) && check_same_shape(c, RULE_UNARY_OUTPUT_SHAPE);
}

static enum status plan_unary(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "unary", n, WORKGROUP, 1, 1);
    struct count_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices;
    step_spec(s, UNARY_SPEC_OP, n->op->variant);
    step_spec(s, UNARY_SPEC_ACTIVATION, (uint32_t)n->op->as_activation);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_in_place(s, 1);
    return step_items(p, s, args.count);
}

/* RELU and RELU6 of a constant. */
static void fold_activation(const struct graph *g, const struct graph_node *n, float *values)
{
    for (size_t i = 0; i < graph_output(g, n, 0)->elements; i++)
        values[i] = gpu_op_activate(n->op->as_activation, graph_constant_float(g, n->inputs[0], i));
}

static struct gpu_function function_of(const struct graph *g, const struct graph_node *n)
{
    const uint32_t activation = n->op->variant == UNARY_LOGISTIC     ? ACTIVATION_LOGISTIC
                                : n->op->variant == UNARY_HARD_SWISH ? ACTIVATION_HARD_SWISH
                                                                     : 0;

    (void)g;
    return (struct gpu_function){ activation, n->inputs[0], -1 };
}

/* op: what unary.comp computes.  link: what chain.comp does.  activation: kTfLiteActNone for an op
 * that is none. */
#define UNARY(code_, version, op, link_, activation)                                               \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (op), .accept = accept_unary,        \
        .plan = plan_unary, .exact = &exact_unary, .as_activation = (activation),                  \
        .shorts = (op) == UNARY_ACTIVATION || (op) == UNARY_LOGISTIC,                              \
        .fold = (activation) ? fold_activation : NULL, .function = function_of,                    \
        .magnitude = (op) == UNARY_LOGISTIC ? 1 : 0,                                               \
        .within_inputs = (op) == UNARY_ACTIVATION || (op) == UNARY_HARD_SWISH, .link = 1 + (link_) \
    }
static const struct gpu_op ops[] = {
    UNARY(BUILTIN_RELU, 3, UNARY_ACTIVATION, kTfLiteActRelu, kTfLiteActRelu),
    UNARY(BUILTIN_RELU6, 3, UNARY_ACTIVATION, kTfLiteActRelu6, kTfLiteActRelu6),
    UNARY(BUILTIN_EXP, 2, UNARY_EXP, CHAIN_EXP, kTfLiteActNone),
    UNARY(BUILTIN_LOGISTIC, 3, UNARY_LOGISTIC, ACTIVATION_LOGISTIC, kTfLiteActNone),
    UNARY(BUILTIN_HARD_SWISH, 1, UNARY_HARD_SWISH, ACTIVATION_HARD_SWISH, kTfLiteActNone),
};
const struct gpu_family gpu_unary = { ops, sizeof ops / sizeof ops[0] };
