/* Elementwise ops of two inputs:
 *
 *     ADD  y = act(a + b)    SUB  y = act(a - b)    MUL  y = act(a * b)
 *     MAXIMUM  y = a > b ? a : b                    MINIMUM  y = a < b ? a : b
 *
 * a, b of any shapes that broadcast: aligned at the last dimension, each pair of dimensions is
 * equal or one of them is 1 (a missing one counts as 1); y has the other one (1 and 0 give 0).
 * Floats are rounded once, to f32 or f16; ADD, SUB and MUL clamp infinities to the largest numbers,
 * as an activation does.  Integers wrap around, as in the runtime, before the
 * activation.  Where one operand is NaN, MAXIMUM and MINIMUM give the second one.
 *
 * i8 and u8 are quantized, each tensor with its own scale.  ADD and SUB rescale both operands,
 * shifted to the left by 20 bits, to twice the larger of their scales, and the result to the
 * output's; MUL rescales the product.  MAXIMUM and MINIMUM compare the integers and need equal
 * scales.
 * Meaning: tflite/kernels/internal/reference/{add,sub,mul,maximum_minimum}.h */
#include "reference/kernels/quantized.h"

#include <math.h>

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The low bits of the result; unsigned arithmetic wraps around. */
static int64_t add_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t multiply_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t larger_int(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller_int(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static const struct member {
    int32_t code;
    double (*real)(double a, double b);
    int64_t (*whole)(int64_t a, int64_t b);
    uint32_t types;
} members[] = {
    { BUILTIN_ADD, add, add_int,
      REF_TYPES_FLOAT | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) },
    { BUILTIN_SUB, subtract, subtract_int,
      REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) },
    { BUILTIN_MUL, multiply, multiply_int,
      REF_TYPES_FLOAT | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) |
          REF_TYPE(UInt32) },
    { BUILTIN_MAXIMUM, larger, larger_int,
      REF_TYPES_FLOAT | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) },
    { BUILTIN_MINIMUM, smaller, smaller_int,
      REF_TYPES_FLOAT | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

static void add_read(const struct options *options, void *params)
{
    TfLiteAddParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->pot_scale_int16 = options_int(options, "pot_scale_int16") != 0;
}

static void sub_read(const struct options *options, void *params)
{
    TfLiteSubParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->pot_scale_int16 = options_int(options, "pot_scale_int16") != 0;
}

static void mul_read(const struct options *options, void *params)
{
    TfLiteMulParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

static TfLiteFusedActivation activation(const struct ref_call *call)
{
    switch (call->op->code) {
    case BUILTIN_ADD: return ((const TfLiteAddParams *)call->params)->activation;
    case BUILTIN_SUB: return ((const TfLiteSubParams *)call->params)->activation;
    case BUILTIN_MUL: return ((const TfLiteMulParams *)call->params)->activation;
    default: return kTfLiteActNone;
    }
}

/* Parameters of 8-bit arithmetic: multipliers of a, b (not for MUL) and of the result. */
struct quantized {
    int32_t zero_a, zero_b, zero_y;
    struct fixed_multiplier a, b, y;
    struct fixed_range range;
    double exact_a, exact_b, exact_y; /* steps of y in one of a, of b, of their product */
};

/* Bits that operands of a sum are shifted to the left. */
static int sum_shift(const struct ref_call *call)
{
    return call->in[0]->type == kTfLiteInt16 ? 15 : 20;
}

/* i16 has arithmetic with a scale, and without. */
static bool is_quantized(const struct ref_call *call)
{
    return ref_is_8bit(call->in[0]->type) ||
           (call->in[0]->type == kTfLiteInt16 && ref_is_quantized(call->in[0]));
}

static bool is_power_of_two(double scale)
{
    int e;

    return frexp(scale, &e) == 0.5;
}

/* With pot_scale_int16 and scales that are powers of two the runtime shifts instead. */
static enum status check_i16(const struct ref_call *call, struct diag *diag)
{
    const bool pot =
        call->op->code == BUILTIN_ADD   ? ((const TfLiteAddParams *)call->params)->pot_scale_int16
        : call->op->code == BUILTIN_SUB ? ((const TfLiteSubParams *)call->params)->pot_scale_int16
                                        : false;

    TRY(ref_check_symmetric(call, diag));
    if (ref_zero_point(call->in[1]) != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (b): zero point %d, expected 0 for i16",
                        ref_zero_point(call->in[1]));
    if (pot && is_power_of_two(ref_scale(call->in[0])) && is_power_of_two(ref_scale(call->in[1])) &&
        is_power_of_two(ref_scale(call->out[0])))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "pot_scale_int16 with scales that are powers of two, expected other "
                        "scales, or the option 0");
    return STATUS_OK;
}

static enum status read_quantized(const struct ref_call *call, struct diag *diag,
                                  struct quantized *q)
{
    const double a = ref_scale(call->in[0]), b = ref_scale(call->in[1]);
    const double y = ref_scale(call->out[0]), twice = 2 * fmax(a, b);

    *q = (struct quantized){
        .zero_a = ref_zero_point(call->in[0]),
        .zero_b = ref_zero_point(call->in[1]),
        .zero_y = ref_zero_point(call->out[0]),
        .exact_a = a / y,
        .exact_b = b / y,
        .exact_y = a * b / y,
    };
    TRY(ref_check_range(call, diag, 0, activation(call), &q->range));
    if (call->op->code == BUILTIN_MUL) /* the runtime multiplies and divides in f32 */
        return ref_check_multiplier(call, diag, "scale of a * scale of b / output scale",
                                    (float)a * (float)b / (float)y, &q->y);
    /* Neither is above 1/2, so both fit. */
    fixed_quantize_multiplier(a / twice, &q->a);
    fixed_quantize_multiplier(b / twice, &q->b);
    if (twice / y >= 1 << sum_shift(call))
        return ref_fail(
            call, diag, STATUS_INVALID,
            "output 0 (output): scale %g, expected more than 2^-%d times the larger input scale %g",
            y, sum_shift(call) - 1, twice / 2);
    return ref_check_multiplier(call, diag, "larger input scale / output scale",
                                twice / (ldexp(1, sum_shift(call)) * y), &q->y);
}

/* 8-bit arithmetic needs scales, that of wider integers has none; comparing needs equal scales. The
 * scale of a float tensor is ignored. */
static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    if (REF_TYPES_FLOAT >> call->in[0]->type & 1)
        return STATUS_OK;
    if (call->op->code == BUILTIN_MAXIMUM || call->op->code == BUILTIN_MINIMUM)
        return ref_check_same_scale(call, diag);
    if (is_quantized(call)) {
        struct quantized q;

        TRY(ref_check_scale_in(call, diag, 0, "a"));
        TRY(ref_check_scale_in(call, diag, 1, "b"));
        TRY(ref_check_scale_out(call, diag, 0));
        if (call->in[0]->type == kTfLiteInt16)
            TRY(check_i16(call, diag));
        return read_quantized(call, diag, &q);
    }
    for (int i = 0; i < 2; i++) {
        if (call->in[i]->quantization.type != kTfLiteNoQuantization)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input %d (%s): quantized %s, expected no scale", i, i == 0 ? "a" : "b",
                            runtime_type_name(call->in[i]->type));
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "a", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", call->in[0]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    TRY(check_scales(call, diag));
    TRY(ref_check_activation(call, diag, activation(call)));
    return ref_broadcast(call, diag, &call->out_shape[0]);
}

static void eval_quantized(struct ref_call *call, const struct quantized *q, size_t at, size_t ia,
                           size_t ib)
{
    const int32_t a = (int32_t)ref_load_int(call->in[0], ia) - q->zero_a;
    const int32_t b = (int32_t)ref_load_int(call->in[1], ib) - q->zero_b;
    double real, magnitude;
    int32_t steps;

    if (call->op->code == BUILTIN_MUL) {
        real = (double)a * b * q->exact_y;
        magnitude = fabs(real);
        steps = fixed_multiply(a * b, q->y);
    } else {
        const bool add_b = call->op->code == BUILTIN_ADD;
        const int32_t of_a = fixed_multiply(a * (1 << sum_shift(call)), q->a);
        const int32_t of_b = fixed_multiply(b * (1 << sum_shift(call)), q->b);

        real = a * q->exact_a + (add_b ? b : -b) * q->exact_b;
        magnitude = fabs(a * q->exact_a) + fabs(b * q->exact_b);
        steps = fixed_multiply(add_b ? of_a + of_b : of_a - of_b, q->y);
    }
    ref_store_quant(call, 0, at, q->range, (int64_t)q->zero_y + steps, real + q->zero_y, magnitude,
                    1);
}

static void eval_one(struct ref_call *call, size_t at, size_t ia, size_t ib)
{
    const TfLiteTensor *a = call->in[0], *b = call->in[1];
    const struct member *m = member_of(call);
    const TfLiteFusedActivation act = activation(call);

    if (REF_TYPES_FLOAT >> a->type & 1) {
        const double r = m->real(ref_load(a, ia), ref_load(b, ib));

        if (m->code == BUILTIN_MAXIMUM || m->code == BUILTIN_MINIMUM)
            ref_store(call, 0, at, r, fabs(r), 1);
        else
            ref_store_fused(call, 0, at, act, r, fabs(ref_activation(act, r)), 1);
        return;
    }
    ref_store_int(call, 0, at, m->whole(ref_load_int(a, ia), ref_load_int(b, ib)));
    /* The activation applies to the wrapped sum, as stored. */
    if (act != kTfLiteActNone)
        ref_store_int(call, 0, at, ref_activation_int(act, ref_load_int(call->out[0], at)));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *y = call->out[0];
    const int rank = ref_rank(y);
    size_t a_strides[REF_MAX_RANK], b_strides[REF_MAX_RANK], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };
    const bool quantized = is_quantized(call) && call->op->code != BUILTIN_MAXIMUM &&
                           call->op->code != BUILTIN_MINIMUM;
    struct quantized q;

    if (quantized)
        TRY(read_quantized(call, diag, &q));
    if (ref_elements(y) == 0)
        return STATUS_OK;
    ref_broadcast_strides(call->in[0], rank, a_strides);
    ref_broadcast_strides(call->in[1], rank, b_strides);
    do {
        size_t ia = 0, ib = 0;

        for (int d = 0; d < rank; d++) {
            ia += (size_t)index[d] * a_strides[d];
            ib += (size_t)index[d] * b_strides[d];
        }
        if (quantized)
            eval_quantized(call, &q, at++, ia, ib);
        else
            eval_one(call, at++, ia, ib);
    } while (ref_step(rank, y->dims->data, index));
    return STATUS_OK;
}

#define MEMBER REF_RUN(prepare, eval)

static const struct ref_op ops[] = {
    { REF_OP("add", ADD, 6, OPTIONS_AddOptions), REF_PARAMS(TfLiteAddParams, add_read), MEMBER },
    { REF_OP("sub", SUB, 5, OPTIONS_SubOptions), REF_PARAMS(TfLiteSubParams, sub_read), MEMBER },
    { REF_OP("mul", MUL, 8, OPTIONS_MulOptions), REF_PARAMS(TfLiteMulParams, mul_read), MEMBER,
      .folds = REF_FOLD_VALUES },
    { REF_OP("maximum", MAXIMUM, 4, OPTIONS_MaximumMinimumOptions), MEMBER },
    { REF_OP("minimum", MINIMUM, 4, OPTIONS_MaximumMinimumOptions), MEMBER },
};

const struct ref_family ref_binary = { ops, sizeof ops / sizeof ops[0] };
