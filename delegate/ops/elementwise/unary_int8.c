/* RELU, RELU6, LOGISTIC, EXP, HARD_SWISH of 8-bit tensors: a table of 256 results, computed on the
 * host.  RELU, RELU6, LOGISTIC of i16: one of 65536.  Meaning: reference/ops/unary.c */
#include "delegate/ops/elementwise/unary_int8.h"

#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "reference/base/fixed_point16.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* TensorFlow Lite divides in f32. */
static double multiplier_of(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->quant.scale[0] / graph_output(g, n, 0)->quant.scale[0];
}

/* HARD_SWISH: from 1/128 of a step of the input to a step of the output, and to 3 / 2^15, in which
 * x / 3 has 15 bits of fraction.  TensorFlow Lite divides these in f32, too. */
static double output_multiplier(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->quant.scale[0] / 128 / graph_output(g, n, 0)->quant.scale[0];
}

static double gate_multiplier(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->quant.scale[0] / 128 / (3.0f / 32768);
}

static bool accept_hard_swish(struct check *c)
{
    const int y = c->node->outputs[0];
    const double real = output_multiplier(c->graph, c->node);

    if (!check_multiplier(c, y, "input scale / 128 / output scale", real) ||
        !check_multiplier(c, c->node->inputs[0], "input scale * 256 / 3",
                          gate_multiplier(c->graph, c->node)))
        return false;
    return requantize_multiplier(real).e <= 0 ||
           refuse(c, RULE_QUANT_SCALE, y, "scale", "quantize the output again",
                  "more than the input's / 128", "%g, %g times the input's / 128",
                  tensor_scale(&c->graph->tensors[y]), 1 / real);
}

static bool accept_logistic(struct check *c)
{
    return check_unit_output(c, 0);
}

static bool accept_clamp(struct check *c)
{
    return check_activation_range(c, 0, (int)c->node->op->as_activation) &&
           check_multiplier(c, c->node->outputs[0], "input scale / output scale",
                            multiplier_of(c->graph, c->node));
}

/* The result for q, an integer of x less the zero point, before it is clamped. */
static int64_t clamp_result(const struct graph *g, const struct graph_node *n, int32_t q)
{
    return (int64_t)tensor_zero_point(graph_output(g, n, 0)) +
           fixed_multiply(q, requantize_multiplier(multiplier_of(g, n)));
}

/* In steps of the output. */
static int64_t rounded(const struct graph *g, const struct graph_node *n, float real)
{
    const struct graph_tensor *y = graph_output(g, n, 0);
    const float steps = real * (1 / y->quant.scale[0]);

    return fixed_round((double)(roundf(steps) + (float)tensor_zero_point(y)));
}

static int64_t exp_result(const struct graph *g, const struct graph_node *n, int32_t q)
{
    return rounded(g, n, expf(graph_input(g, n, 0)->quant.scale[0] * (float)q));
}

static int64_t logistic_result(const struct graph *g, const struct graph_node *n, int32_t q)
{
    return rounded(g, n, 1 / (1 + expf(-(graph_input(g, n, 0)->quant.scale[0] * (float)q))));
}

/* (x / 3 + 1) / 2, clamped to [0, 1), in Q0.15; x in 1/128 of a step. */
static int32_t hard_swish_gate(int16_t x, struct fixed_multiplier m)
{
    const int16_t mantissa = fixed16_mantissa(m.q);
    int16_t third;

    if (m.e <= 0) {
        third = fixed16_rounding_shift_right(fixed16_mul_high(x, mantissa), -m.e);
    } else {
        /* x is 0 or at least 128: after 15 bits to the left it is saturated. */
        const int left = m.e - 1 < 15 ? m.e - 1 : 15;

        third = fixed16_saturate(2 * fixed16_mul_high(fixed16_saturate(x * (1 << left)), mantissa));
    }
    return (third + 32768) >> 1;
}

static int64_t hard_swish_result(const struct graph *g, const struct graph_node *n, int32_t q)
{
    const struct fixed_multiplier m = requantize_multiplier(output_multiplier(g, n));
    const int16_t x = (int16_t)(q * 128);
    const int32_t gate = hard_swish_gate(x, requantize_multiplier(gate_multiplier(g, n)));
    const int32_t product = gate * fixed16_mul_high(x, fixed16_mantissa(m.q));

    return (int64_t)tensor_zero_point(graph_output(g, n, 0)) +
           fixed16_rounding_shift_right((int16_t)(product / 32768), -m.e);
}

/* ---- i16 ---- */

static double sigmoid_at(double i)
{
    return 65536 / (1 + exp(-i / 24));
}

/* Entry i of TensorFlow Lite's table, in units of 2^-16: moved by half of what linear interpolation
 * is off in the middle of the interval behind it; behind the last one there is none. */
static uint32_t sigmoid_entry(uint32_t i)
{
    const double between = (sigmoid_at(i) + sigmoid_at(i + 1.)) / 2;

    return i == 255 ? 65535 : (uint32_t)round(sigmoid_at(i) + (sigmoid_at(i + 0.5) - between) / 2);
}

/* The factor to units of 1/12288, with 14 to 15 bits, and the shift to the right of the product. */
static int32_t logistic_factor(double scale, int *shift)
{
    double factor = (double)((float)scale * 4096.0f * 3.0f);

    *shift = 0;
    if (scale == 0x1p-12 || scale == 0x1p-11)
        return (int32_t)(3 * scale * 4096);
    for (; factor <= 32767.0 / 2 && *shift <= 30; factor *= 2)
        ++*shift;
    return (int32_t)factor;
}

/* q in units of 1/12288. */
static int32_t table_place(const struct graph *g, const struct graph_node *n, int32_t q)
{
    int shift;
    const int32_t factor = logistic_factor(tensor_scale(graph_input(g, n, 0)), &shift);

    return fixed_wrap((int64_t)q * factor + (shift > 0 ? 1 << (shift - 1) : 0)) >> shift;
}

/* The sigmoid at the magnitude of a place, in units of 2^-(16 + bits), with 2^bits places between
 * two entries; `most` behind the last one. */
static uint32_t sigmoid_between(int32_t at, uint32_t bits, uint32_t most)
{
    const uint32_t size = at < 0 ? 0 - (uint32_t)at : (uint32_t)at, entry = size >> bits;

    return entry < 255
               ? (sigmoid_entry(entry) << bits) +
                     (size & ((1u << bits) - 1)) * (sigmoid_entry(entry + 1) - sigmoid_entry(entry))
               : most;
}

static uint32_t logistic_short(const struct graph *g, const struct graph_node *n, int32_t q,
                               uint32_t bits)
{
    const int32_t at = table_place(g, n, q);
    const uint32_t y = sigmoid_between(at, 9, 0x7fff << 10);

    (void)bits;
    return (at >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10;
}

/* 2 sigmoid(2 x) - 1. */
uint32_t tanh_short(const struct graph *g, const struct graph_node *n, int32_t q, uint32_t bits)
{
    const int32_t at = table_place(g, n, q);
    const int32_t y = (int32_t)sigmoid_between(at, 8, 0xffff << 8) - (1 << 23);

    (void)bits;
    return (uint32_t)((at >= 0 ? y + (1 << 7) : -y + (1 << 7) - 1) >> 8);
}

static uint32_t clamped_short(const struct graph *g, const struct graph_node *n, int32_t q,
                              uint32_t bits)
{
    (void)bits;
    return (uint32_t)fixed_clamp(
        clamp_result(g, n, q), requantize_range(graph_output(g, n, 0), (int)n->op->as_activation));
}

/* The functions that are no clamp; NULL: nothing to accept, and none of i16. */
static const struct function {
    int32_t code;
    bool (*accept)(struct check *c);
    int64_t (*result)(const struct graph *g, const struct graph_node *n, int32_t q);
    table_function *of_short;
} functions[] = {
    { BUILTIN_EXP, NULL, exp_result, NULL },
    { BUILTIN_LOGISTIC, accept_logistic, logistic_result, logistic_short },
    { BUILTIN_HARD_SWISH, accept_hard_swish, hard_swish_result, NULL },
};
static const struct function clamp = { 0, accept_clamp, clamp_result, clamped_short };

static const struct function *function_of(const struct graph_node *n)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (functions[i].code == n->code)
            return &functions[i];
    return &clamp;
}

static bool accept_unary(struct check *c)
{
    const struct function *f = function_of(c->node);

    return !f->accept || f->accept(c);
}

static enum status plan_unary(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const struct fixed_range range = requantize_range(y, (int)n->op->as_activation);
    const struct function *f = function_of(n);
    struct byte_table table;

    if (x->type == kTfLiteInt16)
        return table_plan(p, n, f->of_short);
    for (int byte = 0; byte < 256; byte++) {
        const int32_t q = bytes_value(x->type, byte) - tensor_zero_point(x);

        table.to[byte] = (uint8_t)fixed_clamp(f->result(p->graph, n, q), range);
    }
    return bytes_plan_table(p, n, &table, planner_tensor(p, n->inputs[0]),
                            planner_tensor(p, n->outputs[0]));
}

const struct gpu_exact exact_unary = { accept_unary, plan_unary };
