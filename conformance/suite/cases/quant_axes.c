/* Axes of sweeps about scales and zero points. */
#include "conformance/suite/cases/quant_axes.h"

#include "conformance/suite/cases/axes.h"

/* The multiplier from the scale of sums or products to that of the result. */
enum multiplier {
    USUAL,
    TIES,         /* powers of two: 2^-7, 2^-1 */
    SHIFT_LEFT,   /* between 1 and 2: a shift to the left */
    SHIFT_LEFT_4, /* about 9 */
    ALL_ZERO,     /* below 2^-32 */
    TINY,         /* about 2^-20 */
    OVER_1,       /* the scales of all inputs are over 1 */
    SATURATED,
    COARSE,
    A_LARGER, /* the scale of the first operand is a thousand times the other one */
    B_LARGER,
    EQUAL, /* all scales are one */
    ONE_QUARTER,
    NEAR_1,
    MULTIPLIER_COUNT
};

static const struct quant_row of_products[MULTIPLIER_COUNT] = {
    [TIES] = { .in = 0.5, .in2 = 0.25, .out = 16 },
    [SHIFT_LEFT] = { .in = 1.9, .in2 = 0.7, .out = 1.1 },
    [SHIFT_LEFT_4] = { .in = 1.9, .in2 = 1.7, .out = 0.35 },
    [ALL_ZERO] = { .in = 1e-6, .in2 = 1e-6, .out = 0.5 },
    [TINY] = { .in = 0.001, .in2 = 0.001, .out = 1.1 },
    [OVER_1] = { .in = 1.7, .in2 = 3.3 },
    [SATURATED] = { .out_times = 0.11 },
    [COARSE] = { .out_times = 9.3 },
};
static const struct quant_row of_sums[MULTIPLIER_COUNT] = {
    [TIES] = { .in = 0.5, .in2 = 0.25, .out = 1 },
    [SHIFT_LEFT] = { .in = 0.5, .in2 = 0.9, .out = 0.2 },
    [OVER_1] = { .in = 1.7, .in2 = 3.3 },
    [SATURATED] = { .out_times = 0.23 },
    [COARSE] = { .out_times = 9.3 },
    [A_LARGER] = { .in = 3.1, .in2 = 0.0031 },
    [B_LARGER] = { .in = 0.0031, .in2 = 3.1 },
    [EQUAL] = { .in = 0.1, .in2 = 0.1, .out = 0.1 },
};
static const struct quant_row of_one[MULTIPLIER_COUNT] = {
    [TIES] = { .in = 0.25, .out = 0.5 },         [SHIFT_LEFT] = { .in = 0.19, .out = 0.11 },
    [SHIFT_LEFT_4] = { .in = 0.9, .out = 0.1 },  [TINY] = { .in = 0.0001, .out = 0.5 },
    [OVER_1] = { .in = 3.3, .out = 1.7 },        [EQUAL] = { .in = 0.1, .out = 0.1 },
    [ONE_QUARTER] = { .in = 0.11, .out = 0.44 }, [NEAR_1] = { .in = 0.12, .out = 0.14 },
};

enum { PRODUCTS, SUMS, ONE };
static const struct quant_row *const tables[] = { of_products, of_sums, of_one };

const struct pairwise_level quant_product_multipliers[9] = {
    { "q", USUAL, PRODUCTS },           { "qties", TIES, PRODUCTS },
    { "qleft", SHIFT_LEFT, PRODUCTS },  { "qleft4", SHIFT_LEFT_4, PRODUCTS },
    { "qnothing", ALL_ZERO, PRODUCTS }, { "qtiny", TINY, PRODUCTS },
    { "qover1", OVER_1, PRODUCTS },     { "qsat", SATURATED, PRODUCTS },
    { "qcoarse", COARSE, PRODUCTS },
};
const struct pairwise_level quant_sum_multipliers[9] = {
    { "q", USUAL, SUMS },       { "qties", TIES, SUMS },      { "qleft", SHIFT_LEFT, SUMS },
    { "qover1", OVER_1, SUMS }, { "qsat", SATURATED, SUMS },  { "qcoarse", COARSE, SUMS },
    { "qfar", A_LARGER, SUMS }, { "qfar_b", B_LARGER, SUMS }, { "qequal", EQUAL, SUMS },
};
const struct pairwise_level quant_one_multipliers[9] = {
    { "q", USUAL, ONE },          { "qties", TIES, ONE },
    { "qleft", SHIFT_LEFT, ONE }, { "qleft4", SHIFT_LEFT_4, ONE },
    { "qtiny", TINY, ONE },       { "qover1", OVER_1, ONE },
    { "qequal", EQUAL, ONE },     { "qhalf", ONE_QUARTER, ONE },
    { "qnear1", NEAR_1, ONE },
};
const struct pairwise_level quant_zero_levels[3] = { { "", ZERO_ANYWHERE, 0 },
                                                     { "zlow", ZERO_LOW, 0 },
                                                     { "zhigh", ZERO_HIGH, 0 } };
const struct pairwise_level quant_zero_out_levels[3] = { { "", ZERO_ANYWHERE, 0 },
                                                         { "ylow", ZERO_LOW, 0 },
                                                         { "yhigh", ZERO_HIGH, 0 } };
/* Scales of weights by channel. */
static const struct pairwise_level channel_levels[3] = { { "", CHANNELS_NEAR, 0 },
                                                         { "onetiny", CHANNELS_ONE_TINY, 0 },
                                                         { "cfar", CHANNELS_FAR, 0 } };

struct quant_row quant_row_of(const struct pairwise_level *multiplier,
                              const struct pairwise_level *zero,
                              const struct pairwise_level *zero_out,
                              const struct pairwise_level *by_channel)
{
    struct quant_row row = { 0 };

    if (multiplier)
        row = tables[multiplier->y][multiplier->x];
    if (zero)
        row.zero = (enum zero_place)zero->x;
    if (zero_out)
        row.zero_out = (enum zero_place)zero_out->x;
    if (by_channel)
        row.channels = (enum channel_scales)by_channel->x;
    return row;
}

enum { Q_MULTIPLIERS, Q_ZERO, Q_ZERO_OUT, Q_CHANNELS, Q_ACTIVATION, Q_AXES = QUANT_PRODUCT_AXES };

const struct pairwise_axis quant_product_axes[Q_AXES] = { QUANT_MULTIPLIERS_OF_PRODUCTS,
                                                          QUANT_ZEROS, QUANT_ZEROS_OUT,
                                                          PAIRWISE_AXIS(channel_levels),
                                                          AXIS_ACTIVATIONS };

struct op_case quant_product_case(const struct pairwise_row *row)
{
    const struct pairwise_level *const *level = row->level;

    return (struct op_case){
        .name = row->name,
        .why = "pairwise: multipliers, zero points, scales by channel",
        .types = level[Q_CHANNELS]->x != CHANNELS_NEAR ? TYPE_BIT(CASE_I8PC)
                 : row->index % 3 == 0                 ? TYPE_BIT(CASE_I8PC) | TYPE_BIT(CASE_U8)
                                                       : TYPES_BYTES,
        .quant =
            quant_row_of(level[Q_MULTIPLIERS], level[Q_ZERO], level[Q_ZERO_OUT], level[Q_CHANNELS]),
    };
}

int32_t quant_product_activation(const struct pairwise_row *row)
{
    return row->level[Q_ACTIVATION]->x;
}
