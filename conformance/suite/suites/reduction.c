/* SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL.  Every kind of axes over ranks
 * 1 to 6, kept and dropped dimensions, sums that do not fit f16.  Products have few elements, so
 * that they neither vanish nor overflow. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    struct shape axes; /* the axes are in d; rank 0: one axis, d[0], in a scalar tensor */
    bool keep;         /* reduced dimensions stay, as 1 */
};

static bool add_random(struct case_builder *m, struct random_call *call)
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
    { .op = "sum",
      .code = BUILTIN_SUM,
      .version = 1,
      .types = FLOATS | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_ALL & ~SET_BIT(SET_POWERS),
      .bound = { .kind = BOUND_DOT },
      .range = range_sum,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { .op = "reduce_max",
      .code = BUILTIN_REDUCE_MAX,
      .version = 1,
      .types = FLOATS | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { .op = "reduce_min",
      .code = BUILTIN_REDUCE_MIN,
      .version = 1,
      .types = FLOATS | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    /* K factors make K - 1 roundings of 2u of a partial product each, which the factors behind it
     * scale as they do the product: 2u K |r|, and the magnitude is K |r|. */
    { .op = "reduce_prod",
      .code = BUILTIN_REDUCE_PROD,
      .version = 1,
      .types = FLOATS | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 2 },
      .range = range_product },
    { .op = "reduce_any",
      .code = BUILTIN_REDUCE_ANY,
      .version = 1,
      .types = TYPE_BIT(CASE_BOOL),
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
    { .op = "reduce_all",
      .code = BUILTIN_REDUCE_ALL,
      .version = 1,
      .types = TYPE_BIT(CASE_BOOL),
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define IMAGE DIMS(2, 3, 4, 5)

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

static const struct row rows[] = {
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

SUITE(reduction, members, rows, build);
