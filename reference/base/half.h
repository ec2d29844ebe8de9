/* IEEE binary16, and bfloat16: the upper half of a binary32. */
#ifndef ASSAY_REFERENCE_BASE_HALF_H
#define ASSAY_REFERENCE_BASE_HALF_H

#include <stdint.h>

/* Exact. */
float half_to_float(uint16_t h);
/* Rounds to nearest, ties to even; overflow gives infinity, denormals are kept, NaN stays NaN. */
uint16_t float_to_half(float f);
/* float_to_half from double, with a single rounding. */
uint16_t double_to_half(double d);

/* Exact. */
float bfloat_to_float(uint16_t b);
/* Rounds to nearest, ties to even, once, as double_to_half. */
uint16_t double_to_bfloat(double d);

#endif
