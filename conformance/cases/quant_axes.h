/* Axes of sweeps (pairwise.h) about scales and zero points: what a kernel of integers can get wrong
 * whatever the shape is. */
#ifndef ASSAY_CONFORMANCE_CASES_QUANT_AXES_H
#define ASSAY_CONFORMANCE_CASES_QUANT_AXES_H

#include "conformance/cases/pairwise.h"
#include "conformance/cases/suite.h"

extern const struct pairwise_level quant_product_factors[9], quant_sum_factors[9],
    quant_one_factors[9], quant_zero_levels[3], quant_zero_out_levels[3], quant_channel_levels[3];

/* Factors of a result: powers of two, whose halves are ties; over 1; so small that nothing remains;
 * results that saturate, and that use a part of their range. */
#define QUANT_FACTORS_OF_PRODUCTS PAIRWISE_AXIS(quant_product_factors)
/* Of two operands: far apart, either one the larger. */
#define QUANT_FACTORS_OF_SUMS PAIRWISE_AXIS(quant_sum_factors)
/* Of one operand: below, near and over 1. */
#define QUANT_FACTORS_OF_ONE PAIRWISE_AXIS(quant_one_factors)
/* Zero points of inputs and of the result: at either end, anywhere. */
#define QUANT_ZEROS     PAIRWISE_AXIS(quant_zero_levels)
#define QUANT_ZEROS_OUT PAIRWISE_AXIS(quant_zero_out_levels)
/* Scales of weights by channel. */
#define QUANT_CHANNELS PAIRWISE_AXIS(quant_channel_levels)

/* What the levels of these axes say; NULL: an axis that the sweep does not have. */
struct quant_row quant_row_of(const struct pairwise_level *factors,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *channels);

/* The sweep of the ops that add up products: factors, zero points, scales by channel, activations.
 */
enum { QUANT_PRODUCT_AXES = 5 };
extern const struct pairwise_axis quant_product_axes[QUANT_PRODUCT_AXES];
/* A row of it, of i8 with one scale and of u8, or of i8 with many, in turns; its activation. */
struct op_case quant_product_case(const struct pairwise_row *row);
int32_t quant_product_activation(const struct pairwise_row *row);

#endif
