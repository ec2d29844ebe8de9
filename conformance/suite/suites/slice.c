/* SLICE and REVERSE_V2: ranges and directions of every dimension, which move channels between
 * lanes.
 */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t begin[SHAPE_RANK_MAX], size[SHAPE_RANK_MAX]; /* of SLICE */
    bool wide;                                           /* they are int64 */
    int32_t axes[SHAPE_RANK_MAX];                        /* of REVERSE_V2 */
    int32_t axis_count;
};

static bool add_slice(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int axis = x.shape.rank - 1 - (int)random_choice(call, 0, 2);
    int32_t begin;

    if (axis < 0 || x.shape.d[axis] < 2)
        return false;
    begin = (int32_t)random_choice(call, 1, (uint32_t)x.shape.d[axis] - 1);
    call->out.value = graph_add_slice(m, x, axis, begin, x.shape.d[axis] - 1 - begin / 2);
    return begin + x.shape.d[axis] - 1 - begin / 2 <= x.shape.d[axis];
}

#define TYPES (TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE)
static const struct suite_member members[] = {
    { SUITE_OP("slice", SLICE, 1), .types = TYPES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS }, .random = { .operands = RANDOM_ONE, .add = add_slice } },
    { SUITE_OP("reverse_v2", REVERSE_V2, 1), .bool_version = 2, .types = TYPES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SLICE(name, why, shape, begin_, size_, ...)                                                \
    {                                                                                              \
        ROW(name, why, .only = "slice", __VA_ARGS__), .in = shape, .begin = begin_, .size = size_  \
    }
#define REVERSE(name, why, shape, axes_, ...)                                                      \
    {                                                                                              \
        ROW(name, why, .only = "reverse_v2", __VA_ARGS__),                                         \
            .in = shape, .axes = axes_,                                                            \
            .axis_count = sizeof((const int32_t[])axes_) / sizeof(int32_t)                         \
    }

static const struct row rows[] = {
    SLICE("crop", "the middle of an image", DIMS(1, 5, 6, 7), LIST(0, 1, 2, 0), LIST(1, 3, 3, 7),
          .types = 0),
    SLICE("rest", "-1: all from begin on", DIMS(2, 4, 5, 6), LIST(1, 2, 0, 3), LIST(-1, -1, -1, -1),
          .types = 0),
    SLICE("lane1", "all channels but the first", DIMS(1, 2, 3, 6), LIST(0, 0, 0, 1),
          LIST(-1, -1, -1, -1), .types = 0),
    SLICE("lane4", "channels from a slice on", DIMS(1, 2, 3, 9), LIST(0, 0, 0, 4), LIST(1, 2, 3, 5),
          .types = 0),
    SLICE("lane3_5", "channels across two slices", DIMS(1, 2, 3, 9), LIST(0, 0, 0, 3),
          LIST(1, 2, 3, 5), .types = 0),
    SLICE("first_rows", "the beginning: the same memory", DIMS(4, 5), LIST(0, 0), LIST(2, 5),
          .types = 0),
    SLICE("one", "one element", DIMS(3, 4, 5), LIST(2, 1, 3), LIST(1, 1, 1), .types = 0),
    SLICE("last", "the last of each dimension", DIMS(3, 4, 5), LIST(2, 3, 4), LIST(1, -1, 1),
          .types = 0),
    SLICE("all", "everything", DIMS(2, 3, 5), LIST(0, 0, 0), LIST(2, -1, 5), .types = 0),
    SLICE("batch", "images", DIMS(5, 2, 2, 3), LIST(3, 0, 0, 0), LIST(2, 2, 2, 3), .types = 0),
    SLICE("rank1", "a vector", DIMS(67), LIST(5), LIST(60), .types = 0),
    SLICE("rank2", "a matrix", DIMS(6, 9), LIST(1, 2), LIST(4, 6), .types = 0),
    SLICE("rank3", "rank 3", DIMS(3, 5, 6), LIST(0, 1, 4), LIST(3, 2, 2), .types = 0),
    SLICE("rank5", "five dimensions", DIMS(2, 2, 3, 4, 5), LIST(1, 0, 1, 2, 1), LIST(1, 2, 2, 2, 3),
          .version = 5),
    SLICE("n257", "more places than a workgroup has invocations", DIMS(1, 300, 3), LIST(0, 40, 1),
          LIST(1, 257, 2), .types = 0),
    SLICE("v", "every version of the op means the same", DIMS(2, 3, 7), LIST(0, 1, 2),
          LIST(2, 2, 4), .each_version = true),
    SLICE("half_max", "near the largest f16: moved as they are", DIMS(2, 3, 7), LIST(0, 1, 2),
          LIST(2, 2, 4), .scale = 1000, .offset = 6e4, .overflow = true,
          .sets = SET_BIT(SET_RANDOM)),
    SLICE("places89102", "89,102 places of a crop", DIMS(1, 300, 301, 5), LIST(0, 1, 1, 1),
          LIST(1, 298, 299, 3), LARGE),
    SLICE("empty_result", "a size of 0", DIMS(2, 4, 5), LIST(0, 4, 0), LIST(2, 0, 5), EMPTY),
    { ROW("wide", "begin and size of 64 bits", .only = "slice"), .in = DIMS(2, 3, 7),
      .begin = { 0, 1, 2 }, .size = { 2, -1, 4 }, .wide = true },

    REVERSE("channels", "channels backwards", DIMS(1, 2, 3, 6), LIST(3), .types = 0),
    REVERSE("channels_4", "a slice backwards", DIMS(1, 2, 3, 4), LIST(-1), .types = 0),
    REVERSE("columns", "an image mirrored", DIMS(1, 3, 4, 3), LIST(2), .types = 0),
    REVERSE("rows", "an image upside down", DIMS(1, 3, 4, 8), LIST(1), .types = 0),
    REVERSE("batch", "images backwards", DIMS(3, 2, 2, 5), LIST(0), .types = 0),
    REVERSE("turned", "an image turned by half a turn", DIMS(2, 3, 4, 5), LIST(1, 2), .types = 0),
    REVERSE("unordered", "axes in any order", DIMS(2, 3, 4, 5), LIST(2, 1), .types = 0),
    REVERSE("negative", "axes from the end", DIMS(2, 3, 4, 5), LIST(-2, -1), .types = 0),
    REVERSE("mixed", "axes from both ends", DIMS(2, 3, 4, 5), LIST(-3, 2), .types = 0),
    REVERSE("all", "all elements backwards", DIMS(2, 3, 5), LIST(0, 1, 2), .types = 0),
    REVERSE("vector", "a vector", DIMS(7), LIST(0), .types = 0),
    REVERSE("matrix", "columns of a matrix", DIMS(3, 9), LIST(1), .types = 0),
    REVERSE("ones", "a dimension of 1: nothing moves", DIMS(1, 3, 5), LIST(0), .types = 0),
    REVERSE("rank5", "five dimensions", DIMS(2, 1, 2, 3, 5), LIST(2, 3), .types = 0),
    REVERSE("rank8", "eight dimensions", DIMS(1, 2, 1, 2, 3, 1, 2, 3), LIST(3, 4, 5), .types = 0),
    REVERSE("n257", "more places than a workgroup has invocations", DIMS(257, 3), LIST(0),
            .types = 0),
    REVERSE("v", "every version of the op means the same", DIMS(2, 3, 5), LIST(1, 2),
            .each_version = true),
    REVERSE("half_max", "near the largest f16: moved as they are", DIMS(2, 3, 7), LIST(2),
            .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
    REVERSE("empty", "no element at all", DIMS(0, 4), LIST(1), EMPTY),
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "slice"), .in = SPECIAL_DIMS,
      .begin = { 0, 0, 0, 1 }, .size = { 1, 8, 6, 4 } },
    { ROW("lanes_special", LANES_SPECIAL, .only = "reverse_v2"), .in = SPECIAL_DIMS, .axes = { 3 },
      .axis_count = 1 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    SLICE("batch66001", "a batch of 66,001", DIMS(66002, 1, 1, 1), LIST(1, 0, 0, 0),
          LIST(66001, 1, 1, 1), LARGE_F32),
    SLICE("height66001", "a height of 66,001", DIMS(1, 66002, 1, 1), LIST(0, 1, 0, 0),
          LIST(1, 66001, 1, 1), LARGE_IN(SIZED)),
    SLICE("width66001", "a width of 66,001", DIMS(1, 1, 66002, 1), LIST(0, 0, 1, 0),
          LIST(1, 1, 66001, 1), LARGE_F32),
    SLICE("channels66001", "66,001 channels", DIMS(1, 1, 1, 66002), LIST(0, 0, 0, 1),
          LIST(1, 1, 1, 66001), LARGE_IN(SIZED)),
    REVERSE("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 1), LIST(0), LARGE_F32),
    REVERSE("height66001", "a height of 66,001", DIMS(1, 66001, 1, 1), LIST(1), LARGE_IN(SIZED)),
    REVERSE("width66001", "a width of 66,001", DIMS(1, 1, 66001, 1), LIST(2), LARGE_F32),
    REVERSE("channels66001", "66,001 channels", DIMS(1, 1, 1, 66001), LIST(3), LARGE_IN(SIZED)),
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank2", "a part of a matrix", REAL(TYPE_BIT(CASE_I32)), .only = "slice"),
      .in = DIMS(3, 5), .begin = { 1, 2 }, .size = { 2, 3 } },
    REVERSE("negative_first", "the first axis, from the end", DIMS(2, 3, 4, 5), LIST(-4),
            .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
    REVERSE("negative_first_rank2", "the first of two axes, from the end", DIMS(3, 5), LIST(-2),
            .types = TYPE_BIT(CASE_F32)),
    { ROW("no_scale", WITHOUT_SCALES, .only = "slice"), .in = DIMS(3, 7), .begin = LIST(1, 2),
      .size = LIST(2, 5) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool slices = m->c->code == BUILTIN_SLICE;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = { .rank = 1, .d = { slices ? r->in.rank : r->axis_count } };
    struct shape out = r->in;
    struct options options;
    int in[3];

    options_init(&options, slices ? OPTIONS_SliceOptions : OPTIONS_ReverseV2Options);
    in[0] = case_input(m, "x", &r->in, &any);
    if (slices) {
        in[1] = (r->wide ? case_constant_i64 : case_constant_i32)(m, "begin", &vector, r->begin);
        in[2] = (r->wide ? case_constant_i64 : case_constant_i32)(m, "size", &vector, r->size);
        for (int d = 0; d < out.rank; d++)
            out.d[d] = r->size[d] < 0 ? r->in.d[d] - r->begin[d] : r->size[d];
    } else {
        in[1] = case_constant_i32(m, "axes", &vector, r->axes);
    }
    case_judged_op(m, &options, slices ? 3 : 2, in, case_output(m, "y", &out));
}

SUITE(slice, members, rows, build);
