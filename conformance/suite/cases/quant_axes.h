/* Axes of sweeps (pairwise.h) about scales and zero points: what a kernel of integers can get wrong
 * whatever the shape is. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_QUANT_AXES_H
#define ASSAY_CONFORMANCE_SUITE_CASES_QUANT_AXES_H

#include "conformance/suite/cases/pairwise.h"
#include "conformance/suite/cases/suite.h"

extern const struct pairwise_level quant_product_multipliers[9], quant_sum_multipliers[9],
    quant_one_multipliers[9], quant_zero_levels[3], quant_zero_out_levels[3];

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

/* Returns how a row with these levels is quantized; NULL for an axis that the sweep lacks. */
struct quant_row quant_row_of(const struct pairwise_level *multiplier,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *channels);

/* Scales whose product is 2^-6, but for a part in 4e7 that f32 rounds off, to an output scale of 1:
 * a multiplier that is made of the product in f32 has another mantissa and exponent than one of the
 * product in double, and rounds one sum in 128 to another integer. */
#define QUANT_PRODUCT_ROUNDED                                                                      \
    .byte_sets = SET_BIT(SET_RANDOM),                                                              \
    .quant = { .in = 0.471680462, .in2 = 0.0331262387, .out = 1, .zero_out = ZERO_MIDDLE }
#define QUANT_PRODUCT_ROUNDED_B                                                                    \
    .byte_sets = SET_BIT(SET_RANDOM),                                                              \
    .quant = { .in = 0.0552671887, .in2 = 0.282717466, .out = 1, .zero_out = ZERO_MIDDLE }
/* Scales of a result at which a bound of RELU6, or of RELU_N1_TO_1, is a tie in f32, and less than
 * one in double. */
#define QUANT_SIX_TIE .quant = { .in = 0.1, .out = 0.196721315, .zero_out = ZERO_MIDDLE }
#define QUANT_ONE_TIE .quant = { .out = 0.0307692308, .zero_out = ZERO_MIDDLE }
/* Scales of one operand and of the result whose quotient in f32 makes another multiplier than that
 * in double, by which some byte becomes another one. */
#define QUANT_QUOTIENT_ROUNDED                                                                     \
    .quant = { .in = 0.698453069, .out = 1.01593173, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }
#define QUANT_QUOTIENT_ROUNDED_B                                                                   \
    .quant = { .in = 1.97502458, .out = 7.19786739, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }
/* The same, where a product with the reciprocal in f32 makes a third multiplier. */
#define QUANT_QUOTIENT_LEFT                                                                        \
    .quant = { .in = 0.180014506, .out = 0.131439164, .zero = ZERO_LOW, .zero_out = ZERO_MIDDLE }

/* The axes that convolutions and FULLY_CONNECTED share: multipliers, zero points, scales of
 * channels, activations. */
enum { QUANT_PRODUCT_AXES = 5 };
extern const struct pairwise_axis quant_product_axes[QUANT_PRODUCT_AXES];
/* The row's fields, of types i8 and u8 or i8pc in turn, and its fused activation. */
struct op_case quant_product_case(const struct pairwise_row *row);
int32_t quant_product_activation(const struct pairwise_row *row);

#endif
