/* MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL.  Every kind of axes over
 * ranks 1 to 6, written in every way that the format allows, kept and dropped dimensions, sums that
 * do not fit f16.  Products have few elements, so that they neither vanish nor overflow. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    struct shape axes; /* the axes are in d; rank 0: one axis, d[0], in a scalar tensor */
    bool keep;         /* reduced dimensions stay, as 1 */
};

/* MEAN over height and width, over the last dimension, or over any. */
static bool add_mean(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const unsigned last = x.shape.rank > 0 ? 1u << (x.shape.rank - 1) : 0;
    const unsigned masks[] = { 6, last, 4, 2 };
    const unsigned axes = masks[random_choice(call, 0, 4)];

    if (x.shape.rank < 2 || axes >> x.shape.rank != 0)
        return false;
    call->out.value = graph_add_mean(m, x, axes, random_choice(call, 1, 2));
    return true;
}

static bool add_reduction(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const unsigned last = x.shape.rank > 0 ? 1u << (x.shape.rank - 1) : 0;
    const unsigned masks[] = { last, 4, 2, 1 };
    const unsigned axes = masks[random_choice(call, 0, 4)];

    if (x.shape.rank < 2 || axes >> x.shape.rank != 0)
        return false;
    if (call->member->code == BUILTIN_SUM) {
        for (int i = 0; i < x.shape.rank; i++)
            call->out.peak *= axes >> i & 1 ? x.shape.d[i] : 1;
        if (call->out.peak > 1e3)
            return false;
    }
    call->out.value =
        graph_add_reduction(m, call->member->code, x, axes, random_choice(call, 1, 2));
    return true;
}

static double reduced_count(const struct case_node *n)
{
    return n->out->elements ? (double)n->in[0]->elements / (double)n->out->elements : 1;
}

/* Four standard deviations of a sum. */
static struct case_interval range_sum(struct case_node *n)
{
    const double count = reduced_count(n), width = 4 * n->in[0]->sd * sqrt(count);

    return (struct case_interval){ n->in[0]->mean * count - width, n->in[0]->mean * count + width };
}

/* Products of numbers of the size of their root mean square. */
static struct case_interval range_product(struct case_node *n)
{
    const struct case_scale *const x = n->in[0];
    double size = 2;

    for (int i = (int)reduced_count(n); i > 0; i--)
        size *= sqrt(x->sd * x->sd + x->mean * x->mean);
    return (struct case_interval){ -size, size };
}

#define NUMBERS "sum reduce_max reduce_min"
#define TRUTHS  "reduce_any reduce_all"
#define FLOATS  TYPE_BIT(CASE_F32)

static const struct suite_member members[] = {
    { SUITE_OP("mean", MEAN, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_ALL & ~SET_BIT(SET_POWERS), .bound = { .kind = BOUND_AVERAGE },
      .range = case_range_mean, .random = { .operands = RANDOM_ONE, .add = add_mean } },
    { SUITE_OP("sum", SUM, 1), .types = FLOATS | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_ALL & ~SET_BIT(SET_POWERS), .bound = { .kind = BOUND_DOT }, .range = range_sum,
      .random = { .operands = RANDOM_ONE, .add = add_reduction }, .draws_apart = true },
    { SUITE_OP("reduce_max", REDUCE_MAX, 1), .types = FLOATS | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS, .any_beside_nan = true },
      .random = { .operands = RANDOM_ONE, .add = add_reduction } },
    { SUITE_OP("reduce_min", REDUCE_MIN, 1), .types = FLOATS | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS, .any_beside_nan = true },
      .random = { .operands = RANDOM_ONE, .add = add_reduction } },
    /* K factors make K - 1 roundings of 2u of a partial product each, which the factors behind it
     * scale as they do the product: 2u K |r|, and the magnitude is K |r|. */
    { SUITE_OP("reduce_prod", REDUCE_PROD, 1),
      .types = FLOATS | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 2 }, .range = range_product },
    { SUITE_OP("reduce_any", REDUCE_ANY, 1), .types = TYPE_BIT(CASE_BOOL), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
    { SUITE_OP("reduce_all", REDUCE_ALL, 1), .types = TYPE_BIT(CASE_BOOL), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define IMAGE DIMS(2, 3, 4, 5)

/* Rows of MEAN. */
#define MEAN(...) ROW(__VA_ARGS__, .only = "mean")
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        MEAN("hw_c" #c, "global average pooling, channels in slices of four"),                     \
            .in = DIMS(1, 3, 4, c), .axes = DIMS(1, 2)                                             \
    }
/* The same axes with and without reduced dimensions. */
#define AXES(name, why, shape, list)                                                               \
    { MEAN(name, why), .in = shape, .axes = list },                                                \
    {                                                                                              \
        MEAN(name "_keep", why ", dimensions kept"), .in = shape, .axes = list, .keep = true       \
    }

/* Rows for numbers in the types of each op, and the same for truth values.
 * X(name, why, shape, axes, keep) */
#define SHAPES(X)                                                                                  \
    X("n", "over the batch", IMAGE, DIMS(0), false),                                               \
        X("h_keep", "over rows, dimensions kept", IMAGE, DIMS(1), true),                           \
        X("w", "over columns", IMAGE, DIMS(2), false),                                             \
        X("c", "over channels: padded lanes must not count", IMAGE, DIMS(3), false),               \
        X("c_keep", "over the last dimension, kept", IMAGE, DIMS(-1), true),                       \
        X("hw", "over the image", IMAGE, DIMS(1, 2), false),                                       \
        X("nh_keep", "over batch and rows", IMAGE, DIMS(0, 1), true),                              \
        X("wc", "over columns and channels", IMAGE, DIMS(2, 3), false),                            \
        X("hc", "over rows and channels: not neighbours", IMAGE, DIMS(1, 3), false),               \
        X("nwc_keep", "over all but the rows", IMAGE, DIMS(0, 2, 3), true),                        \
        X("all", "over everything", IMAGE, DIMS(0, 1, 2, 3), false),                               \
        X("all_keep", "over everything, dimensions kept", IMAGE, DIMS(0, 1, 2, 3), true),          \
        X("negative", "axes from the end, in falling order", IMAGE, DIMS(-2, -3), false),          \
        X("twice", "an axis named from the start and from the end", IMAGE, DIMS(1, -3), true),     \
        X("c1", "over one channel: three lanes are padding", DIMS(1, 3, 3, 1), DIMS(3), true),     \
        X("c3", "over three channels: one lane is padding", DIMS(2, 3, 3), DIMS(2), false),        \
        X("c67", "over channels in 17 slices", DIMS(1, 2, 2, 67), DIMS(3), false),                 \
        X("rank1", "a vector to a scalar", DIMS(7), DIMS(0), false),                               \
        X("rank2_rows", "a matrix over its rows", DIMS(5, 6), DIMS(0), false),                     \
        X("rank2_columns", "a matrix over its columns", DIMS(6, 9), DIMS(1), true),                \
        X("rank3_middle", "over time", DIMS(2, 7, 5), DIMS(1), false),                             \
        X("rank5", "five dimensions, the second and fourth", DIMS(2, 3, 2, 3, 5), DIMS(1, 3),      \
          true),                                                                                   \
        X("rank6", "six dimensions, every other one", DIMS(2, 1, 3, 2, 2, 3), DIMS(0, 2, 4),       \
          false),                                                                                  \
        X("n65", "one element more than a workgroup of 64", DIMS(1, 65, 1, 3), DIMS(1), false),    \
        X("prime", "prime extents: no workgroup size divides them", DIMS(1, 13, 7, 11),            \
          DIMS(1, 2), false)

#define NUMBER(name, why, shape, list, kept)                                                       \
    {                                                                                              \
        ROW(name, why, .only = NUMBERS), .in = shape, .axes = list, .keep = (kept)                 \
    }
#define TRUTH(name, why, shape, list, kept)                                                        \
    {                                                                                              \
        ROW(name, why, .only = TRUTHS, .types = TYPE_BIT(CASE_BOOL)), .in = shape, .axes = list,   \
                                                                      .keep = (kept)               \
    }
#define PRODUCT(name, why, shape, list, kept)                                                      \
    {                                                                                              \
        ROW(name, why, .only = "reduce_prod"), .in = shape, .axes = list, .keep = (kept)           \
    }
#define SMALL DIMS(2, 2, 3, 5)

#define PARTS(n)                                                                                   \
    {                                                                                              \
        ROW("parts" #n, #n " elements", .only = "mean",                                            \
            .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),                                      \
            .in = DIMS(1, n, 1, 5), .axes = DIMS(1, 2)                                             \
    }

#define FACTORS                                                                                    \
    .only = "reduce_prod", .types = TYPE_BIT(CASE_I8),                                             \
    .quant = { .in = 1 / 32., .out = 1, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE },            \
    INTEGERS(factors)

static const int32_t lowest[] = { INT32_MIN }, highest[] = { INT32_MAX };
/* Of 32nds: halves, ones and twos, whose products come back to one, and are exact all the way. */
static const int32_t factors[] = { 64, 32, -16, 64, 64, -32, 16, 16, -32, 32, 32 };
static const float infinite[] = { -INFINITY };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    AXES("n", "over the batch", IMAGE, DIMS(0)),
    AXES("h", "over rows", IMAGE, DIMS(1)),
    AXES("w", "over columns", IMAGE, DIMS(2)),
    AXES("c", "over channels: padded lanes must not count", IMAGE, DIMS(3)),
    AXES("hw", "over the image", IMAGE, DIMS(1, 2)),
    AXES("nh", "over batch and rows", IMAGE, DIMS(0, 1)),
    AXES("wc", "over columns and channels", IMAGE, DIMS(2, 3)),
    AXES("hc", "over rows and channels: not neighbours", IMAGE, DIMS(1, 3)),
    AXES("hwc", "over all but the batch", IMAGE, DIMS(1, 2, 3)),
    AXES("nhw", "over all but the channels", IMAGE, DIMS(0, 1, 2)),
    AXES("all", "over everything", IMAGE, DIMS(0, 1, 2, 3)),
    { MEAN("negative", "axis -1 is the last"), .in = IMAGE, .axes = DIMS(-1) },
    { MEAN("negative_hw", "axes -3 and -2"), .in = IMAGE, .axes = DIMS(-3, -2), .keep = true },
    { MEAN("swapped", "axes in falling order"), .in = IMAGE, .axes = DIMS(2, 1) },
    { MEAN("twice", "an axis named twice counts once"), .in = IMAGE, .axes = DIMS(1, 1),
      .keep = true },
    { MEAN("twice_signed", "an axis named from the start and from the end counts once"),
      .in = IMAGE, .axes = DIMS(1, -3) },
    { MEAN("scalar_axis", "the axis is a tensor of rank 0"), .in = IMAGE,
      .axes = { .rank = 0, .d = { 2 } } },
    { MEAN("ones", "axes of extent 1: the input itself"), .in = DIMS(2, 1, 1, 5),
      .axes = DIMS(1, 2) },
    { MEAN("c1", "over one channel: three lanes are padding"), .in = DIMS(1, 3, 3, 1),
      .axes = DIMS(3), .keep = true },
    { MEAN("c3", "over three channels: one lane is padding"), .in = DIMS(1, 3, 3, 3),
      .axes = DIMS(3), .keep = true },
    { MEAN("c67", "over channels in 17 slices"), .in = DIMS(1, 2, 2, 67), .axes = DIMS(3) },
    { MEAN("rank1", "a vector to a scalar", .gap = GAP_RANK), .in = DIMS(7), .axes = DIMS(0) },
    { MEAN("rank1_keep", "a vector to a vector of one", .gap = GAP_RANK), .in = DIMS(7),
      .axes = DIMS(0), .keep = true },
    { MEAN("rank2_rows", "a matrix over its rows", .gap = GAP_RANK), .in = DIMS(5, 6),
      .axes = DIMS(0) },
    { MEAN("rank2_columns", "a matrix over its columns", .gap = GAP_RANK), .in = DIMS(5, 6),
      .axes = DIMS(1) },
    { MEAN("rank3_last", "layer normalization's mean", .gap = GAP_RANK), .in = DIMS(2, 3, 10),
      .axes = DIMS(2), .keep = true },
    { MEAN("rank3_middle", "over time", .gap = GAP_RANK), .in = DIMS(2, 7, 5), .axes = DIMS(1) },
    { MEAN("rank5", "five dimensions, the inner three", .gap = GAP_RANK), .in = DIMS(2, 3, 2, 3, 5),
      .axes = DIMS(2, 3, 4) },
    { MEAN("rank5_middle", "five dimensions, the second and fourth", .gap = GAP_RANK),
      .in = DIMS(2, 3, 2, 3, 5), .axes = DIMS(1, 3), .keep = true },
    { MEAN("rank6", "six dimensions, every other one", .gap = GAP_RANK),
      .in = DIMS(2, 1, 3, 2, 2, 3), .axes = DIMS(0, 2, 4) },
    { MEAN("batch3", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(3, 5, 5, 4),
      .axes = DIMS(1, 2) },
    { MEAN("batch7_c5", "an odd batch, channels that do not fill a slice", .gap = GAP_BATCH),
      .in = DIMS(7, 2, 3, 5), .axes = DIMS(1, 2), .keep = true },
    { MEAN("n65", "one element more than a workgroup of 64 has invocations"),
      .in = DIMS(1, 65, 1, 3), .axes = DIMS(1, 2) },
    { MEAN("n257", "one element more than a workgroup of 256 has invocations"),
      .in = DIMS(1, 257, 1, 2), .axes = DIMS(1, 2) },
    { MEAN("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 11),
      .axes = DIMS(1, 2) },
    { MEAN("mobilenet", "7x7 over 1024 channels"), .in = DIMS(1, 7, 7, 1024), .axes = DIMS(1, 2) },
    { MEAN("long", "70,000 elements: more than a counter of 16 bits holds", .gap = GAP_HALF_SUM),
      .in = DIMS(1, 280, 250, 1), .axes = DIMS(1, 2) },
    { MEAN("long_300", "70,000 elements of about 300: their sum is far beyond f16",
           .gap = GAP_HALF_SUM, .offset = 300, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 280, 250, 1), .axes = DIMS(1, 2) },
    { MEAN("long_channels", "70,001 channels", .gap = GAP_HALF_SUM), .in = DIMS(1, 1, 1, 70001),
      .axes = DIMS(3), .keep = true },
    { MEAN("half_max", "elements near the largest f16: any sum is beyond it", .gap = GAP_HALF_RANGE,
           .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 4, 4, 5), .axes = DIMS(1, 2) },
    { MEAN("v", "every version of the op means the same for floats", .each_version = true),
      .in = IMAGE, .axes = DIMS(1, 2) },
    { MEAN("version", "newer converters write higher versions of the op", .each_version = true,
           .gap = GAP_VERSION),
      .in = IMAGE, .axes = DIMS(1, 2) },
    { MEAN("every_byte", "means of one element: requantization of every byte", .types = TYPES_BYTES,
           .every_byte = 1),
      .in = DIMS(1, 1, 1, 256), .axes = DIMS(1, 2) },
    { MEAN("sum_batch", "70,000 elements of each of two images", .gap = GAP_HALF_SUM),
      .in = DIMS(2, 280, 250, 3), .axes = DIMS(1, 2), .keep = true },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { MEAN("quotient_rounded",
           "the quotient of the scales makes another factor in f32 than in double",
           .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED),
      .in = DIMS(1, 1, 1, 256), .axes = DIMS(1, 2) },
    { MEAN("quotient_rounded_b",
           "the quotient of the scales makes another factor in f32 than in double",
           .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED_B),
      .in = DIMS(1, 1, 1, 256), .axes = DIMS(1, 2) },
    { MEAN("quotient_left", "the quotient of the scales makes another factor in f32 than in double",
           .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_LEFT),
      .in = DIMS(1, 1, 1, 256), .axes = DIMS(1, 2) },
    { MEAN("halves", "means of two, without another scale: half of them are ties",
           .types = TYPES_BYTES,
           .quant = { .in = 0.1, .out = 0.1, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(3, 1, 2, 17), .axes = DIMS(1, 2) },
    { MEAN("ends_70000", "70,000 elements at either end: sums beyond 23 bits", .types = TYPES_BYTES,
           .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS),
           .quant = { .in = 0.1, .out = 0.1, .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .in = DIMS(2, 280, 250, 1), .axes = DIMS(1, 2) },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { MEAN("rows65537", "more rows than 65,535", LARGE), .in = DIMS(65537, 5), .axes = DIMS(1) },
    { MEAN("channels66000", "a mean for each of 66,000 channels", LARGE),
      .in = DIMS(1, 2, 1, 66000), .axes = DIMS(1, 2) },
    { MEAN("negative_first", "axis -rank is the first", .floats = true), .in = IMAGE,
      .axes = DIMS(-4) },
    { MEAN("negative_first_rank2", "axis -rank of a matrix", .floats = true), .in = DIMS(5, 6),
      .axes = DIMS(-2), .keep = true },
    { MEAN("negative_first_rank5", "axis -rank of five dimensions", .floats = true),
      .in = DIMS(3, 2, 2, 3, 5), .axes = DIMS(-5) },
    { MEAN("negative_first_cube", "axis -rank where all axes give one shape", .floats = true),
      .in = DIMS(3, 3, 3, 3), .axes = DIMS(-4) },
    { MEAN("negative_all", "all axes from the end", .floats = true), .in = IMAGE,
      .axes = DIMS(-1, -2, -3, -4) },
    { MEAN("c8_even", "a mean of two elements: ties of f16", .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 1, 2, 8), .axes = DIMS(1, 2) },
    /* A dimension of 0. */
    { MEAN("empty_batch", "no image at all has no mean", EMPTY), .in = DIMS(0, 3, 2, 5),
      .axes = DIMS(1, 2) },
    SHAPES(NUMBER),
    SHAPES(TRUTH),
    { ROW("scalar_axis", "the axis is a tensor of rank 0", .only = NUMBERS), .in = IMAGE,
      .axes = { .rank = 0, .d = { 2 } } },
    { ROW("v", "every version of the op means the same for floats", .only = NUMBERS,
          .each_version = true),
      .in = IMAGE, .axes = DIMS(1, 2) },
    { ROW("v", "every version of the op", .only = TRUTHS, .types = TYPE_BIT(CASE_BOOL),
          .each_version = true),
      .in = IMAGE, .axes = DIMS(1, 2) },
    { ROW("channels1025", "over more channels than a row of a workgroup", .only = NUMBERS,
          .floats = true),
      .in = DIMS(2, 1025), .axes = DIMS(1), .keep = true },
    { ROW("long_300", "70,000 elements of about 300: their sum is far beyond f16", .only = "sum",
          .gap = GAP_HALF_SUM, .offset = 300, .types = FLOATS, .overflow = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 280, 250, 1), .axes = DIMS(1, 2) },
    { ROW("every_byte", "sums of one element: requantization of every byte", .only = "sum",
          .types = TYPES_BYTES, .every_byte = 1),
      .in = DIMS(1, 1, 1, 256), .axes = DIMS(1, 2) },
    { ROW("ends_7000", "7,000 elements at either end", .only = "sum", .types = TYPES_BYTES,
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS)),
      .in = DIMS(2, 28, 250, 1), .axes = DIMS(1, 2) },
    { ROW("one_scale", "a sum without another scale", .only = "sum", .types = TYPES_BYTES,
          .quant = { .in = 0.1, .out = 0.1, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(3, 1, 2, 17), .axes = DIMS(1, 2) },
    { ROW("zero_low", "sums of numbers of one sign", .only = "sum", .types = TYPES_BYTES,
          .quant = { .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .in = IMAGE, .axes = DIMS(1, 3) },
    { ROW("lowest", "elements near the lowest f32", .only = "reduce_max reduce_min",
          .types = FLOATS, .scale = 1e36, .offset = -3e38, .overflow = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 3, 2, 5), .axes = DIMS(1, 3) },
    PRODUCT("n", "over the batch", SMALL, DIMS(0), false),
    PRODUCT("h_keep", "over rows, dimensions kept", SMALL, DIMS(1), true),
    PRODUCT("w", "over columns", SMALL, DIMS(2), false),
    PRODUCT("c", "over channels: padded lanes must not count", SMALL, DIMS(3), false),
    PRODUCT("c_keep", "over the last dimension, kept", SMALL, DIMS(-1), true),
    PRODUCT("nh", "over batch and rows", SMALL, DIMS(0, 1), false),
    PRODUCT("nh_keep", "over batch and rows, dimensions kept", SMALL, DIMS(0, 1), true),
    PRODUCT("twice", "an axis named twice", SMALL, DIMS(2, -2), true),
    PRODUCT("negative", "axes from the end", DIMS(1, 2, 2, 7), DIMS(-2, -3), false),
    PRODUCT("c1", "over one channel", DIMS(1, 3, 3, 1), DIMS(3), true),
    PRODUCT("c2", "over two channels: the CPU requantizes twice", DIMS(4, 5, 2), DIMS(2), false),
    PRODUCT("c3", "over three channels: one lane is padding", DIMS(2, 3, 3), DIMS(2), false),
    PRODUCT("rank1", "a vector to a scalar", DIMS(4), DIMS(0), false),
    PRODUCT("rank1_keep", "a vector to a vector of one", DIMS(3), DIMS(0), true),
    PRODUCT("rank2_rows", "a matrix over its rows", DIMS(3, 6), DIMS(0), false),
    PRODUCT("rank2_columns", "a matrix over its columns", DIMS(6, 3), DIMS(1), true),
    PRODUCT("rank3_middle", "over time", DIMS(2, 4, 5), DIMS(1), false),
    PRODUCT("rank5", "five dimensions, the second and fourth", DIMS(2, 2, 2, 2, 5), DIMS(1, 3),
            true),
    PRODUCT("rank6", "six dimensions", DIMS(2, 1, 2, 2, 1, 3), DIMS(0, 2, 4), false),
    { ROW("hc", "over rows and channels: not neighbours", .only = "reduce_prod", .floats = true),
      .in = SMALL, .axes = DIMS(1, 3) },
    { ROW("all", "over everything", .only = "reduce_prod", .floats = true), .in = DIMS(2, 3, 2, 3),
      .axes = DIMS(0, 1, 2, 3) },
    { ROW("n65", "one element more than a workgroup of 64", .only = "reduce_prod", .floats = true),
      .in = DIMS(1, 65, 1, 3), .axes = DIMS(1) },
    { ROW("i32_wraps", "products beyond 32 bits", .only = "reduce_prod",
          .types = TYPE_BIT(CASE_I32)),
      .in = DIMS(3, 9, 5), .axes = DIMS(1) },
    { ROW("v", "every version of the op means the same for floats", .only = "reduce_prod",
          .each_version = true),
      .in = SMALL, .axes = DIMS(2) },
    { ROW("overflow", "products beyond the largest f16", .only = "reduce_prod", .types = FLOATS,
          .scale = 64, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = SMALL, .axes = DIMS(2) },
    { ROW("empty_batch", "no result at all", .only = NUMBERS, EMPTY), .in = DIMS(0, 3, 2, 5),
      .axes = DIMS(1, 2) },
    { ROW("empty_rows", "over nothing", .only = NUMBERS, .types = FLOATS, EMPTY_TENSOR),
      .in = DIMS(2, 0, 3), .axes = DIMS(1) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum_c", LANES_SUM, .only = "mean sum"), .in = SUM_DIMS, .axes = DIMS(3) },
    { ROW("lanes_sum_w", LANES_SUM, .only = "mean sum"), .in = SUM_DIMS, .axes = DIMS(2) },
    { ROW("lanes_special_c", LANES_SPECIAL, .only = "reduce_max reduce_min"), .in = SPECIAL_DIMS,
      .axes = DIMS(3) },
    { ROW("lanes_special_w", LANES_SPECIAL, .only = "reduce_max reduce_min"), .in = SPECIAL_DIMS,
      .axes = DIMS(2) },
    { ROW("lanes_sum", LANES_SUM, .only = "reduce_prod"), .in = FACTOR_DIMS, .axes = DIMS(3) },
    { ROW("lanes_denormal_w", LANES_DENORMAL, .only = "mean " NUMBERS), .in = DENORMAL_DIMS,
      .axes = DIMS(2) },
    { ROW("lanes_ends_c", LANES_END(END_TYPES), .only = "mean " NUMBERS), .in = END_DIMS,
      .axes = DIMS(3) },
    { ROW("lanes_ends_w", LANES_END(END_TYPES), .only = "mean " NUMBERS), .in = END_DIMS,
      .axes = DIMS(2) },
    { ROW("all_lowest", "nothing but the lowest integer", .only = "mean reduce_max reduce_min",
          .types = END_TYPES, .sets = SET_BIT(SET_RANDOM), INTEGERS(lowest)),
      .in = DIMS(2, 3, 3, 3), .axes = DIMS(1, 3) },
    { ROW("all_highest", "nothing but the highest integer", .only = "mean reduce_max reduce_min",
          .types = END_TYPES, .sets = SET_BIT(SET_RANDOM), INTEGERS(highest)),
      .in = DIMS(2, 3, 3, 3), .axes = DIMS(1, 3) },
    { ROW("all_infinite", "nothing but -infinity", .only = "reduce_max reduce_min", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), .specials = true, VALUES(infinite)),
      .in = DIMS(2, 3, 3, 3), .axes = DIMS(1, 3) },
    /* Sizes beyond 16 bits (test_sizes.c).  A row is a workgroup, of which 66,001 take long on a
     * device without a GPU: one op of each kernel has them. */
    { ROW("outer66001", "66,001 rows", LARGE_F32, .only = "sum"), .in = DIMS(66001, 2),
      .axes = DIMS(1) },
    { ROW("outer66001", "66,001 rows", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD,
          .only = "reduce_max"),
      .in = DIMS(66001, 2), .axes = DIMS(1) },
    { ROW("outer1025", "1,025 rows", LARGE_IN(SIZED), .only = NUMBERS), .in = DIMS(1025, 2),
      .axes = DIMS(1) },
    { ROW("outer1025", "1,025 rows", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD,
          .only = "mean"),
      .in = DIMS(1025, 2), .axes = DIMS(1) },
    { ROW("outer1025", "1,025 rows", LARGE_POSITIVE(SIZED), .only = "reduce_prod"),
      .in = DIMS(1025, 2), .axes = DIMS(1) },
    { ROW("outer1025", "1,025 rows", .types = TYPE_BIT(CASE_BOOL), .period = SHORT_PERIOD,
          .only = TRUTHS),
      .in = DIMS(1025, 2), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 channels", LARGE_IN(SIZED), .only = "sum mean"),
      .in = DIMS(2, 66001), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 channels, the last one is the largest", LARGE_IN(SIZED),
          .only = "reduce_max", .ramp = 1),
      .in = DIMS(2, 66001), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 channels, the last one is the least", LARGE_IN(SIZED),
          .only = "reduce_min", .ramp = -1),
      .in = DIMS(2, 66001), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 columns, the last one decides", .types = TYPE_BIT(CASE_BOOL),
          .period = SHORT_PERIOD, .only = "reduce_any", .ramp = 1),
      .in = DIMS(1, 66001), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 columns, the last one decides", .types = TYPE_BIT(CASE_BOOL),
          .period = SHORT_PERIOD, .only = "reduce_all", .ramp = -1),
      .in = DIMS(1, 66001), .axes = DIMS(1) },
    { ROW("axis66001", "66,001 factors", .only = "reduce_prod", .types = TYPE_BIT(CASE_I32),
          .period = SHORT_PERIOD, .i32_limit = 1),
      .in = DIMS(1, 66001), .axes = DIMS(1) },
    { ROW("axis66001_rows", "66,001 rows", LARGE_IN(FLOATS | TYPE_BIT(CASE_I8)),
          .only = "sum mean"),
      .in = DIMS(1, 66001, 1, 2), .axes = DIMS(1, 2) },
    { ROW("images66049", "images of 66,049 places each", LARGE_F32, .only = "sum mean"),
      .in = DIMS(2, 257, 257, 1), .axes = DIMS(1, 2) },
    { ROW("inner66001", "66,001 columns", LARGE_F32, .only = NUMBERS), .in = DIMS(2, 66001),
      .axes = DIMS(0) },
    { ROW("inner66001", "66,001 columns", LARGE_POSITIVE(FLOATS), .only = "reduce_prod"),
      .in = DIMS(2, 66001), .axes = DIMS(0) },
    { ROW("inner66001", "66,001 columns", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD,
          .only = "mean reduce_max"),
      .in = DIMS(2, 66001), .axes = DIMS(0) },
    { ROW("inner66001", "66,001 columns", .types = TYPE_BIT(CASE_I32), .period = SHORT_PERIOD,
          .only = "sum"),
      .in = DIMS(2, 66001), .axes = DIMS(0) },
    { ROW("inner66001", "66,001 columns", .types = TYPE_BIT(CASE_BOOL), .period = SHORT_PERIOD,
          .only = "reduce_any"),
      .in = DIMS(2, 66001), .axes = DIMS(0) },
    /* Sums at the end of the range that pass 24 bits (test_sizes.c). */
    { ROW("sum25", SUM_END(TYPES_BYTES, 0), .only = "mean"), .in = DIMS(1, 364, 364, 1),
      .axes = DIMS(1, 2) },
    { ROW("sum25", SUM_END(TYPE_BIT(CASE_U8), 1), .only = "sum"), .in = DIMS(1, 257, 257, 1),
      .axes = DIMS(1, 2) },
    { ROW("inner66001_rows", "66,001 columns of one channel", LARGE_F32, .only = "sum"),
      .in = DIMS(2, 66001, 1), .axes = DIMS(0) },
    { ROW("inner66001_rows", "66,001 columns of one channel", .types = TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD, .only = "reduce_max"),
      .in = DIMS(2, 66001, 1), .axes = DIMS(0) },
    { ROW("factor_tiny", "factors so small that negative products are 0, not -1",
          .only = "reduce_prod", .types = TYPE_BIT(CASE_I8),
          .quant = { .in = 1e-3, .out = 1e9, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(2, 2, 2, 5), .axes = DIMS(1) },
    { ROW("axis12979_rows", "12,979 factors in rows", FACTORS), .in = DIMS(12979, 5),
      .axes = DIMS(0) },
    { ROW("axis12979", "12,979 factors in channels", FACTORS), .in = DIMS(5, 12979),
      .axes = DIMS(1) },
    /* Around the sizes from which on workgroups make parts of a sum, on GPUs and in software. */
    PARTS(1023),
    PARTS(1024),
    PARTS(8191),
    PARTS(8192),
    { ROW("parts_apart", "8,633 elements in runs with others between", LARGE_F32,
          .only = "mean " NUMBERS),
      .in = DIMS(2, 97, 2, 89, 3), .axes = DIMS(1, 3), .keep = true },
    { ROW("parts_apart", "8,633 elements in runs with others between", .types = TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD, .only = "mean reduce_max"),
      .in = DIMS(2, 97, 2, 89, 3), .axes = DIMS(1, 3), .keep = true },
    { ROW("parts_apart_rank8", "8,381 elements in three runs with others between", LARGE_F32,
          .only = "sum"),
      .in = DIMS(2, 17, 2, 17, 2, 29, 2, 1), .axes = DIMS(1, 3, 5) },
    /* A row is of an invocation. */
    { ROW("outer1025_keep", "1,025 rows of four slices", LARGE_F32, .only = "mean " NUMBERS),
      .in = DIMS(1025, 13), .axes = DIMS(1), .keep = true },
    { ROW("outer1025_keep", "1,025 rows of four slices", .types = TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD, .only = "mean reduce_max"),
      .in = DIMS(1025, 13), .axes = DIMS(1), .keep = true },
    { ROW("outer1025_image", "1,025 rows of four slices in an image", LARGE_F32,
          .only = "mean " NUMBERS),
      .in = DIMS(1, 1025, 13), .axes = DIMS(2), .keep = true },
    { ROW("outer1025_image", "1,025 rows of four slices in an image", .types = TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD, .only = "mean reduce_max"),
      .in = DIMS(1, 1025, 13), .axes = DIMS(2), .keep = true },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank3_scalar_axis", "rank 3, the axis is a tensor of rank 0", REAL(TYPE_BIT(CASE_F32)),
          .only = "sum mean"),
      .in = DIMS(2, 7, 5), .axes = { .rank = 0, .d = { 1 } } },
    { ROW("rank3_scalar_axis_keep", "rank 3, the axis is a tensor of rank 0, dimensions kept",
          REAL(TYPE_BIT(CASE_F32)), .only = "mean"),
      .in = DIMS(2, 7, 5), .axes = { .rank = 0, .d = { 1 } }, .keep = true },
    { ROW("sizes", "the elements of a shape", REAL(TYPE_BIT(CASE_I32)), .only = "reduce_prod"),
      .in = DIMS(4), .axes = DIMS(0) },
    { ROW("no_scale", WITHOUT_SCALES, .only = "reduce_max reduce_min"), .in = DIMS(3, 5),
      .axes = DIMS(1) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int count = r->axes.rank > 0 ? r->axes.rank : 1;
    const struct shape vector = { .rank = r->axes.rank > 0, .d = { count } };
    struct fill fill = { .terms = 1, .factors = 1, .pair = PAIR_OPPOSITE };
    bool reduced[SHAPE_RANK_MAX] = { false };
    struct shape out = { .rank = 0 };
    struct options options;
    int in[2];

    for (int i = 0; i < count; i++)
        reduced[r->axes.d[i] < 0 ? r->axes.d[i] + r->in.rank : r->axes.d[i]] = true;
    for (int i = 0; i < r->in.rank; i++) {
        if (!reduced[i] || r->keep)
            out.d[out.rank++] = reduced[i] ? 1 : r->in.d[i];
        if (!reduced[i])
            continue;
        fill.terms *= r->in.d[i];
        if (r->in.d[i] > 1)
            fill.axis = i;
    }
    in[0] = case_input(m, "x", &r->in, &fill);
    in[1] = case_constant_i32(m, "axes", &vector, r->axes.d);
    options_init(&options, OPTIONS_ReducerOptions);
    options_set_int(&options, "keep_dims", r->keep);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

/* ---- sweep: every set of axes of an image, for any count of channels ---- */

static const struct pairwise_level sets[] = {
    { "n", 1, 0 },   { "h", 2, 0 },    { "w", 4, 0 },    { "c", 8, 0 },    { "nh", 3, 0 },
    { "nw", 5, 0 },  { "nc", 9, 0 },   { "hw", 6, 0 },   { "hc", 10, 0 },  { "wc", 12, 0 },
    { "nhw", 7, 0 }, { "nhc", 11, 0 }, { "nwc", 13, 0 }, { "hwc", 14, 0 }, { "nhwc", 15, 0 },
};
static const struct pairwise_level channels[] = {
    { "c1", 1, 0 }, { "c2", 2, 0 }, { "c3", 3, 0 },   { "c4", 4, 0 },   { "c5", 5, 0 },
    { "c7", 7, 0 }, { "c8", 8, 0 }, { "c17", 17, 0 }, { "c33", 33, 0 },
};
static const struct pairwise_level batches[] = {
    { "b1", 1, 0 }, { "b2", 2, 0 }, { "b3", 3, 0 }, { "b7", 7, 0 }
};
static const struct pairwise_level images[] = {
    { "i1", 1, 1 }, { "i2x3", 2, 3 }, { "i5x4", 5, 4 }, { "i1x9", 1, 9 }
};
static const struct pairwise_level dims[] = { { "", false, 0 }, { "keep", true, 0 } };
/* Axes counted from the end, and in falling order. */
static const struct pairwise_level signs[] = { { "", 0, 0 }, { "neg", -1, 0 } };
enum { SET, CHANNEL, BATCH, SIZE, KEEP, SIGN };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(sets),   PAIRWISE_AXIS(channels), PAIRWISE_AXIS(batches),
    PAIRWISE_AXIS(images), PAIRWISE_AXIS(dims),     PAIRWISE_AXIS(signs),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name,
                  .only = "mean",
                  .why = "pairwise: axes, channels, batch, image, dimensions",
                  .floats = p->index % 3 != 0 },
        .in = DIMS(level[BATCH]->x, level[SIZE]->x, level[SIZE]->y, level[CHANNEL]->x),
        .keep = level[KEEP]->x,
    };

    for (int i = 0; i < 4; i++) {
        const int axis = level[SIGN]->x ? 3 - i : i;

        if (level[SET]->x >> axis & 1)
            r.axes.d[r.axes.rank++] = level[SIGN]->x ? axis - 4 : axis;
    }
    return r;
}

/* ---- sweep: scales and zero points, counts of elements around powers of two ---- */

static const struct pairwise_level counts[] = {
    { "x3", 3, 1 }, { "x4", 2, 2 }, { "x5", 5, 1 }, { "x49", 7, 7 }, { "x64", 8, 8 },
};
enum { Q_MULTIPLIERS, Q_ZERO, Q_ZERO_OUT, Q_COUNT };
static const struct pairwise_axis quantized_axes[] = { QUANT_MULTIPLIERS_OF_ONE, QUANT_ZEROS,
                                                       QUANT_ZEROS_OUT, PAIRWISE_AXIS(counts) };

static struct row quantized_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;

    return (struct row){
        .base = { .name = p->name,
                  .only = "mean",
                  .why = "pairwise: multipliers, zero points, how many elements",
                  .types = p->index % 2 ? TYPE_BIT(CASE_U8) : TYPE_BIT(CASE_I8),
                  .quant =
                      quant_row_of(level[Q_MULTIPLIERS], level[Q_ZERO], level[Q_ZERO_OUT], NULL) },
        .in = DIMS(2, level[Q_COUNT]->x, level[Q_COUNT]->y, 9),
        .axes = DIMS(1, 2),
    };
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(quantized_row, quantized_axes))
SUITE_SWEPT(reduce, members, rows, build, sweep);
