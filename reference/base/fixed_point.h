/* Fixed-point arithmetic of the 8-bit ops: that of gemmlowp (fixedpoint/fixedpoint.h) as TensorFlow
 * Lite's reference kernels use it, bit for bit.  Formulas and their use by op:
 * reference/QUANTIZATION.md.
 *
 * A quantized tensor means real = scale * (q - zero_point).  Sums of products are exact in 32 bits;
 * the real factor that brings them to the output's scale is a 31-bit mantissa and a power of two,
 * applied with two roundings: one in the product, one in the shift.  This is what TensorFlow Lite
 * does unless it is built with TFLITE_SINGLE_ROUNDING. */
#ifndef ASSAY_REFERENCE_BASE_FIXED_POINT_H
#define ASSAY_REFERENCE_BASE_FIXED_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* The real factor q * 2^(e - 31), TensorFlow Lite's quantized_multiplier and shift.  q is 0 or in
 * [2^30, 2^31), e in [-31, 31]. */
struct fixed_multiplier {
    int32_t q;
    int e;
};

/* TensorFlow Lite's QuantizeMultiplier: real = f * 2^e with f in [1/2, 1), q = round(f * 2^31),
 * ties away from zero; a q of 2^31 becomes 2^30 with e + 1.  Factors below 2^-32 give q = 0.
 * False when real is negative, NaN, or 2^31 and more. */
bool fixed_quantize_multiplier(double real, struct fixed_multiplier *m);

/* gemmlowp's SaturatingRoundingDoublingHighMul: round(a * b / 2^31), ties toward +infinity;
 * INT32_MIN * INT32_MIN saturates to INT32_MAX. */
int32_t fixed_mul_high(int32_t a, int32_t b);
/* gemmlowp's RoundingDivideByPOT: round(x / 2^n), ties away from zero; n in [0, 31]. */
int32_t fixed_rounding_shift_right(int32_t x, int n);
/* gemmlowp's SaturatingRoundingMultiplyByPOT for n >= 0: x * 2^n, saturated to 32 bits; n in
 * [0, 31].  Nothing is rounded. */
int32_t fixed_saturating_shift_left(int32_t x, int n);
/* TensorFlow Lite's MultiplyByQuantizedMultiplier: x times the factor m, as
 * fixed_rounding_shift_right(fixed_mul_high(x * 2^max(e, 0), q), max(-e, 0)).  The shift to the
 * left wraps modulo 2^32 as TensorFlow Lite's does: it saturates nothing. */
int32_t fixed_multiply(int32_t x, struct fixed_multiplier m);
/* TensorFlow Lite's MultiplyByQuantizedMultiplier of 64-bit accumulators, |x| < 2^47, as ops of i16
 * activations have them: the mantissa is rounded to 15 bits, halves up, and saturates, and the
 * product is rounded once, halves up.  The result is cut to 32 bits. */
int32_t fixed_multiply_wide(int64_t x, struct fixed_multiplier m);
/* The sum modulo 2^32, as an int32 accumulator that overflows holds it. */
int32_t fixed_wrap(int64_t sum);
/* TensorFlow Lite's TfLiteRound and cast: round(v), ties away from zero, saturated to 32 bits; NaN
 * gives 0. */
int32_t fixed_round(double v);

/* gemmlowp's exp_on_negative_values for 5 integer bits: e^x for x <= 0 in Q5.26 (units of 2^-26);
 * the result in Q0.31. */
int32_t fixed_exp(int32_t x);
/* gemmlowp's one_over_one_plus_x_for_x_in_0_1: 1 / (1 + x) for x in [0, 1), both in Q0.31. */
int32_t fixed_one_over_one_plus(int32_t x);

/* TensorFlow Lite's GetInvSqrtQuantizedMultiplierExp: 1 / sqrt(x) for x >= 0, of which 0 counts as
 * 1, as a factor. */
struct fixed_multiplier fixed_inverse_sqrt(int32_t x);

/* Smallest and largest value of an output: of its type, or of its fused activation
 * (quantized_activation_min and _max). */
struct fixed_range {
    int32_t low, high;
};
/* q saturated to the range. */
static inline int32_t fixed_clamp(int64_t q, struct fixed_range r)
{
    return q < r.low ? r.low : q > r.high ? r.high : (int32_t)q;
}

#endif
