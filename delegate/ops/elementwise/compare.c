/* EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL of floats, i32, 8 bits and bool.
 * Meaning: reference/ops/compare.c */
#include "delegate/ops/elementwise/compare.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/compare.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"

/* The kernel compares operands in units of 1/256, rounded.  With quantized=float_view, where reals
 * are compared, the answers are the same if both have one scale of at least 1/256, and one zero
 * point. */
static bool check_reals(struct check *c)
{
    const struct graph_tensor *a = graph_input(c->graph, c->node, 0);
    const struct graph_tensor *b = graph_input(c->graph, c->node, 1);

    if (!graph_is_8bit(a) || c->options->quantized == QUANTIZED_EXACT ||
        (graph_same_quant(a, b) && tensor_scale(a) >= 1. / 256))
        return true;
    return refuse(c, RULE_COMPARE_QUANT, c->node->inputs[1], "scale, zero point",
                  "use quantized=exact", "those of input 0, and a scale of at least 1/256",
                  "%g, %d and %g, %d", tensor_scale(a), tensor_zero_point(a), tensor_scale(b),
                  tensor_zero_point(b));
}

static bool accept(struct check *c)
{
    const bool orders =
        c->node->op->variant != COMPARE_EQUAL && c->node->op->variant != COMPARE_NOT_EQUAL;

    return binary_accept_types(c, CHECK_VALUES | CHECK_I32 | (orders ? 0u : CHECK_BOOL),
                               CHECK_BOOL) &&
           check_reals(c);
}

/* The kernel shifts to the right only. */
static bool accept_exact(struct check *c)
{
    for (int i = 0; i < 2; i++) {
        const int tensor = c->node->inputs[i];
        const double scale = tensor_scale(&c->graph->tensors[tensor]);

        if (!check_per_tensor(c, tensor))
            return false;
        if (requantize_multiplier(scale).e > 0)
            return refuse(c, RULE_QUANT_SCALE, tensor, "scale", "quantize the operand again",
                          "less than 1", "%g", scale);
    }
    return true;
}

static enum status bind_floats(struct planner *p, struct plan_step *s, const struct graph_node *n,
                               uint32_t *constant)
{
    struct packed packed;

    for (int i = 0; i < 2; i++) {
        if (graph_is_constant(p->graph, n->inputs[i])) {
            TRY(planner_pack_tensor(p, n->inputs[i], &packed));
            step_constants(s, 3, &packed);
            *constant = (uint32_t)i + 1;
        } else {
            const int src = planner_tensor(p, n->inputs[i]);

            if (src < 0)
                return STATUS_NO_MEMORY;
            step_read(p, s, i + 1, src);
        }
    }
    return STATUS_OK;
}

static const char *shader_of(const struct graph_tensor *operand)
{
    switch (operand->type) {
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool: return "compare.byte";
    case kTfLiteInt32: return "compare.word";
    default: return "compare";
    }
}

enum status compare_plan(struct planner *p, const struct graph_node *n, uint32_t op)
{
    const struct graph_tensor *a = graph_input(p->graph, n, 0);
    const char *const shader = shader_of(a);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, shader, n, WORKGROUP, 1, 1);
    struct compare_args args = { .zero = { 0 } };
    uint32_t constant = 0;

    if (dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args.grid = binary_grid(p, n, dst);
    step_write(p, s, 0, dst);
    if (a->type == kTfLiteFloat32 || a->type == kTfLiteFloat16) {
        TRY(bind_floats(p, s, n, &constant));
    } else {
        TRY(binary_bind_integers(p, s, n, 0));
        TRY(binary_bind_integers(p, s, n, 1));
    }
    for (int i = 0; i < 2 && graph_is_8bit(a); i++) {
        const struct graph_tensor *t = graph_input(p->graph, n, i);
        const struct fixed_multiplier m = requantize_multiplier(tensor_scale(t));

        args.zero[i] = tensor_zero_point(t);
        args.multiplier[i] = m.q;
        args.shift[i] = m.e;
    }
    binary_spec(p, s, n, dst, op);
    step_spec(s, COMPARE_SPEC_CONSTANT, constant);
    step_spec(s, COMPARE_SPEC_SIGNED, a->type == kTfLiteInt8);
    step_spec(s, COMPARE_SPEC_SCALED, graph_is_8bit(a));
    step_thawable(s, BINARY_SPEC_OP, COMPARE_SPEC_SCALED);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.grid.count);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return compare_plan(p, n, n->op->variant);
}

static const struct gpu_exact exact = { accept_exact, NULL };

#define COMPARE(code_, version, variant_)                                                          \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (variant_), .accept = accept,        \
        .plan = plan, .shape = binary_shape, .exact = &exact                                       \
    }
static const struct gpu_op ops[] = {
    COMPARE(BUILTIN_EQUAL, 4, COMPARE_EQUAL),
    COMPARE(BUILTIN_NOT_EQUAL, 3, COMPARE_NOT_EQUAL),
    COMPARE(BUILTIN_GREATER, 2, COMPARE_GREATER),
    COMPARE(BUILTIN_GREATER_EQUAL, 3, COMPARE_GREATER_EQUAL),
    COMPARE(BUILTIN_LESS, 3, COMPARE_LESS),
    COMPARE(BUILTIN_LESS_EQUAL, 2, COMPARE_LESS_EQUAL),
};
const struct gpu_family gpu_compare = { ops, sizeof ops / sizeof ops[0] };
