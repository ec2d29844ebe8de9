/* Elementwise ops of one input, of any shape:
 *
 *     RELU  y = max(x, 0)    RELU6  y = min(max(x, 0), 6)    EXP  y = e^x
 *     LOGISTIC  y = 1 / (1 + e^-x)    HARD_SWISH  y = x * min(max(x + 3, 0), 6) / 6
 *
 * f32; LOGISTIC f16 too.  NaN stays NaN, and HARD_SWISH(-inf) is NaN.  i8 and, but for EXP, u8:
 * RELU, RELU6 and HARD_SWISH requantize in fixed point; EXP and LOGISTIC are computed in f32 for
 * each integer; the output of LOGISTIC has the scale 1/256 and the least zero point.
 *
 * Meaning: tflite/kernels/activations.cc, tflite/kernels/exp.cc; of HARD_SWISH in 8 bits
 * tflite/kernels/internal/reference/hard_swish.h */
#include "reference/base/fixed_point16.h"
#include "reference/kernels/quantized.h"
#include "reference/kernels/table16.h"

#include <math.h>

static double relu(double x)
{
    return ref_activation(kTfLiteActRelu, x);
}

static double relu6(double x)
{
    return ref_activation(kTfLiteActRelu6, x);
}

/* Where e^-x overflows the quotient is 0; the true value is below 1e-308. */
static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* Of -inf it is -inf * 0: NaN. */
static double hard_swish(double x)
{
    return x * fmin(fmax(x + 3, 0), 6) / 6;
}

static float exp_single(float x)
{
    return expf(x);
}

static float logistic_single(float x)
{
    return 1 / (1 + expf(-x));
}

struct quantized {
    double in_scale, out_scale;
    int32_t in_zero, out_zero;
    /* From steps of the input to steps of the output; of HARD_SWISH from 1/128 of a step. */
    struct fixed_multiplier m;
    struct fixed_multiplier gate; /* HARD_SWISH: from 1/128 of a step to 3 / 2^15 */
    struct fixed_range range;
};

/* x, less the zero point, in steps of the output. */
static int32_t clamp_fixed(const struct quantized *q, int32_t x)
{
    return fixed_multiply(x, q->m);
}

/* HARD_SWISH in 16 bits: x in 1/128 of a step, times its gate (x + 3) / 6, clamped to [0, 1], in
 * Q0.15. x / 3 is made of x by a shift to the left, a product and another shift, each of which
 * saturates: so it is clamped to [-1, 1). */
static int32_t hard_swish_fixed(const struct quantized *q, int32_t x)
{
    const int16_t fine = (int16_t)(128 * x),
                  output = fixed16_mul_high(fine, fixed16_mantissa(q->m.q));
    const int e = q->gate.e;
    int32_t gate = fine;

    if (e > 0) /* beyond 15 bits all but 0 saturate */
        gate = fixed16_saturate(gate * (1 << (e > 15 ? 15 : e - 1)));
    gate = fixed16_mul_high((int16_t)gate, fixed16_mantissa(q->gate.q));
    if (e > 0)
        gate = fixed16_saturate(2 * gate);
    else
        gate = fixed16_rounding_shift_right((int16_t)gate, -e);
    gate = (gate + (1 << 15)) >> 1;
    return fixed16_rounding_shift_right((int16_t)(gate * output / (1 << 15)), -q->m.e);
}

static const struct member {
    int32_t code;
    double (*real)(double x);
    /* Quantized tensors: in f32, or in fixed point. */
    float (*single)(float x);
    int32_t (*fixed)(const struct quantized *q, int32_t x);
    uint32_t types;
    TfLiteFusedActivation act; /* the op is this clamp; kTfLiteActNone: it is none */
} members[] = {
    { BUILTIN_RELU, relu, NULL, clamp_fixed, REF_TYPE(Float32) | REF_TYPES_QUANTIZED,
      kTfLiteActRelu },
    { BUILTIN_RELU6, relu6, NULL, clamp_fixed, REF_TYPE(Float32) | REF_TYPES_QUANTIZED,
      kTfLiteActRelu6 },
    { BUILTIN_EXP, exp, exp_single, NULL, REF_TYPE(Float32) | REF_TYPE(Int8), kTfLiteActNone },
    { BUILTIN_LOGISTIC, logistic, logistic_single, NULL, REF_TYPES_FLOAT | REF_TYPES_QUANTIZED,
      kTfLiteActNone },
    { BUILTIN_HARD_SWISH, hard_swish, NULL, hard_swish_fixed, REF_TYPE(Float32) | REF_TYPES_8BIT,
      kTfLiteActNone },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

/* The scales are divided in f32, as by the runtime.  The kernel shifts HARD_SWISH to the right
 * only. */
static enum status read_hard_swish(const struct ref_call *call, struct diag *diag,
                                   struct quantized *q)
{
    const float fine = (float)q->in_scale / 128;

    TRY(ref_check_multiplier(call, diag, "input scale / 128 / output scale",
                             fine / (float)q->out_scale, &q->m));
    if (q->m.e > 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "output 0 (output): scale %g, expected more than %g, the input's / 128",
                        q->out_scale, (double)fine);
    return ref_check_multiplier(call, diag, "input scale / 128 / (3 / 32768)",
                                fine / (3.0f / 32768), &q->gate);
}

static enum status read_quantized(const struct ref_call *call, struct diag *diag,
                                  struct quantized *q)
{
    *q = (struct quantized){
        .in_scale = ref_scale(call->in[0]),
        .out_scale = ref_scale(call->out[0]),
        .in_zero = ref_zero_point(call->in[0]),
        .out_zero = ref_zero_point(call->out[0]),
    };
    TRY(ref_check_range(call, diag, 0, member_of(call)->act, &q->range));
    if (member_of(call)->single)
        return STATUS_OK;
    if (call->op->code == BUILTIN_HARD_SWISH)
        return read_hard_swish(call, diag, q);
    /* The runtime divides in f32. */
    return ref_check_multiplier(call, diag, "input scale / output scale",
                                (float)q->in_scale / (float)q->out_scale, &q->m);
}

static enum status check_quantized(const struct ref_call *call, struct diag *diag)
{
    struct quantized q;

    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    TRY(read_quantized(call, diag, &q));
    TRY(ref_check_symmetric(call, diag));
    if (call->in[0]->type == kTfLiteInt16) {
        if (call->op->code == BUILTIN_LOGISTIC && q.out_scale != 1. / 32768)
            return ref_fail(call, diag, STATUS_INVALID,
                            "output 0 (output): scale %g, expected 1/32768", q.out_scale);
        return STATUS_OK;
    }
    if (call->op->code == BUILTIN_LOGISTIC &&
        (q.out_scale != 1. / 256 || q.out_zero != q.range.low))
        return ref_fail(call, diag, STATUS_INVALID,
                        "output 0 (output): scale %g and zero point %d, expected 1/256 and %d",
                        q.out_scale, q.out_zero, q.range.low);
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "input", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (ref_is_steps(call->in[0]->type))
        TRY(check_quantized(call, diag));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static void eval_quantized(struct ref_call *call, const struct quantized *q, size_t i)
{
    const struct member *m = member_of(call);
    const int32_t x = (int32_t)ref_load_int(call->in[0], i) - q->in_zero;
    const double real = q->in_scale * x, y = m->real(real) / q->out_scale + q->out_zero;
    double magnitude = fabs(real);
    int64_t result;

    if (m->single && call->in[0]->type == kTfLiteInt16) {
        result = sigmoid16_logistic(sigmoid16_of(q->in_scale), x);
    } else if (m->single) {
        const float steps = m->single((float)q->in_scale * (float)x) * (1 / (float)q->out_scale);

        result = fixed_round((double)(roundf(steps) + (float)q->out_zero));
    } else {
        magnitude = m->act ? fabs(y - q->out_zero) : magnitude / q->out_scale;
        result = (int64_t)q->out_zero + m->fixed(q, x);
    }
    ref_store_quant(call, 0, i, q->range, result, y, magnitude, 1);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);
    const size_t count = ref_elements(call->in[0]);
    const bool quantized = ref_is_steps(call->in[0]->type);
    struct quantized q;

    if (quantized) {
        TRY(read_quantized(call, diag, &q));
        for (size_t i = 0; i < count; i++)
            eval_quantized(call, &q, i);
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const double x = ref_load(call->in[0], i), y = m->real(x);

        /* The error depends on |x|; clamps have none. */
        ref_store(call, 0, i, y, m->act ? fabs(y) : fabs(x), 1);
    }
    return STATUS_OK;
}

#define MEMBER REF_RUN(prepare, eval)

static const struct ref_op ops[] = {
    { REF_OP("relu", RELU, 3, 0), MEMBER },
    { REF_OP("relu6", RELU6, 3, 0), MEMBER },
    { REF_OP("exp", EXP, 2, OPTIONS_ExpOptions), MEMBER },
    { REF_OP("logistic", LOGISTIC, 3, 0), MEMBER },
    { REF_OP("hard_swish", HARD_SWISH, 1, OPTIONS_HardSwishOptions), MEMBER },
};

const struct ref_family ref_unary = { ops, sizeof ops / sizeof ops[0] };
