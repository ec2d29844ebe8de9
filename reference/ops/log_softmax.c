/* LOG_SOFTMAX over the last axis.  x, y [..., C] f32, i8 or u8, of any rank.
 *
 *     y_i = x_i - log(sum_j exp(x_j))
 *
 * i8 and u8: y has the scale 1/16 and the greatest zero point; i8 in fixed point.
 * Meaning: tflite/kernels/activations.cc, tflite/kernels/internal/reference/log_softmax.h,
 * tflite/kernels/internal/reference/integer_ops/log_softmax.h, tflite/kernels/internal/common.h */
#include "reference/kernels/quantized.h"

#include <math.h>

/* Differences to the largest element become exponents in Q5.26, e^x is in Q0.31, and the sum of a
 * row in Q12.19. */
enum { EXPONENT_BITS = 26, SUM_BITS = 12, OUTPUT_SHIFT = 22 };

struct fixed {
    struct fixed_multiplier to_exponent, from_exponent;
    int32_t least; /* the runtime's diff_min: e^x counts as 0 below */
};

static enum status read_fixed(const struct ref_call *call, struct diag *diag, struct fixed *f)
{
    const double scale = ref_scale(call->in[0]);
    const double real = fmin(scale * ldexp(1, EXPONENT_BITS), INT32_MAX);

    if (!(real > 1))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input scale %g, expected more than 2^-26 and less than 32", scale);
    fixed_quantize_multiplier(real, &f->to_exponent); /* below 2^31 */
    fixed_quantize_multiplier(ldexp(1, 31 - f->to_exponent.e) / f->to_exponent.q,
                              &f->from_exponent);
    f->least = -(int32_t)floor(31 * ldexp(1, EXPONENT_BITS - f->to_exponent.e));
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *y;
    struct fixed f;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_8BIT, 0,
                           REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    if (!ref_is_8bit(call->in[0]->type))
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    y = call->out[0];
    if (ref_scale(y) != 1. / 16 || ref_zero_point(y) != ref_type_range(y->type).high)
        return ref_fail(call, diag, STATUS_INVALID,
                        "output 0 (output): scale %g and zero point %d, expected 1/16 and %d",
                        ref_scale(y), ref_zero_point(y), ref_type_range(y->type).high);
    return read_fixed(call, diag, &f);
}

static int leading_zeros(int32_t v)
{
    int n = 0;

    while (n < 32 && !((uint32_t)v >> (31 - n) & 1))
        n++;
    return n;
}

static int32_t shift_left(int32_t v, int n)
{
    return n < 0 ? fixed_rounding_shift_right(v, -n) : fixed_saturating_shift_left(v, n);
}

/* gemmlowp's RoundingHalfSum: ties away from zero. */
static int32_t half_sum(int32_t a, int32_t b)
{
    const int64_t sum = (int64_t)a + b;

    return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/* TensorFlow Lite's log_x_for_x_greater_than_or_equal_to_1: the logarithm of a sum in Q12.19, in
 * Q5.26.  The argument is 2^p times r near 2^-1/4, of two candidates for p the one with the smaller
 * r; log r is a rational function of it. */
static int32_t log_of_sum(int32_t sum)
{
    enum { ACCUM_BITS = 6 };
    static const int32_t log_2 = 1488522236, root_4_of_half = 1805811301, root_of_half = 1518500250,
                         quarter = 536870912, alpha_n = 117049297, alpha_d = 127690142,
                         alpha_i = 1057819769, alpha_f = 638450708;
    const int32_t shifted_quarter = fixed_rounding_shift_right(quarter, ACCUM_BITS);
    const int zeros = leading_zeros(sum);
    const int32_t ra = fixed_saturating_shift_left(
        fixed_mul_high(fixed_saturating_shift_left(sum, zeros - 1), root_of_half), 1);
    const int32_t pa = shift_left(SUM_BITS - zeros, 31 - ACCUM_BITS) + shifted_quarter;
    const int32_t b = fixed_mul_high(sum, root_of_half);
    const int zeros_b = leading_zeros(b) - 1;
    const int32_t rb = fixed_saturating_shift_left(sum, zeros_b);
    const int32_t pb = shift_left(SUM_BITS - zeros_b, 31 - ACCUM_BITS) - shifted_quarter;
    const int32_t r = ra < rb ? ra : rb, power = pa > pb ? pa : pb;
    const int32_t p = half_sum(r, root_4_of_half);
    const int32_t q = fixed_wrap(2 * ((int64_t)r - root_4_of_half));
    const int32_t square = fixed_mul_high(q, q);
    const int32_t num = fixed_mul_high(q, r) + fixed_mul_high(fixed_mul_high(q, square), alpha_n);
    const int32_t denominator = fixed_mul_high(p, alpha_i + q + fixed_mul_high(alpha_d, square)) +
                                fixed_mul_high(alpha_f, q);
    const int32_t quotient = fixed_mul_high(fixed_rounding_shift_right(num, ACCUM_BITS),
                                            fixed_one_over_one_plus(denominator));

    return fixed_saturating_shift_left(fixed_mul_high(power, log_2) + quotient, ACCUM_BITS - 5);
}

struct fixed_row {
    int32_t peak, log_sum, least;
};

static struct fixed_row read_row(const TfLiteTensor *x, const struct fixed *f, size_t first,
                                 size_t depth)
{
    struct fixed_row row = { .peak = INT32_MIN };
    int64_t least, sum = 0;

    for (size_t i = first; i < first + depth; i++)
        row.peak = ref_load_int(x, i) > row.peak ? (int32_t)ref_load_int(x, i) : row.peak;
    for (size_t i = first; i < first + depth; i++) {
        const int32_t d = (int32_t)ref_load_int(x, i) - row.peak;

        if (d >= f->least)
            sum +=
                fixed_rounding_shift_right(fixed_exp(fixed_multiply(d, f->to_exponent)), SUM_BITS);
    }
    /* From 4096 on the runtime's sum overflows, and what it gives is not defined. */
    row.log_sum = log_of_sum(sum < INT32_MAX ? (int32_t)sum : INT32_MAX);
    least = fixed_multiply(fixed_wrap((int64_t)row.log_sum + INT32_MIN), f->from_exponent);
    row.least = (int32_t)(least > f->least - 1 ? least : f->least - 1);
    return row;
}

static int64_t result_of(const TfLiteTensor *x, const struct fixed *f, const struct fixed_row *row,
                         struct fixed_range range, size_t i)
{
    const int32_t d = (int32_t)ref_load_int(x, i) - row->peak;

    if (d <= row->least)
        return range.low;
    return range.high + (int64_t)fixed_rounding_shift_right(
                            fixed_multiply(d, f->to_exponent) - row->log_sum, OUTPUT_SHIFT);
}

static double load(const TfLiteTensor *x, size_t i)
{
    return x->type == kTfLiteFloat32
               ? x->data.f[i]
               : ref_scale(x) * (double)(ref_load_int(x, i) - ref_zero_point(x));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const bool quantized = ref_is_8bit(x->type);
    const size_t depth = ref_rank(x) > 0 ? (size_t)ref_dim(x, ref_rank(x) - 1) : 1;
    struct fixed_row row = { 0 };
    struct fixed f;

    if (quantized)
        TRY(read_fixed(call, diag, &f));
    for (size_t at = 0; at < ref_elements(x); at += depth) {
        double peak = -INFINITY, sum = 0, weighted = 0;

        if (quantized)
            row = read_row(x, &f, at, depth);
        for (size_t i = at; i < at + depth; i++)
            peak = fmax(peak, load(x, i));
        for (size_t i = at; i < at + depth; i++) {
            const double distance = peak - load(x, i);

            sum += exp(-distance);
            /* Of -infinity it is 0, times infinity. */
            weighted += isinf(distance) ? 0 : exp(-distance) * distance;
        }
        for (size_t i = at; i < at + depth; i++) {
            const double distance = peak - load(x, i), r = -distance - log(sum);
            const double magnitude = 2 + sqrt((double)depth) + distance + weighted / sum + log(sum);

            if (quantized)
                ref_store_quant(call, 0, i, ref_type_range(y->type),
                                result_of(x, &f, &row, ref_type_range(y->type), i),
                                16 * r + ref_zero_point(y), 16 * magnitude, (double)depth);
            else
                ref_store(call, 0, i, r, magnitude, (double)depth);
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("log_softmax", LOG_SOFTMAX, 2, OPTIONS_LogSoftmaxOptions), REF_RUN(prepare, eval) },
};

const struct ref_family ref_log_softmax = { ops, sizeof ops / sizeof ops[0] };
