/* Values that stand in one lane alone: lists for the rows of all suites.
 *
 * A list is made of rows of five channels, a slice and the first lane of another.  In each six rows
 * a value is the first channel alone, the second, ..., the fifth, and all of them; the other
 * channels are small numbers.  A device that treats one lane in another way gives another result,
 * and one that mixes lanes shows it in the small ones. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUITES_LANES_H
#define ASSAY_CONFORMANCE_SUITE_SUITES_LANES_H

#include <stdint.h>

enum {
    LANES_CHANNELS = 5,
    LANES_PLACES = 6,
    LANES_SPECIALS = 8,
    LANES_DENORMALS = 6,
    LANES_SUMS = 5
};
/* NaN, infinities, the largest numbers, -0, the smallest normal ones; denormals of f32 and of f16;
 * the ends of integers. */
extern const float lane_specials[LANES_SPECIALS * LANES_PLACES * LANES_CHANNELS];
extern const float lane_denormals[LANES_DENORMALS * LANES_PLACES * LANES_CHANNELS];
extern const int32_t lane_ends[2 * LANES_PLACES * LANES_CHANNELS];
/* The same of sums, where the ends of f32 would overflow in one order of summation and not in
 * another. */
extern const float lane_sums[LANES_SUMS * LANES_PLACES * LANES_CHANNELS];
/* Biases near the ends of i32, to which sums of 2^20 can be added, and scales with which results
 * fill their range. */
extern const int32_t bias_ends[6];
/* The same of 29 bits, of which four times still are 31. */
extern const int32_t bias_29[4];
#define BIAS_ENDS                                                                                  \
    "biases at the ends of i32: sums of 31 bits are requantized",                                  \
        .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC), LANES_ONE_SET, .byte_sets = LANES_RANDOM,      \
        .values_of = 2, INTEGERS(bias_ends),                                                       \
        .quant = {                                                                                 \
            .in = 0.5, .in2 = 0.5, .out = 4.5e6, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE      \
        }
/* Operands of which every pair meets. */
extern const float pair_specials[9];
extern const int32_t pair_ends[5];

/* ROW(name, LANES_SPECIAL, ...) with the shape of a tensor that has them once. */
#define LANES_RANDOM  SET_BIT(SET_RANDOM)
#define LANES_ONE_SET .sets = LANES_RANDOM
#define LANES_SPECIAL                                                                              \
    "NaN, infinities, -0 and the ends of f32, in one lane and in all",                             \
        .types = TYPE_BIT(CASE_F32), LANES_ONE_SET, .specials = true, VALUES(lane_specials)
#define LANES_SUM                                                                                  \
    "NaN, infinities and -0 among the terms of sums, in one lane and in all",                      \
        .types = TYPE_BIT(CASE_F32), LANES_ONE_SET, .specials = true, VALUES(lane_sums)
#define LANES_DENORMAL                                                                             \
    "denormals in one lane and in all", .types = TYPE_BIT(CASE_F32), LANES_ONE_SET,                \
                                        .specials = true, VALUES(lane_denormals)
#define LANES_END(types_)                                                                          \
    "the ends of the type in one lane and in all", .types = (types_), LANES_ONE_SET,               \
                                                   INTEGERS(lane_ends)
#define PAIRS_SPECIAL                                                                              \
    "infinities, NaN, -0 and the ends of f32 with one another",                                    \
        .types = TYPE_BIT(CASE_F32), LANES_ONE_SET, .specials = true, .pairs = true,               \
        VALUES(pair_specials)
#define PAIRS_END(types_)                                                                          \
    "the ends of the type with one another", .types = (types_), LANES_ONE_SET, .pairs = true,      \
                                             INTEGERS(pair_ends)
#define PAIR_DIMS     DIMS(9, 9)
#define PAIR_END_DIMS DIMS(5, 5)
#define SPECIAL_DIMS  DIMS(1, LANES_SPECIALS, LANES_PLACES, LANES_CHANNELS)
#define SUM_DIMS      DIMS(1, LANES_SUMS, LANES_PLACES, LANES_CHANNELS)
/* Without FLT_MIN: parts of its products are denormals, and may be 0. */
#define FACTOR_DIMS   DIMS(1, LANES_SUMS - 1, LANES_PLACES, LANES_CHANNELS)
#define DENORMAL_DIMS DIMS(1, LANES_DENORMALS, LANES_PLACES, LANES_CHANNELS)
#define END_DIMS      DIMS(1, 2, LANES_PLACES, LANES_CHANNELS)
/* Each product of a sum has both operands at the end of their range. */
static const int32_t sum_ends[] = { INT32_MAX };
#define SUM_END(types_, out_times_)                                                                \
    "a sum of products at the ends of both ranges",                                                \
        .types = (types_), LANES_ONE_SET, .period = SHORT_PERIOD, .pairs = true,                   \
        .quant = { .zero = ZERO_LOW, .out_times = (out_times_) }, INTEGERS(sum_ends)
/* The types that have ends: what an op has of them. */
#define END_TYPES (TYPES_BYTES | TYPE_BIT(CASE_I32))

#endif
