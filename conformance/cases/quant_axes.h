/* Axes of sweeps (pairwise.h) about scales and zero points: what a kernel of integers can get wrong
 * whatever the shape is. */
#ifndef ASSAY_CONFORMANCE_CASES_QUANT_AXES_H
#define ASSAY_CONFORMANCE_CASES_QUANT_AXES_H

#include "conformance/cases/pairwise.h"
#include "conformance/cases/suite.h"

extern const struct pairwise_level quant_product_multipliers[9], quant_sum_multipliers[9],
    quant_one_multipliers[9], quant_zero_levels[3], quant_zero_out_levels[3],
    quant_channel_levels[3];

/* Multipliers that requantize products: powers of two, which make ties; those above 1, which shift
 * to the left; those that make every result 0; those with which results saturate, or use a part of
 * their range. */
#define QUANT_MULTIPLIERS_OF_PRODUCTS PAIRWISE_AXIS(quant_product_multipliers)
/* The same for sums, and operands whose scales are far apart, either one the larger. */
#define QUANT_MULTIPLIERS_OF_SUMS PAIRWISE_AXIS(quant_sum_multipliers)
/* Multipliers of ops of one operand: below 1, near 1 and above 1. */
#define QUANT_MULTIPLIERS_OF_ONE PAIRWISE_AXIS(quant_one_multipliers)
/* Zero points of inputs and of the result: anywhere, or at either end of the range. */
#define QUANT_ZEROS     PAIRWISE_AXIS(quant_zero_levels)
#define QUANT_ZEROS_OUT PAIRWISE_AXIS(quant_zero_out_levels)
/* Scales of weights by channel. */
#define QUANT_CHANNELS PAIRWISE_AXIS(quant_channel_levels)

/* Returns how a row with these levels is quantized; NULL for an axis that the sweep lacks. */
struct quant_row quant_row_of(const struct pairwise_level *multiplier,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *channels);

/* The axes that convolutions and FULLY_CONNECTED share: multipliers, zero points, scales of
 * channels, activations. */
enum { QUANT_PRODUCT_AXES = 5 };
extern const struct pairwise_axis quant_product_axes[QUANT_PRODUCT_AXES];
/* The row's fields, of types i8 and u8 or i8pc in turn, and its fused activation. */
struct op_case quant_product_case(const struct pairwise_row *row);
int32_t quant_product_activation(const struct pairwise_row *row);

#endif
