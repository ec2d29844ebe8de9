/* ADD, MUL, SUB, MAXIMUM, MINIMUM. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise.h"
#include "delegate/ops/int8/exact.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* The fused activation; MAXIMUM and MINIMUM have no parameters. */
static bool has_params(const struct graph_node *n)
{
    return n->op->variant <= ELEMENTWISE_SUB;
}

static int activation_of(const struct graph_node *n)
{
    switch (n->op->variant) {
    case ELEMENTWISE_ADD: return (int)((const TfLiteAddParams *)n->params)->activation;
    case ELEMENTWISE_SUB: return (int)((const TfLiteSubParams *)n->params)->activation;
    case ELEMENTWISE_MUL: return (int)((const TfLiteMulParams *)n->params)->activation;
    default: return kTfLiteActNone;
    }
}

static bool accept_binary(struct check *c)
{
    if (!has_params(c->node))
        return elementwise_accept(c);
    return check_params(c) && check_activation(c, activation_of(c->node)) && elementwise_accept(c);
}

static enum status plan_binary(struct planner *p, const struct graph_node *n)
{
    return elementwise_plan(p, n, (enum elementwise_op)n->op->variant, activation_of(n));
}

#define BINARY(code_, version, variant_, half_, ...)                                               \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (variant_), .half = (half_),         \
        .rounds = true, .accept = accept_binary, .plan = plan_binary, .exact = &exact_binary,      \
        __VA_ARGS__                                                                                \
    }
static const struct gpu_op ops[] = {
    BINARY(BUILTIN_ADD, 6, ELEMENTWISE_ADD, true, GPU_ACTIVATION(TfLiteAddParams)),
    BINARY(BUILTIN_MUL, 8, ELEMENTWISE_MUL, true, GPU_ACTIVATION(TfLiteMulParams)),
    BINARY(BUILTIN_SUB, 5, ELEMENTWISE_SUB, false, GPU_ACTIVATION(TfLiteSubParams)),
    BINARY(BUILTIN_MAXIMUM, 4, ELEMENTWISE_MAXIMUM, true, .raw = true, .moves = true),
    BINARY(BUILTIN_MINIMUM, 4, ELEMENTWISE_MINIMUM, true, .raw = true, .moves = true),
};
const struct gpu_family gpu_binary = { ops, sizeof ops / sizeof ops[0] };
