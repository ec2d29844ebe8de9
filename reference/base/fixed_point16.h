/* Fixed-point arithmetic in 16 bits, which the quantized LSTM has: bit for bit that of the real
 * runtime.  Gates and cells are integers with a power of two as their scale. */
#ifndef ASSAY_REFERENCE_BASE_FIXED_POINT16_H
#define ASSAY_REFERENCE_BASE_FIXED_POINT16_H

#include <stdint.h>

int16_t quant16_saturate(int32_t v);
/* a * b / 2^15, ties up; the one product that does not fit saturates. */
int16_t quant16_high_product(int16_t a, int16_t b);
/* 1 / (1 + e^-x) and tanh x for x in units of 2^-12; results in units of 2^-15. */
int16_t quant16_logistic(int16_t x);
int16_t quant16_tanh(int16_t x);

#endif
