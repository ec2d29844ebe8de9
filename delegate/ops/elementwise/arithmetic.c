/* DIV, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, POW: computed by the shaders of binary. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/int8/exact.h"
#include "reference/base/op_facts.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static bool divides(const struct graph_node *n)
{
    return n->op->variant == BINARY_DIV || n->op->variant == BINARY_FLOOR_DIV ||
           n->op->variant == BINARY_FLOOR_MOD;
}

/* The CPU kernels fail for a divisor of 0 (floats: of FLOOR_DIV alone) and a negative exponent of
 * i32.  Constants are checked here; what is computed is not. */
static bool check_constant_b(struct check *c)
{
    const struct graph_node *n = c->node;
    const int tensor = n->inputs[1];
    const struct graph_tensor *b = graph_input(c->graph, n, 1);
    const bool is_float = b->type == kTfLiteFloat32 || b->type == kTfLiteFloat16;
    const bool positive = n->op->variant == BINARY_POW && !is_float;
    const int32_t zero = graph_is_8bit(b) ? b->quant.zero_point[0] : 0;

    if (!graph_is_constant(c->graph, tensor) ||
        (is_float ? n->op->variant != BINARY_FLOOR_DIV : !positive && !divides(n)))
        return true;
    for (size_t i = 0; i < b->elements; i++) {
        const double v = is_float ? (double)graph_constant_float(c->graph, tensor, i)
                                  : (double)(graph_constant_int(c->graph, tensor, i) - zero);

        if (positive ? v < 0 : v == 0)
            return refuse(c, RULE_ARITHMETIC_OPERAND, tensor, "data", "the CPU kernel fails, too",
                          positive ? "an exponent of 0 or more" : "a divisor other than 0",
                          "%g at element %zu", v, i);
    }
    return true;
}

/* The runtime has 8 bits of DIV, and i8 of SQUARED_DIFFERENCE. */
static bool check_bytes(struct check *c)
{
    const struct op_facts *facts = op_facts_find(c->node->code);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    if (!graph_is_8bit(y) || (y->type == kTfLiteInt8 ? facts->i8 : facts->u8) != OP_NONE)
        return true;
    return refuse(
        c, RULE_TENSOR_TYPE, c->node->outputs[0], "type", "cast the tensors around this node",
        facts->i8 == OP_NONE ? "f32 or i32" : "f32, i32 or i8", "%s", runtime_type_name(y->type));
}

static bool accept(struct check *c)
{
    if (c->node->op->params_bytes > 0 &&
        (!check_params(c) || !check_activation(c, (int)gpu_op_activation(c->node))))
        return false;
    return binary_accept_types(c, CHECK_VALUES | CHECK_I32, CHECK_VALUES | CHECK_I32) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) &&
           check_bytes(c) && check_constant_b(c);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return binary_plan(p, n, n->op->variant, (int)gpu_op_activation(n));
}

#define ARITHMETIC(code_, version, variant_, ...)                                                  \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (variant_), .accept = accept,        \
        .plan = plan, .link = 1 + CHAIN_BINARY + (variant_), .shape = binary_shape,                \
        .rounds_to_steps = true, __VA_ARGS__                                                       \
    }
static const struct gpu_op ops[] = {
    ARITHMETIC(BUILTIN_DIV, 2, BINARY_DIV, .exact = &exact_binary, GPU_ACTIVATION(TfLiteDivParams)),
    ARITHMETIC(BUILTIN_SQUARED_DIFFERENCE, 2, BINARY_SQUARED_DIFFERENCE, .exact = &exact_binary),
    ARITHMETIC(BUILTIN_FLOOR_DIV, 3, BINARY_FLOOR_DIV, .exact = NULL),
    ARITHMETIC(BUILTIN_FLOOR_MOD, 2, BINARY_FLOOR_MOD, .exact = NULL),
    ARITHMETIC(BUILTIN_POW, 1, BINARY_POW, .exact = NULL),
};
const struct gpu_family gpu_arithmetic = { ops, sizeof ops / sizeof ops[0] };
