/* Elementwise ops of two inputs that are rarer than those of binary.c:
 *
 *     DIV  y = act(a / b)                  SQUARED_DIFFERENCE  y = (a - b)^2
 *     FLOOR_DIV  y = floor(a / b)          FLOOR_MOD  y = a - b * floor(a / b), with the sign of b
 *     POW  y = a^b, as C's pow()
 *
 * a, b of any shapes that broadcast, as in binary.c.  Floats are rounded once.  DIV clamps
 * infinities to the largest numbers, as an activation does: 1 / 0 is the largest number, and 0 / 0
 * is NaN.  Integers without a scale wrap around; DIV of them truncates toward zero, FLOOR_DIV
 * rounds down.  A divisor of 0 is an error, but for floats of DIV and FLOOR_MOD, and so is a
 * negative exponent of integers.
 *
 * i8 and u8 are quantized in DIV, i8 in SQUARED_DIFFERENCE.  DIV multiplies by a reciprocal of 31
 * bits; where the quotient is less than half a step, the result is the zero point, although the
 * runtime's shift by more than 31 bits may give any integer (conformance/doc/TOLERANCES.md 9).
 * SQUARED_DIFFERENCE brings both operands, shifted to the left by 7 bits, to twice the larger of
 * their scales.  The runtime has FLOOR_DIV and FLOOR_MOD of i8 and i16, too, as integers without a
 * scale.
 * Meaning: tflite/kernels/{div,squared_difference,floor_div,floor_mod,pow}.cc */
#include "reference/kernels/quantized.h"

#include <math.h>

/* ---- floats ---- */

static double divide(double a, double b)
{
    return a / b;
}

static double square_difference(double a, double b)
{
    return (a - b) * (a - b);
}

static double divide_down(double a, double b)
{
    return floor(a / b);
}

static double modulo(double a, double b)
{
    const double r = fmod(a, b);

    return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

/* ---- integers; no divisor is 0 ---- */

static int64_t divide_int(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

/* -2^31 / -1 is the largest number of 32 bits. */
static int64_t divide_saturated(int64_t a, int64_t b)
{
    const int64_t q = divide_int(a, b);

    return q > INT32_MAX ? INT32_MAX : q;
}

static int64_t square_difference_int(int64_t a, int64_t b)
{
    const uint64_t d = (uint64_t)a - (uint64_t)b;

    return (int64_t)(d * d);
}

static int64_t modulo_int(int64_t a, int64_t b)
{
    const int64_t r = b == -1 ? 0 : a % b;

    return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

static int64_t divide_down_int(int64_t a, int64_t b)
{
    return divide_int(a, b) - (b != -1 && a % b != 0 && (a < 0) != (b < 0));
}

/* The low bits of the power. */
static int64_t power_int(int64_t a, int64_t b)
{
    uint64_t y = 1;

    for (uint64_t square = (uint64_t)a; b > 0; b >>= 1, square *= square)
        if (b & 1)
            y *= square;
    return (int64_t)y;
}

enum { NEEDS_NONE, NEEDS_NONZERO, NEEDS_POSITIVE };

static const struct member {
    int32_t code;
    double (*real)(double a, double b);
    int64_t (*whole)(int64_t a, int64_t b);
    uint32_t quantized, types; /* types: without a scale */
    int of_float, of_int;      /* what is required of elements of b */
} members[] = {
    { BUILTIN_DIV, divide, divide_saturated, REF_TYPES_8BIT, REF_TYPE(Float32) | REF_TYPE(Int32),
      NEEDS_NONE, NEEDS_NONZERO },
    { BUILTIN_SQUARED_DIFFERENCE, square_difference, square_difference_int, REF_TYPE(Int8),
      REF_TYPE(Float32) | REF_TYPE(Int32), NEEDS_NONE, NEEDS_NONE },
    { BUILTIN_FLOOR_DIV, divide_down, divide_down_int, 0,
      REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int16) | REF_TYPE(Int8), NEEDS_NONZERO,
      NEEDS_NONZERO },
    { BUILTIN_FLOOR_MOD, modulo, modulo_int, 0,
      REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int64) | REF_TYPE(Int16) | REF_TYPE(Int8),
      NEEDS_NONE, NEEDS_NONZERO },
    { BUILTIN_POW, pow, power_int, 0, REF_TYPE(Float32) | REF_TYPE(Int32), NEEDS_NONE,
      NEEDS_POSITIVE },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

static void div_read(const struct options *options, void *params)
{
    TfLiteDivParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

static TfLiteFusedActivation activation(const struct ref_call *call)
{
    return call->op->code == BUILTIN_DIV ? ((const TfLiteDivParams *)call->params)->activation
                                         : kTfLiteActNone;
}

/* ---- 8 bits ---- */

struct quantized {
    int32_t zero_a, zero_b, zero_y;
    struct fixed_multiplier a, b, y; /* DIV has that of the result only */
    struct fixed_range range;
    double exact_a, exact_b, scale_y;
};

enum {
    DIFFERENCE_SHIFT = 7,
    SPARE_BITS = 23 /* of 9-bit operands in 32 bits with a sign */
};

static enum status read_quantized(const struct ref_call *call, struct diag *diag,
                                  struct quantized *q)
{
    const double a = ref_scale(call->in[0]), b = ref_scale(call->in[1]);
    const double y = ref_scale(call->out[0]), twice = 2 * fmax(a, b);

    *q = (struct quantized){ .zero_a = ref_zero_point(call->in[0]),
                             .zero_b = ref_zero_point(call->in[1]),
                             .zero_y = ref_zero_point(call->out[0]),
                             .exact_a = a,
                             .exact_b = b,
                             .scale_y = y };
    TRY(ref_check_range(call, diag, 0, activation(call), &q->range));
    if (call->op->code == BUILTIN_DIV) { /* the runtime divides in f32 */
        TRY(ref_check_multiplier(call, diag, "scale of a / (scale of b * output scale)",
                                 (float)a / ((float)b * (float)y), &q->y));
        if (q->y.e > SPARE_BITS)
            return ref_fail(call, diag, STATUS_INVALID,
                            "output 0 (output): scale %g, expected more than 2^-23 times the "
                            "quotient of the input scales, %g",
                            y, a / b);
        return STATUS_OK;
    }
    /* Neither is above 1/2, so both fit. */
    fixed_quantize_multiplier(a / twice, &q->a);
    fixed_quantize_multiplier(b / twice, &q->b);
    if (twice * twice / y >= 1 << 2 * DIFFERENCE_SHIFT)
        return ref_fail(call, diag, STATUS_INVALID,
                        "output 0 (output): scale %g, expected more than 2^-12 times the square of "
                        "the larger input scale %g",
                        y, twice / 2);
    return ref_check_multiplier(call, diag, "square of the larger input scale / output scale",
                                twice * twice / (ldexp(1, 2 * DIFFERENCE_SHIFT) * y), &q->y);
}

static int leading_zeros(uint32_t x)
{
    int n = 0;

    for (uint32_t bit = UINT32_C(1) << 31; bit && !(x & bit); bit >>= 1)
        n++;
    return n;
}

/* 1 / x in [1/2, 1) with 31 bits: the runtime's Newton-Raphson in Q2.29, and the power of two by
 * which it has to be shifted to the right. */
static int32_t reciprocal(int32_t x, int *shift)
{
    const int zeros = leading_zeros((uint32_t)x);
    /* x / 2^(32 - zeros) in [1/2, 1), less 1/2, times 2: in [0, 1). */
    const uint32_t fraction = ((uint32_t)x << zeros) - (UINT32_C(1) << 31);

    *shift = 31 - zeros;
    return fixed_one_over_one_plus((int32_t)fraction);
}

/* round(x / 2^n), ties away from zero, for any n of 0 and more. */
static int32_t shift_right(int32_t x, int n)
{
    return n > 31 ? 0 : fixed_rounding_shift_right(x, n);
}

static int32_t divide_steps(const struct quantized *q, int32_t a, int32_t b)
{
    int32_t inverse, quotient;
    int shift, headroom;

    if (b < 0) {
        a = -a;
        b = -b;
    }
    inverse = reciprocal(b, &shift);
    if (a == 0)
        return 0;
    headroom = leading_zeros((uint32_t)(a < 0 ? -a : a)) - 1;
    quotient = fixed_mul_high(a * (1 << headroom), inverse);
    return shift_right(fixed_mul_high(quotient, q->y.q), shift + headroom - q->y.e);
}

static int32_t square_steps(const struct quantized *q, int32_t a, int32_t b)
{
    const int32_t d = fixed_multiply(a * (1 << DIFFERENCE_SHIFT), q->a) -
                      fixed_multiply(b * (1 << DIFFERENCE_SHIFT), q->b);

    return fixed_multiply(d * d, q->y);
}

static void eval_quantized(struct ref_call *call, const void *context, size_t at, const size_t *in)
{
    const struct quantized *q = context;
    const int32_t a = (int32_t)ref_load_int(call->in[0], in[0]) - q->zero_a;
    const int32_t b = (int32_t)ref_load_int(call->in[1], in[1]) - q->zero_b;
    const double real_a = a * q->exact_a, real_b = b * q->exact_b;
    double real, magnitude;
    int64_t steps;

    if (call->op->code == BUILTIN_DIV) {
        real = real_a / real_b / q->scale_y;
        magnitude = fabs(real);
        steps = divide_steps(q, a, b);
    } else {
        real = square_difference(real_a, real_b) / q->scale_y;
        /* An operand that is off by e moves the square by 2 |a - b| e. */
        magnitude = fabs(real_a - real_b) * (fabs(real_a) + fabs(real_b)) / q->scale_y;
        steps = square_steps(q, a, b);
    }
    ref_store_quant(call, 0, at, q->range, q->zero_y + steps, real + q->zero_y, magnitude, 1);
}

/* ---- all types ---- */

static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);
    struct quantized q;

    if (REF_TYPES_FLOAT >> call->in[0]->type & 1)
        return STATUS_OK;
    if (m->quantized >> call->in[0]->type & 1) {
        TRY(ref_check_scale_in(call, diag, 0, "a"));
        TRY(ref_check_scale_in(call, diag, 1, "b"));
        TRY(ref_check_scale_out(call, diag, 0));
        return read_quantized(call, diag, &q);
    }
    for (int i = 0; i < 2; i++) {
        if (ref_is_quantized(call->in[i]))
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input %d (%s): quantized %s, expected no scale", i, i == 0 ? "a" : "b",
                            runtime_type_name(call->in[i]->type));
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);

    TRY(ref_check_in_types(call, diag, 0, "a", m->types | m->quantized, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", call->in[0]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    TRY(check_scales(call, diag));
    TRY(ref_check_activation(call, diag, activation(call)));
    return ref_broadcast(call, diag, &call->out_shape[0]);
}

/* What the op requires of the elements of b. */
static enum status check_b(const struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);
    const TfLiteTensor *b = call->in[1];
    const bool is_float = REF_TYPES_FLOAT >> b->type & 1;
    const int needs = is_float ? m->of_float : m->of_int;
    const int64_t zero = m->quantized >> b->type & 1 ? ref_zero_point(b) : 0;

    for (size_t i = 0; needs != NEEDS_NONE && i < ref_elements(b); i++) {
        if (needs == NEEDS_NONZERO && (is_float ? ref_load(b, i) == 0 : ref_load_int(b, i) == zero))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (b): element %zu is 0, expected a divisor", i);
        if (needs == NEEDS_POSITIVE && ref_load_int(b, i) < 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (b): element %zu is %lld, expected an exponent of 0 or more",
                            i, (long long)ref_load_int(b, i));
    }
    return STATUS_OK;
}

static void eval_one(struct ref_call *call, const void *context, size_t at, const size_t *in)
{
    const TfLiteTensor *a = call->in[0], *b = call->in[1];
    const struct member *m = context;
    const TfLiteFusedActivation act = activation(call);

    if (REF_TYPES_FLOAT >> a->type & 1) {
        const double r = m->real(ref_load(a, in[0]), ref_load(b, in[1]));

        if (m->code == BUILTIN_DIV)
            ref_store_fused(call, 0, at, act, r, fabs(ref_activation(act, r)), 1);
        else
            ref_store(call, 0, at, r, fabs(r), 1);
        return;
    }
    ref_store_int(call, 0, at, m->whole(ref_load_int(a, in[0]), ref_load_int(b, in[1])));
    if (act != kTfLiteActNone)
        ref_store_int(call, 0, at, ref_activation_int(act, ref_load_int(call->out[0], at)));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);
    struct quantized q;

    TRY(check_b(call, diag));
    if (m->quantized >> call->in[0]->type & 1) {
        TRY(read_quantized(call, diag, &q));
        ref_broadcast_each(call, 2, eval_quantized, &q);
    } else {
        ref_broadcast_each(call, 2, eval_one, m);
    }
    return STATUS_OK;
}

#define MEMBER REF_RUN(prepare, eval)

static const struct ref_op ops[] = {
    { REF_OP("div", DIV, 2, OPTIONS_DivOptions), REF_PARAMS(TfLiteDivParams, div_read), MEMBER },
    { REF_OP("squared_difference", SQUARED_DIFFERENCE, 2, OPTIONS_SquaredDifferenceOptions),
      MEMBER },
    { REF_OP("floor_div", FLOOR_DIV, 3, OPTIONS_FloorDivOptions), MEMBER },
    { REF_OP("floor_mod", FLOOR_MOD, 2, OPTIONS_FloorModOptions), MEMBER },
    { REF_OP("pow", POW, 1, OPTIONS_PowOptions), MEMBER },
};

const struct ref_family ref_arithmetic = { ops, sizeof ops / sizeof ops[0] };
