/* Windows over an image, as convolutions and pools have them. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_WINDOW_H
#define ASSAY_CONFORMANCE_SUITE_CASES_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { VALID = 1 }; /* enum Padding of the schema; 0 is SAME */

/* Output extent of a window along one axis: with SAME padding when same is true, else VALID. */
int32_t window_out(bool same, int32_t in, int32_t filter, int32_t stride, int32_t dilation);
/* Returns n, or 1 for 0: rows leave out strides and dilations of 1. */
int32_t window_or_one(int32_t n);
int32_t window_at_least(int32_t n, int32_t least);

#endif
