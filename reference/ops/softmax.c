/* SOFTMAX over the last axis.  x, y [..., C] f32, f16, or i8, u8, i16; or x i8, u8 and y i16; beta
 * scales before exp.
 *
 *     y_i = exp(beta*x_i) / sum_j exp(beta*x_j)
 *
 * i8 and u8 are computed in fixed point; y has the scale 1/256, as i16 1/65536, and the least zero
 * point.  i16 is computed with tables.
 * Meaning: tflite/kernels/internal/reference/softmax.h */
#include "reference/kernels/quantized.h"
#include "reference/kernels/table16.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteSoftmaxParams *p = params;

    p->beta = options_float(options, "beta");
}

/* Fixed point: differences to the largest element become exponents in Q5.26, e^x is in Q0.31, and
 * the sum of a row in Q12.19. */
enum { EXPONENT_BITS = 26, SUM_SHIFT = 12, FRACTION_BITS = 31 };
/* With results of i16 every channel may count as 1, and the sum must not pass Q12.19. */
enum { CHANNELS_MAX_16 = 4095 };

struct fixed {
    struct fixed_multiplier to_exponent; /* from a difference of integers to Q5.26 */
    int32_t least;                       /* the runtime's diff_min: e^x counts as 0 below */
};

static enum status read_fixed(const struct ref_call *call, struct diag *diag, struct fixed *f)
{
    const TfLiteSoftmaxParams *p = call->params;
    const double beta = p->beta, scale = ref_scale(call->in[0]);
    const double real = fmin(beta * scale * ldexp(1, EXPONENT_BITS), INT32_MAX);

    if (!(real > 1))
        return ref_fail(call, diag, STATUS_INVALID,
                        "beta %g times the input scale %g, expected more than 2^-26", beta, scale);
    fixed_quantize_multiplier(real, &f->to_exponent); /* below 2^31 */
    /* Exponents in Q5.26 reach down to -31. */
    f->least = -(int32_t)floor(31 * ldexp(1, EXPONENT_BITS - f->to_exponent.e));
    return STATUS_OK;
}

/* ---- i16: tables ---- */

static double one_over_one_plus(double x)
{
    return 1 / (1 + x);
}

static const struct fixed_range i16_range = { INT16_MIN, INT16_MAX };

/* What a row of i16 needs: both tables, and the factor from a difference to 10/65535. */
struct wide {
    int16_t exponential[TABLE16], reciprocal[TABLE16];
    struct fixed_multiplier to_index;
};

static enum status read_wide(const struct ref_call *call, struct diag *diag, struct wide *w)
{
    const TfLiteSoftmaxParams *p = call->params;
    const double real = ref_scale(call->in[0]) * (double)p->beta / (10.0 / 65535.0);

    table16_fill(exp, -10, 0, w->exponential);
    table16_fill(one_over_one_plus, 0, 1, w->reciprocal);
    return ref_check_multiplier(call, diag, "beta * input scale / (10 / 65535)", real,
                                &w->to_index);
}

static int32_t wide_power(const struct wide *w, const TfLiteTensor *x, size_t i, int32_t peak)
{
    const int32_t difference = fixed_multiply((int32_t)ref_load_int(x, i) - peak, w->to_index);

    return table16_look_up(w->exponential, fixed_clamp((int64_t)difference + 32767, i16_range));
}

/* The reciprocal of a row's sum of exponentials, in Q0.15, and the shift of products with it. */
struct wide_row {
    int32_t peak, reciprocal;
    int shift;
};

static struct wide_row wide_row_of(const struct wide *w, const TfLiteTensor *x, size_t at,
                                   size_t depth)
{
    struct wide_row row = { .peak = INT16_MIN };
    uint32_t sum = 0;
    int zeros = 0;

    for (size_t i = 0; i < depth; i++)
        row.peak =
            fixed_clamp(ref_load_int(x, at + i), (struct fixed_range){ row.peak, INT32_MAX });
    for (size_t i = 0; i < depth; i++)
        sum += (uint32_t)wide_power(w, x, at + i, row.peak);
    while (zeros < 31 && !(sum << zeros & UINT32_C(1) << 31))
        zeros++;
    row.reciprocal = table16_look_up(
        w->reciprocal, fixed_clamp((int64_t)((((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14) -
                                       (1 << 15) - (1 << 16),
                                   i16_range));
    row.shift = 31 - zeros;
    return row;
}

static void store_wide(struct ref_call *call, const struct wide *w, const struct wide_row *row,
                       size_t i, double y, double magnitude, double terms)
{
    const int64_t product = (int64_t)wide_power(w, call->in[0], i, row->peak) * row->reciprocal;
    const int64_t steps = (product + (INT64_C(1) << (row->shift - 1))) >> row->shift;

    ref_store_quant(call, 0, i, (struct fixed_range){ 0, INT16_MAX }, steps,
                    y / ref_scale(call->out[0]), magnitude, terms);
}

static enum status check_wide(const struct ref_call *call, struct diag *diag)
{
    struct wide w;

    TRY(ref_check_symmetric(call, diag));
    if (fabs(ref_scale(call->out[0]) - 1. / 32768) > 0.001 / 32768)
        return ref_fail(call, diag, STATUS_INVALID, "output 0 (output): scale %g, expected 1/32768",
                        ref_scale(call->out[0]));
    return read_wide(call, diag, &w);
}

static int output_bits(const TfLiteTensor *y)
{
    return y->type == kTfLiteInt16 ? 16 : 8;
}

static enum status check_quantized(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const int32_t channels = ref_dim(x, ref_rank(x) - 1);
    const int units = 1 << output_bits(y);
    struct fixed f;

    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    if (fabs(ref_scale(y) * units - 1) > 0.001 || ref_zero_point(y) != ref_type_range(y->type).low)
        return ref_fail(call, diag, STATUS_INVALID,
                        "output 0 (output): scale %g and zero point %d, expected 1/%d and %d",
                        ref_scale(y), ref_zero_point(y), units, ref_type_range(y->type).low);
    if (y->type == kTfLiteInt16 && channels > CHANNELS_MAX_16)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 0 (input): %d channels, expected at most %d with an output of i16",
                        channels, CHANNELS_MAX_16);
    return read_fixed(call, diag, &f);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteSoftmaxParams *p = call->params;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPES_FLOAT | REF_TYPES_QUANTIZED, 1,
                           REF_MAX_RANK));
    if (!ref_is_8bit(call->in[0]->type) || call->out[0]->type != kTfLiteInt16)
        TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (!isfinite(p->beta))
        return ref_fail(call, diag, STATUS_INVALID, "beta is %g", (double)p->beta);
    if (ref_is_8bit(call->in[0]->type))
        TRY(check_quantized(call, diag));
    if (call->in[0]->type == kTfLiteInt16)
        TRY(check_wide(call, diag));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

/* An element as a real number, without its zero point, which cancels. */
static double load(const TfLiteTensor *x, size_t i)
{
    return ref_is_steps(x->type) ? ref_scale(x) * (double)ref_load_int(x, i) : ref_load(x, i);
}

/* e^difference in Q0.31. */
static int32_t power_of(const struct fixed *f, int32_t difference)
{
    return fixed_exp(fixed_multiply(difference, f->to_exponent));
}

/* A row: its largest element, and 1 / sum of e^x as a mantissa in Q0.31; products with it are
 * shifted to the right by `shift` to get steps of 1/256, or 1/65536. */
struct fixed_row {
    int32_t peak, inverse;
    int shift;
};

static struct fixed_row fixed_row_of(const TfLiteTensor *x, const struct fixed *f, size_t at,
                                     size_t depth, int bits)
{
    struct fixed_row row = { .peak = ref_type_range(x->type).low };
    int64_t sum = 0;
    int zeros = 0;

    for (size_t i = 0; i < depth; i++)
        row.peak =
            fixed_clamp(ref_load_int(x, at + i), (struct fixed_range){ row.peak, INT32_MAX });
    for (size_t i = 0; i < depth; i++) {
        const int32_t difference = (int32_t)ref_load_int(x, at + i) - row.peak;

        if (difference >= f->least)
            sum += fixed_rounding_shift_right(power_of(f, difference), SUM_SHIFT);
    }
    /* From 512 on every quotient is below half a step.  The runtime aborts there. */
    if (bits == 8 && sum >= INT64_C(512) << (FRACTION_BITS - SUM_SHIFT))
        return (struct fixed_row){ .peak = row.peak };
    while (!(sum << zeros & INT64_C(1) << 31))
        zeros++;
    row.inverse = fixed_one_over_one_plus((int32_t)((sum << zeros) - (INT64_C(1) << 31)));
    row.shift = SUM_SHIFT - zeros + FRACTION_BITS - bits;
    return row;
}

static void store_fixed(struct ref_call *call, const struct fixed *f, const struct fixed_row *row,
                        size_t i, double y, double magnitude, double terms)
{
    const struct fixed_range range = ref_type_range(call->out[0]->type);
    const int32_t difference = (int32_t)ref_load_int(call->in[0], i) - row->peak;
    int32_t steps = 0;

    if (difference >= f->least)
        steps = fixed_rounding_shift_right(fixed_mul_high(row->inverse, power_of(f, difference)),
                                           row->shift);
    ref_store_quant(call, 0, i, range, (int64_t)range.low + steps,
                    y / ref_scale(call->out[0]) + range.low, magnitude, terms);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const double beta = ((const TfLiteSoftmaxParams *)call->params)->beta;
    const TfLiteTensor *x = call->in[0];
    const size_t depth = (size_t)ref_dim(x, ref_rank(x) - 1);
    const size_t rows = depth > 0 ? ref_elements(x) / depth : 0;
    const bool quantized = ref_is_8bit(x->type), is_wide = x->type == kTfLiteInt16;
    struct fixed f = { .least = 0 };
    struct wide w;

    if (quantized)
        TRY(read_fixed(call, diag, &f));
    if (is_wide)
        TRY(read_wide(call, diag, &w));
    for (size_t row = 0; row < rows; row++) {
        const size_t at = row * depth;
        double peak = -INFINITY, sum = 0, weighted = 0;
        struct fixed_row fixed_row = { 0 };
        struct wide_row wide_row = { 0 };

        if (is_wide)
            wide_row = wide_row_of(&w, x, at, depth);
        if (quantized)
            fixed_row = fixed_row_of(x, &f, at, depth, output_bits(call->out[0]));
        /* Subtracting the largest exponent keeps exp() in range, and cancels. */
        for (size_t i = 0; i < depth; i++)
            peak = fmax(peak, beta * load(x, at + i));
        for (size_t i = 0; i < depth; i++) {
            const double distance = peak - beta * load(x, at + i);

            sum += exp(-distance);
            /* Of -infinity it is 0, times infinity. */
            weighted += isinf(distance) ? 0 : exp(-distance) * distance;
        }
        for (size_t i = 0; i < depth; i++) {
            const double distance = peak - beta * load(x, at + i), y = exp(-distance) / sum;
            /* Results beyond 2^10 are 0, and so is what the distance adds to their error. */
            const double magnitude = fmin(distance, 0x1p10) + weighted / sum;

            if (is_wide)
                store_wide(call, &w, &wide_row, at + i, y, magnitude, (double)depth);
            else if (quantized)
                store_fixed(call, &f, &fixed_row, at + i, y, magnitude, (double)depth);
            else
                ref_store(call, 0, at + i, y, magnitude, (double)depth);
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("softmax", SOFTMAX, 4, OPTIONS_SoftmaxOptions),
      REF_PARAMS(TfLiteSoftmaxParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_softmax = { ops, sizeof ops / sizeof ops[0] };
