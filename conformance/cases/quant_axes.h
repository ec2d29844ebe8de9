/* Axes of sweeps (pairwise.h) about scales and zero points: what a kernel of integers can get wrong
 * whatever the shape is. */
#ifndef ASSAY_CONFORMANCE_CASES_QUANT_AXES_H
#define ASSAY_CONFORMANCE_CASES_QUANT_AXES_H

#include "conformance/cases/pairwise.h"
#include "conformance/cases/suite.h"

/* Factors of a result: powers of two, whose halves are ties; over 1; so small that nothing remains;
 * results that saturate, and that use a part of their range. */
extern const struct pairwise_axis quant_factors_of_products;
/* Of two operands: far apart, either one the larger. */
extern const struct pairwise_axis quant_factors_of_sums;
/* Of one operand: below, near and over 1. */
extern const struct pairwise_axis quant_factors_of_one;
/* Zero points of inputs and of the result: at either end, anywhere. */
extern const struct pairwise_axis quant_zeros, quant_zeros_out;
/* Scales of weights by channel. */
extern const struct pairwise_axis quant_channels;
extern const struct pairwise_axis quant_activations; /* file codes */

/* What the levels of these axes say; NULL: an axis that the sweep does not have. */
struct quant_row quant_row_of(const struct pairwise_level *factors,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *channels);

/* The sweep of the ops that add up products: factors, zero points, scales by channel, activations.
 * choices has room for PAIRWISE_ROWS_MAX. */
size_t quant_product_rows(struct pairwise_row *choices);
/* Row i of it, of i8 with one scale and of u8, or of i8 with many, in turns; its activation. */
struct op_case quant_product_case(const struct pairwise_row *row, size_t i);
int32_t quant_product_activation(const struct pairwise_row *row);

#endif
