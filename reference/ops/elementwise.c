/* More elementwise ops of one input, of any shape (RELU, EXP and others are in unary.c):
 *
 *     TANH    GELU  x * P(X <= x), or with tanh    ELU  x < 0 ? e^x - 1 : x
 *     LEAKY_RELU  x > 0 ? x : alpha * x    RELU_N1_TO_1, RELU_0_TO_1  clamps
 *     ABS    NEG    SQRT    RSQRT  1 / sqrt(x)    SQUARE    LOG    SIN    COS
 *     FLOOR    CEIL    ROUND  to the nearest integer, ties to even    SIGN  -1, 0, 1
 *     LOGICAL_NOT
 *
 * Which types each has is in the table below.  NaN stays NaN.  8-bit tensors: clamps, LEAKY_RELU,
 * ABS and NEG requantize in fixed point, RSQRT has a fixed-point formula of its own, the others are
 * computed in f32 for each integer (reference/QUANTIZATION.md).  TANH and RSQRT of i16 have tables.
 *
 * Meaning: tflite/kernels/activations.cc, elementwise.cc, floor.cc, ceil.cc, round.cc, sign.cc; of
 * NEG in 8 bits, where the runtime is wrong, float64 (conformance/doc/TOLERANCES.md 9). */
#include "reference/kernels/quantized.h"
#include "reference/kernels/table16.h"

#include <math.h>

/* ---- real numbers ---- */

#define REAL(name, expression)                                                                     \
    static double name(const void *params, double x)                                               \
    {                                                                                              \
        (void)params;                                                                              \
        return expression;                                                                         \
    }

static const double sqrt_half = 0.70710678118654752440, sqrt_two_by_pi = 0.79788456080286535588;

REAL(real_tanh, tanh(x))
REAL(real_elu, x < 0 ? expm1(x) : x)
REAL(real_relu_n1, ref_activation(kTfLiteActReluN1To1, x))
REAL(real_relu_01, x<0 ? 0 : x> 1 ? 1 : x)
REAL(real_abs, fabs(x))
REAL(real_neg, -x)
REAL(real_sqrt, sqrt(x))
REAL(real_rsqrt, 1 / sqrt(x))
REAL(real_square, x *x)
REAL(real_log, log(x))
REAL(real_sin, sin(x))
REAL(real_cos, cos(x))
REAL(real_floor, floor(x))
REAL(real_ceil, ceil(x))
/* The default rounding mode: ties to even. */
REAL(real_round, nearbyint(x))
REAL(real_sign, x > 0 ? 1 : x < 0 ? -1 : x)

/* x * erfc(-x / sqrt 2) / 2 keeps its digits where the result is small. */
static double real_gelu(const void *params, double x)
{
    if (((const TfLiteGeluParams *)params)->approximate)
        return x / 2 * (1 + tanh(sqrt_two_by_pi * (x + 0.044715 * x * x * x)));
    return x / 2 * erfc(-x * sqrt_half);
}

static double real_leaky_relu(const void *params, double x)
{
    return x > 0 ? x : x * (double)((const TfLiteLeakyReluParams *)params)->alpha;
}

/* ---- f32, for the integers of quantized tensors ---- */

#define SINGLE(name, expression)                                                                   \
    static float name(const void *params, float x)                                                 \
    {                                                                                              \
        (void)params;                                                                              \
        return expression;                                                                         \
    }

SINGLE(single_tanh, tanhf(x))
SINGLE(single_elu, x < 0 ? expm1f(x) : x)
/* Of what is not positive the result is the least that the output has. */
SINGLE(single_log, x > 0 ? logf(x) : -INFINITY)

static float single_gelu(const void *params, float x)
{
    if (((const TfLiteGeluParams *)params)->approximate)
        return 0.5f * x * (1 + tanhf((float)sqrt_two_by_pi * (x + 0.044715f * x * x * x)));
    return 0.5f * x * erfcf(x * -(float)sqrt_half);
}

/* ---- fixed point ---- */

/* RSQRT: the bits behind the point of 1 / sqrt of an integer; the least exponent of a factor. */
enum { FRACTION_BITS = 20, EXPONENT_MIN = -31 };

struct quantized {
    float in_scale, out_scale;
    int32_t in_zero, out_zero;
    struct fixed_multiplier m;     /* from steps of the input to steps of the output */
    struct fixed_multiplier alpha; /* LEAKY_RELU: the same for |alpha * x| */
    bool alpha_negative;
    struct fixed_range range;
    struct sigmoid16 sigmoid; /* i16: of TANH, and of the others the table of the op */
    int16_t table[TABLE16];
};

/* Results less the output's zero point; x less the input's. */

static int32_t fixed_clamp_op(const struct quantized *q, int32_t x)
{
    return fixed_multiply(x, q->m);
}

static int32_t fixed_leaky_relu(const struct quantized *q, int32_t x)
{
    const int32_t scaled = x < 0 ? fixed_multiply(x, q->alpha) : 0;

    return x >= 0 ? fixed_multiply(x, q->m) : q->alpha_negative ? -scaled : scaled;
}

static int32_t fixed_abs(const struct quantized *q, int32_t x)
{
    const int32_t magnitude = x < 0 ? -x : x;

    return q->in_scale == q->out_scale ? magnitude : fixed_multiply(magnitude, q->m);
}

static int32_t fixed_neg(const struct quantized *q, int32_t x)
{
    return fixed_multiply(-x, q->m);
}

/* The runtime does not round to the nearest step: it rounds down. */
static int32_t fixed_sqrt(const struct quantized *q, int32_t x)
{
    const float steps = sqrtf(q->in_scale * (float)x) / q->out_scale;

    return (int32_t)fminf(floorf(steps), 512);
}

/* 1 / sqrt of an integer, with 20 bits of fraction, times 1 / (sqrt(in scale) * out scale). */
static int32_t fixed_rsqrt(const struct quantized *q, int32_t x)
{
    struct fixed_multiplier root, m = q->m;

    if (x == 0) /* infinite: the largest integer */
        return 512;
    root = fixed_inverse_sqrt(x);
    root.e += FRACTION_BITS;
    m.e -= FRACTION_BITS;
    return fixed_multiply(fixed_multiply(1, root), m);
}

/* ---- i16 ---- */

static float table_rsqrt(float x, float most)
{
    return x > 0 ? 1 / sqrtf(x) : most;
}

/* ---- i32 and bool ---- */

/* Of the least i32 the results of ABS and NEG wrap: it stays. */
static int64_t whole_abs(int64_t x)
{
    return x < 0 ? -x : x;
}

static int64_t whole_neg(int64_t x)
{
    return -x;
}

static int64_t whole_sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static int64_t whole_not(int64_t x)
{
    return x == 0;
}

/* ---- what the bounds of results depend on ---- */

static double of_one(double x, double y)
{
    (void)x;
    (void)y;
    return 1;
}

static double of_input(double x, double y)
{
    (void)y;
    return fabs(x);
}

static double of_result(double x, double y)
{
    (void)x;
    return fabs(y);
}

static double of_negative(double x, double y)
{
    (void)y;
    return x < 0;
}

/* SIN, COS: arguments up to 2^13 are reduced without an error, those beyond are rounded. */
static double of_angle(double x, double y)
{
    (void)y;
    return fabs(x) <= 0x1p13 ? 1 : fabs(x);
}

/* Up to pi / 4 no multiple of it is taken off, so that errors are relative to the angle. */
static double of_sine(double x, double y)
{
    return fabs(x) <= 0.78 ? fabs(x) : of_angle(x, y);
}

enum {
    F32 = REF_TYPE(Float32),
    FLOATS = REF_TYPES_FLOAT,
    I8 = REF_TYPE(Int8),
    I16 = REF_TYPE(Int16),
    BYTES = REF_TYPES_8BIT,
    I32 = REF_TYPE(Int32),
    BOOLS = REF_TYPE(Bool)
};

static const struct member {
    int32_t code;
    uint32_t types;
    double (*real)(const void *params, double x);
    double (*magnitude)(double x, double y);
    /* Quantized tensors: in f32, or in fixed point. */
    float (*single)(const void *params, float x);
    int32_t (*fixed)(const struct quantized *q, int32_t x);
    int64_t (*whole)(int64_t x); /* i32 and bool */
    bool positive;               /* a quantized input must not be below 0 */
} members[] = {
    { BUILTIN_TANH, FLOATS | BYTES | I16, real_tanh, of_one, single_tanh, NULL, NULL, false },
    { BUILTIN_GELU, FLOATS | BYTES, real_gelu, of_input, single_gelu, NULL, NULL, false },
    { BUILTIN_ELU, F32 | I8, real_elu, of_negative, single_elu, NULL, NULL, false },
    { BUILTIN_LEAKY_RELU, F32 | BYTES, real_leaky_relu, of_result, NULL, fixed_leaky_relu, NULL,
      false },
    { BUILTIN_RELU_N1_TO_1, F32 | BYTES, real_relu_n1, of_result, NULL, fixed_clamp_op, NULL,
      false },
    { BUILTIN_RELU_0_TO_1, F32 | BYTES, real_relu_01, of_result, NULL, fixed_clamp_op, NULL,
      false },
    { BUILTIN_ABS, F32 | I8 | I32, real_abs, of_result, NULL, fixed_abs, whole_abs, false },
    { BUILTIN_NEG, FLOATS | I8 | I32, real_neg, of_result, NULL, fixed_neg, whole_neg, false },
    { BUILTIN_SQRT, F32 | I8, real_sqrt, of_result, NULL, fixed_sqrt, NULL, true },
    { BUILTIN_RSQRT, F32 | I8 | I16, real_rsqrt, of_result, NULL, fixed_rsqrt, NULL, true },
    { BUILTIN_SQUARE, F32, real_square, of_result, NULL, NULL, NULL, false },
    { BUILTIN_LOG, F32 | I8, real_log, of_one, single_log, NULL, NULL, false },
    { BUILTIN_SIN, FLOATS, real_sin, of_sine, NULL, NULL, NULL, false },
    { BUILTIN_COS, FLOATS, real_cos, of_angle, NULL, NULL, NULL, false },
    { BUILTIN_FLOOR, FLOATS, real_floor, of_result, NULL, NULL, NULL, false },
    { BUILTIN_CEIL, F32, real_ceil, of_result, NULL, NULL, NULL, false },
    { BUILTIN_ROUND, FLOATS, real_round, of_result, NULL, NULL, NULL, false },
    { BUILTIN_SIGN, F32 | I32, real_sign, of_result, NULL, NULL, whole_sign, false },
    { BUILTIN_LOGICAL_NOT, BOOLS, NULL, NULL, NULL, NULL, whole_not, false },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

/* The factor of 1 / sqrt(x) for an integer x.  The kernel shifts by the bits of the fraction, too.
 */
static enum status read_rsqrt(const struct ref_call *call, struct diag *diag, struct quantized *q)
{
    const double factor = 1. / (double)(sqrtf(q->in_scale) * q->out_scale);

    TRY(ref_check_multiplier(call, diag, "1 / (sqrt(input scale) * output scale)", factor, &q->m));
    if (q->m.q == 0 || q->m.e - FRACTION_BITS < EXPONENT_MIN)
        return ref_fail(call, diag, STATUS_INVALID,
                        "1 / (sqrt(input scale) * output scale) is %g, expected at least 2^-12",
                        factor);
    return STATUS_OK;
}

/* The factor from steps of the input to steps of the output, which the runtime divides in f32. */
static enum status read_factor(const struct ref_call *call, struct diag *diag, struct quantized *q)
{
    const float plain = q->in_scale / q->out_scale;

    if (call->op->code == BUILTIN_RSQRT)
        return read_rsqrt(call, diag, q);
    TRY(ref_check_multiplier(call, diag, "input scale / output scale", plain, &q->m));
    if (call->op->code == BUILTIN_LEAKY_RELU) {
        const TfLiteLeakyReluParams *const p = call->params;
        const float slope = q->in_scale * p->alpha / q->out_scale;

        q->alpha_negative = slope < 0;
        return ref_check_multiplier(call, diag, "input scale * alpha / output scale", fabsf(slope),
                                    &q->alpha);
    }
    return STATUS_OK;
}

/* RELU_0_TO_1 begins where RELU does and ends where RELU_N1_TO_1 does. */
static enum status read_range(const struct ref_call *call, struct diag *diag, struct quantized *q)
{
    const int32_t code = call->op->code;
    struct fixed_range positive;

    if (code != BUILTIN_RELU_N1_TO_1 && code != BUILTIN_RELU_0_TO_1)
        return ref_check_range(call, diag, 0, kTfLiteActNone, &q->range);
    TRY(ref_check_range(call, diag, 0, kTfLiteActReluN1To1, &q->range));
    if (code == BUILTIN_RELU_0_TO_1) {
        TRY(ref_check_range(call, diag, 0, kTfLiteActRelu, &positive));
        q->range.low = positive.low;
    }
    return STATUS_OK;
}

static enum status read_quantized(const struct ref_call *call, struct diag *diag,
                                  struct quantized *q)
{
    *q = (struct quantized){
        .in_scale = (float)ref_scale(call->in[0]),
        .out_scale = (float)ref_scale(call->out[0]),
        .in_zero = ref_zero_point(call->in[0]),
        .out_zero = ref_zero_point(call->out[0]),
    };
    TRY(read_range(call, diag, q));
    if (call->in[0]->type == kTfLiteInt16) {
        q->sigmoid = sigmoid16_of((double)q->in_scale);
        if (call->op->code == BUILTIN_RSQRT)
            table16_fill_scaled(table_rsqrt, q->in_scale, q->out_scale, q->table);
        return STATUS_OK;
    }
    return member_of(call)->fixed ? read_factor(call, diag, q) : STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct quantized q;

    TRY(ref_check_in_types(call, diag, 0, "input", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    if (!ref_is_steps(call->in[0]->type))
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    TRY(ref_check_symmetric(call, diag));
    if (call->op->code == BUILTIN_TANH && call->in[0]->type == kTfLiteInt16 &&
        ref_scale(call->out[0]) != 1. / 32768)
        return ref_fail(call, diag, STATUS_INVALID, "output 0 (output): scale %g, expected 1/32768",
                        ref_scale(call->out[0]));
    return read_quantized(call, diag, &q);
}

static void eval_quantized(struct ref_call *call, const struct quantized *q, size_t i)
{
    const struct member *const m = member_of(call);
    const int32_t x = (int32_t)ref_load_int(call->in[0], i) - q->in_zero;
    const double scale = (double)q->out_scale, real = (double)q->in_scale * x,
                 y = m->real(call->params, real), steps = y / scale + q->out_zero;
    int64_t result;

    if (call->in[0]->type == kTfLiteInt16) {
        result = call->op->code == BUILTIN_TANH ? sigmoid16_tanh(q->sigmoid, x)
                                                : table16_look_up(q->table, x);
    } else if (m->single) {
        const float single = m->single(call->params, q->in_scale * (float)x) * (1 / q->out_scale);

        result = fixed_round((double)(roundf(single) + (float)q->out_zero));
    } else {
        result = (int64_t)q->out_zero + m->fixed(q, x);
    }
    /* LOG of what is below 0. */
    ref_store_quant(call, 0, i, q->range, result, isnan(steps) ? q->range.low : steps,
                    m->magnitude(real, isfinite(y) ? y : 0) / scale, 1);
}

static enum status eval_all_quantized(struct ref_call *call, struct diag *diag)
{
    const size_t count = ref_elements(call->in[0]);
    const bool positive = member_of(call)->positive;
    struct quantized q;

    TRY(read_quantized(call, diag, &q));
    for (size_t i = 0; i < count; i++) {
        const int64_t x = ref_load_int(call->in[0], i);

        if (positive && x < q.in_zero)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 0 (input): element %zu is %d, expected at least the zero point, "
                            "%d",
                            i, (int)x, q.in_zero);
        eval_quantized(call, &q, i);
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const struct member *const m = member_of(call);
    const TfLiteTensor *const in = call->in[0];
    const size_t count = ref_elements(in);

    if (ref_is_steps(in->type))
        return eval_all_quantized(call, diag);
    for (size_t i = 0; i < count; i++) {
        if (in->type == kTfLiteInt32 || in->type == kTfLiteBool) {
            ref_store_int(call, 0, i, m->whole(ref_load_int(in, i)));
        } else {
            const double x = ref_load(in, i), y = m->real(call->params, x);

            ref_store(call, 0, i, y, m->magnitude(x, y), 1);
        }
    }
    return STATUS_OK;
}

static void read_gelu(const struct options *options, void *params)
{
    ((TfLiteGeluParams *)params)->approximate = options_int(options, "approximate") != 0;
}

static void read_leaky_relu(const struct options *options, void *params)
{
    ((TfLiteLeakyReluParams *)params)->alpha = options_float(options, "alpha");
}

#define MEMBER REF_RUN(prepare, eval)

static const struct ref_op ops[] = {
    { REF_OP("tanh", TANH, 3, 0), MEMBER },
    { REF_OP("gelu", GELU, 3, OPTIONS_GeluOptions), REF_PARAMS(TfLiteGeluParams, read_gelu),
      MEMBER },
    { REF_OP("elu", ELU, 1, 0), MEMBER },
    { REF_OP("leaky_relu", LEAKY_RELU, 2, OPTIONS_LeakyReluOptions),
      REF_PARAMS(TfLiteLeakyReluParams, read_leaky_relu), MEMBER },
    { REF_OP("relu_n1_to_1", RELU_N1_TO_1, 1, 0), MEMBER },
    { REF_OP("relu_0_to_1", RELU_0_TO_1, 1, 0), MEMBER },
    { REF_OP("abs", ABS, 5, OPTIONS_AbsOptions), MEMBER },
    { REF_OP("neg", NEG, 1, OPTIONS_NegOptions), MEMBER },
    { REF_OP("sqrt", SQRT, 2, 0), MEMBER },
    { REF_OP("rsqrt", RSQRT, 3, 0), MEMBER },
    { REF_OP("square", SQUARE, 1, OPTIONS_SquareOptions), MEMBER },
    { REF_OP("log", LOG, 2, 0), MEMBER },
    { REF_OP("sin", SIN, 2, 0), MEMBER },
    { REF_OP("cos", COS, 2, OPTIONS_CosOptions), MEMBER },
    { REF_OP("floor", FLOOR, 1, 0), MEMBER },
    { REF_OP("ceil", CEIL, 1, 0), MEMBER },
    { REF_OP("round", ROUND, 1, 0), MEMBER },
    { REF_OP("sign", SIGN, 2, OPTIONS_SignOptions), MEMBER },
    { REF_OP("logical_not", LOGICAL_NOT, 1, OPTIONS_LogicalNotOptions), MEMBER },
};

const struct ref_family ref_elementwise = { ops, sizeof ops / sizeof ops[0] };
