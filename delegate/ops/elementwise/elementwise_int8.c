/* TANH, GELU, ABS and others of 8-bit tensors: a table of 256 results, computed on the host; TANH
 * and RSQRT of i16: one of 65536.
 * Meaning: reference/ops/elementwise.c */
#include "delegate/ops/elementwise/elementwise_op.args.h"
#include "delegate/ops/elementwise/unary_int8.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* Scales, parameters, and the factors that follow from them. */
struct unary {
    float in_scale, out_scale, alpha;
    bool approximate;
    struct fixed_multiplier m, below; /* below: of negative inputs of LEAKY_RELU */
};

enum { RSQRT_FRACTION_BITS = 20, BEYOND = 512 /* of any 8-bit integer */ };

/* ---- results in steps of the output, less its zero point, for x less the input's ---- */

static int32_t in_single(const struct unary *u, float y)
{
    return fixed_round((double)roundf(y * (1 / u->out_scale)));
}

static int32_t tanh_result(const struct unary *u, int32_t x)
{
    return in_single(u, tanhf(u->in_scale * (float)x));
}

static int32_t gelu_result(const struct unary *u, int32_t x)
{
    const float v = u->in_scale * (float)x;

    if (u->approximate)
        return in_single(u, 0.5f * v * (1.0f + tanhf(0.797884583f * (v + 0.044715f * v * v * v))));
    return in_single(u, 0.5f * v * erfcf(v * -0.707106769f));
}

static int32_t elu_result(const struct unary *u, int32_t x)
{
    const float v = u->in_scale * (float)x;

    return in_single(u, v < 0 ? expm1f(v) : v);
}

static int32_t log_result(const struct unary *u, int32_t x)
{
    return x > 0 ? in_single(u, logf(u->in_scale * (float)x)) : -BEYOND;
}

static int32_t clamp_result(const struct unary *u, int32_t x)
{
    return fixed_multiply(x, u->m);
}

static int32_t leaky_relu_result(const struct unary *u, int32_t x)
{
    if (x >= 0)
        return fixed_multiply(x, u->m);
    return u->alpha < 0 ? -fixed_multiply(x, u->below) : fixed_multiply(x, u->below);
}

static int32_t abs_result(const struct unary *u, int32_t x)
{
    if (x < 0)
        x = -x;
    return u->in_scale == u->out_scale ? x : fixed_multiply(x, u->m);
}

static int32_t neg_result(const struct unary *u, int32_t x)
{
    return fixed_multiply(-x, u->m);
}

/* Rounded down, as by the CPU's kernel. */
static int32_t sqrt_result(const struct unary *u, int32_t x)
{
    return (int32_t)fminf(floorf(sqrtf(u->in_scale * (float)x) / u->out_scale), BEYOND);
}

static int32_t rsqrt_result(const struct unary *u, int32_t x)
{
    const struct fixed_multiplier of_x = fixed_inverse_sqrt(x);
    const struct fixed_multiplier root = { of_x.q, of_x.e + RSQRT_FRACTION_BITS };
    const struct fixed_multiplier factor = { u->m.q, u->m.e - RSQRT_FRACTION_BITS };

    return x == 0 ? BEYOND : fixed_multiply(fixed_multiply(1, root), factor);
}

static const struct {
    int32_t (*result)(const struct unary *u, int32_t x);
    bool fixed; /* it uses factors, else f32 */
} rows[] = {
    [ELEMENTWISE_TANH] = { tanh_result, false },
    [ELEMENTWISE_GELU] = { gelu_result, false },
    [ELEMENTWISE_ELU] = { elu_result, false },
    [ELEMENTWISE_LEAKY_RELU] = { leaky_relu_result, true },
    [ELEMENTWISE_RELU_N1] = { clamp_result, true },
    [ELEMENTWISE_RELU_01] = { clamp_result, true },
    [ELEMENTWISE_ABS] = { abs_result, true },
    [ELEMENTWISE_NEG] = { neg_result, true },
    [ELEMENTWISE_SQRT] = { sqrt_result, false },
    [ELEMENTWISE_RSQRT] = { rsqrt_result, true },
    [ELEMENTWISE_LOG] = { log_result, false },
};

/* ---- i16 ---- */

enum { INTERVALS = 512 }; /* of TensorFlow Lite's table of RSQRT */

/* Of what is not positive the largest result; the CPU fails there, and a shader cannot. */
static float rsqrt_at(const struct unary *u, float x)
{
    return x > 0 ? 1 / sqrtf(x) : INT16_MAX * u->out_scale;
}

/* Moved by half of what linear interpolation is off in the middle of the interval behind it. */
static int32_t rsqrt_entry(const struct unary *u, int i)
{
    const float first = u->in_scale * INT16_MIN, last = u->in_scale * INT16_MAX;
    const float step = (last - first) / INTERVALS;
    const float units = 65536.0f / (u->out_scale * INT16_MAX - u->out_scale * INT16_MIN);
    const float x = first + (float)i * step;
    const float v = roundf(rsqrt_at(u, i < INTERVALS ? x : last) * units);
    const float next = rsqrt_at(u, first + (float)(i + 1) * step) * units;
    const float off = roundf((next + v) / 2) - roundf(rsqrt_at(u, x + step / 2) * units);

    return (int32_t)fminf(i < INTERVALS ? v - roundf(off / 2) : v, INT16_MAX);
}

static uint32_t rsqrt_short(const struct graph *g, const struct graph_node *n, int32_t q,
                            uint32_t bits)
{
    const struct unary u = { .in_scale = graph_input(g, n, 0)->quant.scale[0],
                             .out_scale = graph_output(g, n, 0)->quant.scale[0] };
    const int at = INTERVALS / 2 + (q >> 7);
    const int32_t entry = rsqrt_entry(&u, at);

    (void)bits;
    return (uint32_t)(entry + (((rsqrt_entry(&u, at + 1) - entry) * (q & 0x7f) + 64) >> 7));
}

/* ---- factors: TensorFlow Lite divides in f32 ---- */

static double plain_factor(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->quant.scale[0] / graph_output(g, n, 0)->quant.scale[0];
}

static double rsqrt_factor(const struct graph *g, const struct graph_node *n)
{
    return 1. / (double)(sqrtf(graph_input(g, n, 0)->quant.scale[0]) *
                         graph_output(g, n, 0)->quant.scale[0]);
}

static double factor_of(const struct graph *g, const struct graph_node *n)
{
    return n->op->variant == ELEMENTWISE_RSQRT ? rsqrt_factor(g, n) : plain_factor(g, n);
}

static float alpha_of(const struct graph_node *n)
{
    return n->op->variant == ELEMENTWISE_LEAKY_RELU
               ? ((const TfLiteLeakyReluParams *)n->params)->alpha
               : 0;
}

static double slope_of(const struct graph *g, const struct graph_node *n)
{
    return (double)fabsf(graph_input(g, n, 0)->quant.scale[0] * alpha_of(n) /
                         graph_output(g, n, 0)->quant.scale[0]);
}

/* The CPU's kernel shifts by the bits of the fraction, too. */
static bool accept_rsqrt(struct check *c, double factor)
{
    const int y = c->node->outputs[0];

    return factor >= 0x1p-12 ||
           refuse(c, RULE_QUANT_SCALE, y, "scale", "quantize the output again",
                  "1 / (sqrt(input scale) * output scale) of at least 2^-12", "%g, which gives %g",
                  tensor_scale(&c->graph->tensors[y]), factor);
}

static bool is_clamp(uint32_t variant)
{
    return variant == ELEMENTWISE_RELU_N1 || variant == ELEMENTWISE_RELU_01;
}

static bool accept_elementwise(struct check *c)
{
    const int y = c->node->outputs[0];
    const uint32_t variant = c->node->op->variant;
    double factor;

    if (graph_output(c->graph, c->node, 0)->type == kTfLiteInt16)
        return variant == ELEMENTWISE_RSQRT || check_unit_output(c, 0);
    if (!rows[variant].fixed)
        return true;
    factor = factor_of(c->graph, c->node);
    if (variant == ELEMENTWISE_RSQRT)
        return check_multiplier(c, y, "1 / (sqrt(input scale) * output scale)", factor) &&
               accept_rsqrt(c, factor);
    return (!is_clamp(variant) || check_activation_range(c, 0, kTfLiteActReluN1To1)) &&
           check_multiplier(c, y, "input scale / output scale", factor) &&
           check_multiplier(c, y, "input scale * alpha / output scale",
                            slope_of(c->graph, c->node));
}

static struct fixed_range range_of(const struct graph_tensor *y, uint32_t variant)
{
    struct fixed_range range;

    if (!is_clamp(variant))
        return requantize_range(y, kTfLiteActNone);
    range = requantize_range(y, kTfLiteActReluN1To1);
    if (variant == ELEMENTWISE_RELU_01)
        range.low = requantize_range(y, kTfLiteActRelu).low;
    return range;
}

static enum status plan_table(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const uint32_t variant = n->op->variant;
    const struct fixed_range range = range_of(y, variant);
    const struct unary u = {
        .in_scale = x->quant.scale[0],
        .out_scale = y->quant.scale[0],
        .alpha = alpha_of(n),
        .approximate =
            variant == ELEMENTWISE_GELU && ((const TfLiteGeluParams *)n->params)->approximate,
        .m = requantize_multiplier(factor_of(p->graph, n)),
        .below = requantize_multiplier(slope_of(p->graph, n)),
    };
    struct byte_table table;

    if (x->type == kTfLiteInt16)
        return table_plan(p, n, variant == ELEMENTWISE_TANH ? tanh_short : rsqrt_short);
    for (int byte = 0; byte < 256; byte++) {
        const int32_t q = bytes_value(x->type, byte) - tensor_zero_point(x);

        table.to[byte] = (uint8_t)fixed_clamp(
            (int64_t)tensor_zero_point(y) + rows[variant].result(&u, q), range);
    }
    return bytes_plan_table(p, n, &table, planner_tensor(p, n->inputs[0]),
                            planner_tensor(p, n->outputs[0]));
}

const struct gpu_exact exact_elementwise = { accept_elementwise, plan_table };
