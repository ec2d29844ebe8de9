/* SQUEEZE and EXPAND_DIMS: dimensions of 1 that come and go, among them the channels. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t dims[SHAPE_RANK_MAX]; /* of SQUEEZE */
    int32_t dim_count;
    int32_t axis; /* of EXPAND_DIMS */
    bool wide;    /* the axis is int64 */
    bool vector;  /* the axis is a vector of one element */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank > 4)
        return false;
    call->out.value =
        graph_add_expand_dims(m, x, (int)random_choice(call, 0, (uint32_t)x.shape.rank + 1));
    return true;
}

#define TYPES (TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE)
static const struct suite_member members[] = {
    { SUITE_OP("squeeze", SQUEEZE, 1), .types = TYPES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
    { SUITE_OP("expand_dims", EXPAND_DIMS, 1), .types = TYPES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS }, .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define SQUEEZE(name, why, shape, ...)                                                             \
    {                                                                                              \
        ROW(name, why, .only = "squeeze"),                                                         \
            .in = shape, .dims = { __VA_ARGS__ },                                                  \
            .dim_count = sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)                \
    }
#define SQUEEZE_ALL(name, why, shape)                                                              \
    {                                                                                              \
        ROW(name, why, .only = "squeeze"), .in = shape                                             \
    }
#define EXPAND(name, why, shape, axis_, ...)                                                       \
    {                                                                                              \
        ROW(name, why, .only = "expand_dims", __VA_ARGS__), .in = shape, .axis = (axis_)           \
    }

static const struct row rows[] = {
    SQUEEZE("pooled", "what a pool leaves of an image", DIMS(1, 1, 1, 17), 1, 2),
    SQUEEZE("batch", "the batch", DIMS(1, 2, 3, 5), 0),
    SQUEEZE("channel", "one channel: columns become channels", DIMS(1, 2, 3, 1), 3),
    SQUEEZE("channel_6", "six columns become channels", DIMS(2, 3, 6, 1), -1),
    SQUEEZE("channel_4", "four columns become a slice", DIMS(2, 3, 4, 1), 3),
    SQUEEZE("middle", "a dimension in the middle", DIMS(2, 1, 3, 5), 1),
    SQUEEZE("negative", "dimensions from the end", DIMS(2, 1, 3, 1), -1, -3),
    SQUEEZE("repeated", "a dimension named twice is dropped once", DIMS(1, 3, 1, 5), 0, -4),
    SQUEEZE("some", "one of three dimensions of 1", DIMS(1, 1, 1, 6), 1),
    SQUEEZE("scalar", "a vector of one to a scalar", DIMS(1), 0),
    SQUEEZE("rank5", "five dimensions", DIMS(2, 1, 3, 1, 5), 1, 3),
    SQUEEZE("rank8", "eight dimensions", DIMS(1, 2, 1, 3, 1, 2, 1, 5), 0, 2, 4, 6),
    SQUEEZE_ALL("all", "without a list all dimensions of 1", DIMS(1, 3, 1, 5)),
    SQUEEZE_ALL("all_channel", "without a list, the channel too", DIMS(1, 7, 5, 1)),
    SQUEEZE_ALL("all_scalar", "without a list to a scalar", DIMS(1, 1, 1)),
    SQUEEZE_ALL("all_none", "without a list and a dimension of 1", DIMS(2, 3, 5)),
    { ROW("v", "every version of the op means the same", .only = "squeeze", .each_version = true),
      .in = DIMS(1, 2, 1, 5), .dims = { 2 }, .dim_count = 1 },
    { ROW("half_max", "near the largest f16: moved as they are", .only = "squeeze", .scale = 1000,
          .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 4, 7, 1), .dims = { 3 }, .dim_count = 1 },
    { ROW("empty", "no element at all", .only = "squeeze", EMPTY), .in = DIMS(1, 0, 3),
      .dims = { 0 }, .dim_count = 1 },

    EXPAND("first", "a batch of one", DIMS(2, 3, 5), 0, .types = 0),
    EXPAND("second", "a row of one", DIMS(2, 3, 5), 1, .types = 0),
    EXPAND("last", "channels become columns", DIMS(2, 3, 5), 3, .types = 0),
    EXPAND("last_negative", "-1 is behind the last", DIMS(2, 3, 5), -1, .types = 0),
    EXPAND("last_4", "a slice becomes four columns", DIMS(2, 3, 4), -1, .types = 0),
    EXPAND("negative", "counted from the end of the output", DIMS(2, 3, 5), -2, .types = 0),
    EXPAND("negative_first", "axis -rank of the output", DIMS(2, 3, 5), -4, .types = 0),
    EXPAND("scalar", "a scalar to a vector", SCALAR, 0, .types = 0),
    EXPAND("scalar_negative", "a scalar to a vector, from the end", SCALAR, -1, .types = 0),
    EXPAND("vector", "a vector to a row", DIMS(9), 0, .types = 0),
    EXPAND("vector_column", "a vector to a column", DIMS(9), 1, .types = 0),
    EXPAND("image", "an image to a volume", DIMS(1, 2, 3, 5), 1, .types = 0),
    EXPAND("image_last", "an image to a volume of one channel", DIMS(1, 2, 3, 5), 4, .types = 0),
    EXPAND("rank6", "six dimensions to seven", DIMS(1, 2, 1, 3, 2, 5), 3, .types = 0),
    EXPAND("rank7", "seven dimensions to eight", DIMS(1, 2, 1, 3, 1, 2, 5), 7, .types = 0),
    EXPAND("v", "the version of the op", DIMS(2, 5), 1, .each_version = true),
    EXPAND("half_max", "near the largest f16: moved as they are", DIMS(4, 7), 2, .scale = 1000,
           .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
    EXPAND("empty", "no element at all", DIMS(0, 3), 0, EMPTY),
    { ROW("wide", "an axis of 64 bits", .only = "expand_dims"), .in = DIMS(2, 5), .axis = 1,
      .wide = true },
    { ROW("axis_vector", "the axis as a vector of one element", .only = "expand_dims"),
      .in = DIMS(2, 5), .axis = 2, .vector = true },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "squeeze"), .in = DIMS(8, 1, 6, 5), .dims = { 1 },
      .dim_count = 1 },
    { ROW("lanes_special", LANES_SPECIAL, .only = "expand_dims"), .in = DIMS(8, 6, 5), .axis = 3 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32, .only = "squeeze"),
      .in = DIMS(66001, 1, 1, 1, 2), .dims = { 1 }, .dim_count = 1 },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED), .only = "squeeze"),
      .in = DIMS(1, 1, 66001, 1, 2), .dims = { 0 }, .dim_count = 1 },
    { ROW("width66001", "a width of 66,001", LARGE_F32, .only = "squeeze"),
      .in = DIMS(1, 1, 66001, 2), .dims = { 0 }, .dim_count = 1 },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED), .only = "squeeze"),
      .in = DIMS(1, 2, 66001), .dims = { 0 }, .dim_count = 1 },
    EXPAND("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 2), 1, LARGE_F32),
    EXPAND("height66001", "a height of 66,001", DIMS(1, 66001, 1, 2), 0, LARGE_IN(SIZED)),
    EXPAND("width66001", "a width of 66,001", DIMS(1, 1, 66001, 2), 0, LARGE_F32),
    EXPAND("channels66001", "66,001 channels", DIMS(2, 66001), 0, LARGE_IN(SIZED)),
};

static struct shape squeezed(const struct row *r)
{
    struct shape out = { .rank = 0 };

    for (int d = 0; d < r->in.rank; d++) {
        bool dropped = r->dim_count == 0 && r->in.d[d] == 1;

        for (int i = 0; i < r->dim_count; i++)
            dropped |= r->dims[i] == d || r->dims[i] + r->in.rank == d;
        if (!dropped)
            out.d[out.rank++] = r->in.d[d];
    }
    return out;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const int at = r->axis < 0 ? r->axis + r->in.rank + 1 : r->axis;
    const struct shape scalar = SCALAR, one = DIMS(1);
    struct shape out = { .rank = r->in.rank + 1 };
    struct options options;
    int in[2];

    in[0] = case_input(m, "x", &r->in, &any);
    if (m->c->code == BUILTIN_SQUEEZE) {
        out = squeezed(r);
        options_init(&options, OPTIONS_SqueezeOptions);
        if (r->dim_count > 0)
            options_set_ints(&options, "squeeze_dims", r->dims, (size_t)r->dim_count);
        case_judged_op(m, &options, 1, in, case_output(m, "y", &out));
        return;
    }
    for (int d = 0; d < out.rank; d++)
        out.d[d] = d == at ? 1 : r->in.d[d - (d > at)];
    options_init(&options, OPTIONS_ExpandDimsOptions);
    in[1] = (r->wide ? case_constant_i64 : case_constant_i32)(m, "axis", r->vector ? &one : &scalar,
                                                              &r->axis);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(squeeze, members, rows, build);
