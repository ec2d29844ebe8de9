/* Axes of sweeps (pairwise.h) about scales and zero points: what a kernel of integers can get wrong
 * whatever the shape is. */
#ifndef ASSAY_CONFORMANCE_CASES_QUANT_AXES_H
#define ASSAY_CONFORMANCE_CASES_QUANT_AXES_H

#include "conformance/cases/pairwise.h"
#include "conformance/cases/suite.h"

extern const struct pairwise_level quant_product_multipliers[9], quant_sum_multipliers[9],
    quant_one_multipliers[9], quant_zero_levels[3], quant_zero_out_levels[3],
    quant_channel_levels[3];

/* Multipliers that requantize products: powers of two, which make ties; over 1, which shift to the
 * left; so small that every result is 0; results that saturate, or use a part of their range. */
#define QUANT_MULTIPLIERS_OF_PRODUCTS PAIRWISE_AXIS(quant_product_multipliers)
/* Of sums: also with operands whose scales are far apart, either one the larger. */
#define QUANT_MULTIPLIERS_OF_SUMS PAIRWISE_AXIS(quant_sum_multipliers)
/* Of one operand: below 1, near it and over it. */
#define QUANT_MULTIPLIERS_OF_ONE PAIRWISE_AXIS(quant_one_multipliers)
/* Zero points of inputs and of the result: at either end, anywhere. */
#define QUANT_ZEROS     PAIRWISE_AXIS(quant_zero_levels)
#define QUANT_ZEROS_OUT PAIRWISE_AXIS(quant_zero_out_levels)
/* Scales of weights by channel. */
#define QUANT_CHANNELS PAIRWISE_AXIS(quant_channel_levels)

/* The row that levels of these axes stand for; NULL: an axis that the sweep does not have. */
struct quant_row quant_row_of(const struct pairwise_level *multiplier,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *channels);

/* The sweep of the ops that add up products: multipliers, zero points, scales by channel,
 * activations.
 */
enum { QUANT_PRODUCT_AXES = 5 };
extern const struct pairwise_axis quant_product_axes[QUANT_PRODUCT_AXES];
/* A row of it, of i8 and u8 with one scale or of i8 with a scale for each channel; its activation.
 */
struct op_case quant_product_case(const struct pairwise_row *row);
int32_t quant_product_activation(const struct pairwise_row *row);

#endif
