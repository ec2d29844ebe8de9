/* Fixed-point arithmetic in 16 bits: gemmlowp's, as TensorFlow Lite's quantized LSTM uses it, bit
 * for bit.  Gates and cell states are 16-bit integers whose scale is a power of two. */
#ifndef ASSAY_REFERENCE_BASE_FIXED_POINT16_H
#define ASSAY_REFERENCE_BASE_FIXED_POINT16_H

#include <stdint.h>

/* v saturated to [-2^15, 2^15 - 1]. */
int16_t fixed16_saturate(int32_t v);
/* gemmlowp's SaturatingRoundingDoublingHighMul of 16 bits: round(a * b / 2^15), ties toward
 * +infinity; INT16_MIN * INT16_MIN saturates to INT16_MAX. */
int16_t fixed16_mul_high(int16_t a, int16_t b);
/* gemmlowp's RoundingDivideByPOT of 16 bits: round(x / 2^n), ties away from zero, for n in [0, 15].
 * For n in [16, 31] gemmlowp's mask has lost its upper bits, and the result is 1 for x >= 0 and -1
 * for x < 0. */
int16_t fixed16_rounding_shift_right(int16_t x, int n);
/* TensorFlow Lite's DownScaleInt32ToInt16Multiplier: the mantissa q of a fixed_multiplier in Q0.15,
 * round(q / 2^16), ties up, saturated. */
int16_t fixed16_mantissa(int32_t q);
/* gemmlowp's logistic, 1 / (1 + e^-x), and tanh for x in Q3.12 (units of 2^-12); results in Q0.15.
 */
int16_t fixed16_logistic(int16_t x);
int16_t fixed16_tanh(int16_t x);
/* The same tanh for x with another number of integer bits, 0 to 6: in units of 2^(bits - 15). */
int16_t fixed16_tanh_of(int16_t x, int integer_bits);

#endif
