/* Fixed-point arithmetic of the 8-bit ops, bit for bit that of the real runtime's reference
 * kernels.
 *
 * An integer tensor means real = scale * (q - zero_point).  Sums of products are exact in 32 bits;
 * what brings them to the output's scale is a real factor, here an integer and a shift, applied
 * with two roundings (one in the product, one in the shift), as the runtime is built for x86-64. */
#ifndef ASSAY_REFERENCE_BASE_FIXED_POINT_H
#define ASSAY_REFERENCE_BASE_FIXED_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* The real factor q * 2^(e - 31); q is 0 or in [2^30, 2^31), e in [-31, 31]. */
struct quant_multiplier {
    int32_t q;
    int e;
};

/* The nearest one; factors below 2^-32 become 0.  False when real is negative, no number, or 2^31
 * and more. */
bool quant_multiplier_of(double real, struct quant_multiplier *m);

/* a * b / 2^31, ties up; the one product that does not fit saturates. */
int32_t quant_high_product(int32_t a, int32_t b);
/* x / 2^n, ties away from zero; n in [0, 31]. */
int32_t quant_shift_right(int32_t x, int n);
/* x * 2^n, saturated; n in [0, 31]. */
int32_t quant_shift_left(int32_t x, int n);
/* x times the factor. A shift to the left drops the bits that leave 32, as the runtime's does. */
int32_t quant_multiply(int32_t x, struct quant_multiplier m);
/* The low 32 bits of a sum, which the runtime adds up in 32. */
int32_t quant_wrap(int64_t sum);
/* To the nearest integer, ties away from zero, saturated; NaN gives 0. */
int32_t quant_round(double v);

/* e^x for x <= 0, x in units of 2^-26, the result in units of 2^-31. */
int32_t quant_exp(int32_t x);
/* 1 / (1 + x) for x in [0, 1), both in units of 2^-31. */
int32_t quant_reciprocal(int32_t x);

/* Values that an output can have, of its type and its fused activation. */
struct quant_range {
    int32_t low, high;
};
static inline int32_t quant_clamp(int64_t q, struct quant_range r)
{
    return q < r.low ? r.low : q > r.high ? r.high : (int32_t)q;
}

#endif
