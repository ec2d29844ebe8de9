/* ADD, MUL, SUB, MAXIMUM, MINIMUM of 8-bit and i16 tensors, PRELU, DIV, SQUARED_DIFFERENCE of 8-bit
 * ones.
 * Meaning: reference/ops/binary.c, prelu.c, arithmetic.c */
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/binary_int8.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* Bits that operands have to spare in 32 bits with a sign. */
enum { SUM_SHIFT = 20, SUM_SHIFT_16 = 15, DIFFERENCE_SHIFT = 7, SPARE_BITS = 23 };
enum { OF_A, OF_B, OF_Y, MULTIPLIERS };

/* Real multipliers of operand a, operand b and the result; 0 where the op has none.  TensorFlow
 * Lite computes those of MUL and PRELU in f32. */
struct multipliers {
    double real[MULTIPLIERS];
};

/* By how many bits ADD and SUB shift their operands to the left. */
static int sum_shift(const struct graph_tensor *y)
{
    return y->type == kTfLiteInt16 ? SUM_SHIFT_16 : SUM_SHIFT;
}

static struct multipliers multipliers_of(const struct graph *g, const struct graph_node *n)
{
    const double a = tensor_scale(graph_input(g, n, 0)), b = tensor_scale(graph_input(g, n, 1));
    const double y = tensor_scale(graph_output(g, n, 0)), twice = 2 * fmax(a, b);

    switch (n->code) {
    case BUILTIN_MUL: return (struct multipliers){ { 0, 0, (float)a * (float)b / (float)y } };
    case BUILTIN_DIV: return (struct multipliers){ { 0, 0, (float)a / ((float)b * (float)y) } };
    case BUILTIN_SQUARED_DIFFERENCE:
        return (struct multipliers){ { a / twice, b / twice,
                                       twice * twice / (ldexp(1, 2 * DIFFERENCE_SHIFT) * y) } };
    case BUILTIN_PRELU:
        return (struct multipliers){ { (float)a / (float)y, 0, (float)a * (float)b / (float)y } };
    default:
        return (struct multipliers){ { a / twice, b / twice,
                                       twice / (ldexp(1, sum_shift(graph_output(g, n, 0))) * y) } };
    }
}

/* With pot_scale_int16 and scales that are powers of two the CPU kernels shift instead. */
static bool check_pot(struct check *c)
{
    const struct graph_node *n = c->node;
    const bool pot = n->code == BUILTIN_ADD ? ((const TfLiteAddParams *)n->params)->pot_scale_int16
                     : n->code == BUILTIN_SUB
                         ? ((const TfLiteSubParams *)n->params)->pot_scale_int16
                         : false;
    const struct graph_tensor *const t[] = { graph_input(c->graph, n, 0),
                                             graph_input(c->graph, n, 1),
                                             graph_output(c->graph, n, 0) };
    int e;

    for (int i = 0; i < 3; i++)
        if (!pot || t[i]->type != kTfLiteInt16 || frexp(tensor_scale(t[i]), &e) != 0.5)
            return true;
    return refuse(c, RULE_QUANT_SCALE, n->outputs[0], "scale",
                  "convert without pot_scale_int16, or use other scales",
                  "no powers of two with pot_scale_int16", "%g", tensor_scale(t[2]));
}

static bool accept_binary(struct check *c)
{
    const int y = c->node->outputs[0];
    struct multipliers f;

    if (!check_per_tensor(c, c->node->inputs[0]) || !check_per_tensor(c, c->node->inputs[1]))
        return false;
    if (c->node->op->same_quant)
        return true;
    f = multipliers_of(c->graph, c->node);
    if (!check_pot(c) || !check_activation_range(c, 0, (int)gpu_op_activation(c->node)) ||
        !check_multiplier(c, y, "input scale / output scale", f.real[OF_A]) ||
        !check_multiplier(c, y, "input scales / output scale", f.real[OF_Y]))
        return false;
    /* TensorFlow Lite shifts the operands of ADD and SUB left by 20 bits, i16 by 15, and requires a
     * multiplier of their sum below 1. */
    if ((c->node->code == BUILTIN_ADD || c->node->code == BUILTIN_SUB) && f.real[OF_Y] >= 1) {
        const int shift = sum_shift(&c->graph->tensors[y]);

        return refuse(c, RULE_QUANT_SCALE, y, "input scale / output scale",
                      "quantize the output again", shift == SUM_SHIFT ? "below 2^19" : "below 2^14",
                      "%g", ldexp(f.real[OF_Y], shift - 1));
    }
    if (c->node->code == BUILTIN_SQUARED_DIFFERENCE && f.real[OF_Y] >= 1)
        return refuse(c, RULE_QUANT_SCALE, y, "square of the input scale / output scale",
                      "quantize the output again", "below 2^12", "%g",
                      ldexp(f.real[OF_Y], 2 * DIFFERENCE_SHIFT - 2));
    if (c->node->code == BUILTIN_DIV && requantize_multiplier(f.real[OF_Y]).e > SPARE_BITS)
        return refuse(c, RULE_QUANT_SCALE, y, "quotient of the input scales / output scale",
                      "quantize the output again", "below 2^23", "%g", f.real[OF_Y]);
    return true;
}

static enum status bind_operand(struct planner *p, struct plan_step *s, const struct graph_node *n,
                                int i)
{
    TRY(binary_bind_integers(p, s, n, i));
    if (!graph_is_constant(p->graph, n->inputs[i]) &&
        graph_input(p->graph, n, i)->elements == graph_output(p->graph, n, 0)->elements)
        step_in_place(s, i + 1); /* not broadcast */
    return STATUS_OK;
}

static void set_multipliers(struct binary_int8_args *args, const struct graph *g,
                            const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(g, n, 0);
    const struct fixed_range range = requantize_range(y, (int)gpu_op_activation(n));
    const struct multipliers f = multipliers_of(g, n);

    args->zero_a = tensor_zero_point(graph_input(g, n, 0));
    args->zero_b = tensor_zero_point(graph_input(g, n, 1));
    args->zero_y = tensor_zero_point(y);
    args->low = range.low - args->zero_y;
    args->high = range.high - args->zero_y;
    for (int i = 0; i < MULTIPLIERS; i++) {
        const struct fixed_multiplier m = requantize_multiplier(f.real[i]);

        args->multiplier[i] = m.q;
        args->shift[i] = m.e;
    }
}

static enum status plan_binary(struct planner *p, const struct graph_node *n)
{
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(
        p, INTEGER_SHADER(graph_output(p->graph, n, 0), "binary_int8"), n, WORKGROUP, 1, 1);
    struct binary_int8_args args = { .low = 0 };

    if (dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args.grid = binary_grid(p, n, dst);
    if (!n->op->same_quant)
        set_multipliers(&args, p->graph, n);
    step_write(p, s, 0, dst);
    TRY(bind_operand(p, s, n, 0));
    TRY(bind_operand(p, s, n, 1));
    binary_spec(p, s, n, dst, n->op->variant);
    step_spec(s, BINARY_INT8_SPEC_SIGNED, graph_output(p->graph, n, 0)->type == kTfLiteInt8);
    step_thawable(s, BINARY_SPEC_BROADCAST_A, BINARY_INT8_SPEC_SIGNED);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.grid.count);
}

const struct gpu_exact exact_binary = { accept_binary, plan_binary };
