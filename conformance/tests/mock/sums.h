/* Sums of products in any arithmetic: convolutions, FULLY_CONNECTED, AVERAGE_POOL_2D. */
#ifndef ASSAY_CONFORMANCE_TESTS_MOCK_SUMS_H
#define ASSAY_CONFORMANCE_TESTS_MOCK_SUMS_H

#include "conformance/tests/mock/rounding.h"
#include "reference/kernels/op.h"

#include <stddef.h>

/* bias NULL: none. */
double sum_products(const struct arithmetic *a, const float *w, const float *x, size_t n,
                    const float *bias);

/* Computes an f32 node; false for an op that it does not know, or without memory. */
bool sums_eval(const struct arithmetic *a, const struct ref_call *call);

#endif
