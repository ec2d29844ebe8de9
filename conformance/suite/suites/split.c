/* SPLIT, SPLIT_V and UNPACK: parts along every axis, equal or not, whose channels begin inside a
 * slice.
 */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

#include <assert.h>
#include <stdio.h>

enum { PARTS_MAX = CASE_OUTPUTS_MAX };

struct row {
    struct op_case base;
    struct shape in;
    int32_t axis;
    int32_t parts;            /* of SPLIT */
    int32_t sizes[PARTS_MAX]; /* of SPLIT_V, up to a 0; REST: what the others leave */
    bool longs;               /* sizes are int64 */
    bool vector;              /* the axis is a vector of one element */
};
enum { REST = -1 };

#define MEMBER(name, code_, ...)                                                                   \
    {                                                                                              \
        .op = name, .code = code_, .version = 1, .sets = SETS_MOVE,                                \
        .bound = { .kind = BOUND_BITS }, __VA_ARGS__                                               \
    }
static const struct suite_member members[] = {
    MEMBER("split", BUILTIN_SPLIT, .i32_version = 3,
           .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32)),
    MEMBER("split_v", BUILTIN_SPLIT_V,
           .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32)),
    MEMBER("unpack", BUILTIN_UNPACK, .bool_version = 3,
           .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE),
};

#define SPLIT(name, why, shape, axis_, parts_, ...)                                                \
    {                                                                                              \
        ROW(name, why, .only = "split", __VA_ARGS__), .in = shape, .axis = (axis_),                \
                                                      .parts = (parts_)                            \
    }
#define SPLIT_V(name, why, shape, axis_, sizes_, ...)                                              \
    {                                                                                              \
        ROW(name, why, .only = "split_v"), .in = shape, .axis = (axis_), .sizes = sizes_,          \
                                           __VA_ARGS__                                             \
    }
/* A part of one behind all others. */
#define SPLIT_LARGE(name, why, shape, axis_, ...)                                                  \
    {                                                                                              \
        ROW(name, why, .only = "split_v", __VA_ARGS__), .in = shape, .axis = (axis_), .sizes = {   \
            66001,                                                                                 \
            1                                                                                      \
        }                                                                                          \
    }
#define UNPACK(name, why, shape, axis_, ...)                                                       \
    {                                                                                              \
        ROW(name, why, .only = "unpack", __VA_ARGS__), .in = shape, .axis = (axis_)                \
    }
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct row rows[] = {
    SPLIT("c8_2", "whole slices", DIMS(1, 2, 3, 8), 3, 2, .types = 0),
    SPLIT("c6_2", "the second half begins in lane 3", DIMS(1, 2, 3, 6), 3, 2, .types = 0),
    SPLIT("c6_3", "parts of two channels", DIMS(1, 2, 3, 6), -1, 3, .types = 0),
    SPLIT("c4_4", "each channel for itself", DIMS(1, 2, 3, 4), 3, 4, .types = 0),
    SPLIT("c21_3", "parts of seven channels", DIMS(1, 3, 2, 21), 3, 3, .types = 0),
    SPLIT("c32_4", "the four gates of a recurrent cell", DIMS(1, 32), 1, 4, .types = 0),
    SPLIT("h", "the upper and the lower half", DIMS(2, 4, 3, 5), 1, 2, .types = 0),
    SPLIT("w", "thirds of the columns", DIMS(2, 2, 6, 5), 2, 3, .types = 0),
    SPLIT("n", "image by image", DIMS(3, 2, 3, 5), 0, 3, .types = 0),
    SPLIT("n_slices", "images whose channels fill their slices", DIMS(4, 2, 8, 8), 0, 2,
          .types = 0),
    SPLIT("one", "one part is all of it", DIMS(1, 2, 3, 5), 3, 1, .types = 0),
    SPLIT("negative_first", "axis -rank is the first", DIMS(4, 3, 5), -3, 2, .types = 0),
    SPLIT("rank1", "a vector in three", DIMS(15), 0, 3, .types = 0),
    SPLIT("rank2", "rows of a matrix", DIMS(6, 7), 0, 2, .types = 0),
    SPLIT("rank3", "the middle of three dimensions", DIMS(2, 4, 3), 1, 4, .types = 0),
    SPLIT("rank5", "five dimensions", DIMS(1, 2, 2, 3, 6), 4, 2, .types = 0),
    SPLIT("rank6", "six dimensions", DIMS(1, 2, 1, 4, 2, 3), 3, 2, .types = 0),
    SPLIT("parts8", "eight parts of three channels", DIMS(1, 2, 2, 24), 3, 8, .types = 0),
    SPLIT("n257", "more places than a workgroup has invocations", DIMS(1, 514), 1, 2, .types = 0),
    SPLIT("v", "every version of the op means the same", DIMS(1, 2, 2, 6), 3, 2,
          .each_version = true),
    SPLIT("places90300", "90,300 places", DIMS(1, 300, 301, 4), 3, 2, LARGE),
    SPLIT("empty", "parts without an element", DIMS(0, 4), 1, 2, EMPTY),
    { ROW("axis_vector", "the axis as a vector of one element", .only = "split"),
      .in = DIMS(1, 2, 3, 6), .axis = 2, .parts = 3, .vector = true },

    SPLIT_V("c1_7", "one channel, and the others from lane 1 on", DIMS(1, 2, 3, 8), 3, LIST(1, 7),
            .longs = false),
    SPLIT_V("c4_3", "the second part begins with a slice", DIMS(1, 2, 3, 7), 3, LIST(4, 3),
            .longs = false),
    SPLIT_V("c2_3_5", "parts of several lengths", DIMS(1, 2, 3, 10), -1, LIST(2, 3, 5),
            .longs = false),
    SPLIT_V("rest_first", "-1 in front", DIMS(1, 2, 3, 9), 3, LIST(REST, 4), .longs = false),
    SPLIT_V("rest_middle", "-1 in the middle", DIMS(1, 2, 3, 9), 3, LIST(3, REST, 1),
            .longs = false),
    SPLIT_V("rest_last", "-1 at the end", DIMS(1, 2, 3, 9), 3, LIST(3, 1, REST), .longs = false),
    SPLIT_V("h", "rows of an image", DIMS(2, 5, 3, 5), 1, LIST(2, 3), .longs = false),
    SPLIT_V("w", "columns", DIMS(2, 2, 6, 3), 2, LIST(1, 2, 3), .longs = false),
    SPLIT_V("n", "images", DIMS(5, 2, 3, 5), 0, LIST(4, 1), .longs = false),
    SPLIT_V("n_slices", "images whose channels fill their slices", DIMS(3, 4, 4, 4), 0, LIST(1, 2),
            .longs = false),
    SPLIT_V("one", "one part is all of it", DIMS(1, 2, 3, 5), 3, LIST(5), .longs = false),
    SPLIT_V("negative", "an axis from the end", DIMS(4, 3, 5), -2, LIST(1, 2), .longs = false),
    SPLIT_V("longs", "sizes of 64 bits", DIMS(1, 2, 3, 7), 3, LIST(2, 5), .longs = true),
    SPLIT_V("longs_rest", "sizes of 64 bits, one of them -1", DIMS(1, 2, 3, 7), 3, LIST(2, REST),
            .longs = true),
    SPLIT_V("rank1", "a vector", DIMS(15), 0, LIST(7, 8), .longs = false),
    SPLIT_V("rank2", "rows of a matrix", DIMS(6, 7), 0, LIST(1, 2, 3), .longs = false),
    SPLIT_V("rank5", "five dimensions", DIMS(1, 2, 2, 3, 6), 4, LIST(5, 1), .longs = false),
    SPLIT_V("parts8", "eight parts", DIMS(1, 2, 2, 20), 3, LIST(1, 2, 3, 4, 1, 2, 3, 4),
            .longs = false),
    { ROW("v", "every version of the op means the same", .only = "split_v", .each_version = true),
      .in = DIMS(1, 2, 2, 6), .axis = 3, .sizes = { 5, 1 } },
    { ROW("empty", "parts without an element", .only = "split_v", EMPTY), .in = DIMS(0, 4),
      .axis = 1, .sizes = { 3, 1 } },

    UNPACK("n", "image by image", DIMS(3, 2, 3, 5), 0, .types = 0),
    UNPACK("n_slices", "images whose channels fill their slices", DIMS(2, 4, 4, 4), 0, .types = 0),
    UNPACK("h", "row by row", DIMS(1, 3, 2, 5), 1, .types = 0),
    UNPACK("w", "column by column", DIMS(2, 2, 3, 6), 2, .types = 0),
    UNPACK("c", "channel by channel: columns become channels", DIMS(1, 2, 3, 5), 3, .types = 0),
    UNPACK("c_negative", "the last axis from the end", DIMS(2, 3, 4), -1, .types = 0),
    UNPACK("negative_first", "axis -rank is the first", DIMS(2, 3, 4), -3, .types = 0),
    UNPACK("boxes", "corners of boxes", DIMS(1, 19, 4), 2, .types = 0),
    UNPACK("steps", "the steps of a sequence", DIMS(1, 6, 7), 1, .types = 0),
    UNPACK("matrix", "rows of a matrix", DIMS(3, 9), 0, .types = 0),
    UNPACK("matrix_c", "columns of a matrix", DIMS(9, 3), 1, .types = 0),
    UNPACK("vector", "each element of a vector, rank 0", DIMS(5), 0, .types = 0),
    UNPACK("one", "a dimension of one is dropped", DIMS(1, 2, 3, 5), 0, .types = 0),
    UNPACK("one_c", "one channel is dropped", DIMS(1, 2, 3, 1), 3, .types = 0),
    UNPACK("rank5", "five dimensions", DIMS(1, 2, 2, 3, 6), 3, .types = 0),
    UNPACK("parts8", "eight parts", DIMS(2, 8, 3), 1, .types = 0),
    UNPACK("v", "every version of the op means the same", DIMS(2, 3, 5), 0, .each_version = true),
    UNPACK("half_max", "near the largest f16: moved as they are", DIMS(2, 3, 5), 2, .scale = 1000,
           .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "split"), .in = SPECIAL_DIMS, .axis = 2,
      .parts = 2 },
    { ROW("lanes_special", LANES_SPECIAL, .only = "split_v"), .in = SPECIAL_DIMS, .axis = 3,
      .sizes = { 2, 3 } },
    { ROW("lanes_special", LANES_SPECIAL, .only = "unpack"), .in = SPECIAL_DIMS, .axis = 3 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    SPLIT("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 2), 3, 2, LARGE_F32),
    SPLIT("height66001", "a height of 66,001", DIMS(1, 66001, 1, 2), 3, 2, LARGE_IN(SIZED)),
    SPLIT("width66001", "a width of 66,001", DIMS(1, 1, 66001, 2), 3, 2, LARGE_F32),
    SPLIT("channels66001", "66,001 channels", DIMS(1, 1, 2, 66001), 2, 2, LARGE_IN(SIZED)),
    SPLIT_LARGE("batch66001", "a batch of 66,001", DIMS(66002, 1, 1, 1), 0, LARGE_F32),
    SPLIT_LARGE("height66001", "a height of 66,001", DIMS(1, 66002, 1, 1), 1, LARGE_IN(SIZED)),
    SPLIT_LARGE("width66001", "a width of 66,001", DIMS(1, 1, 66002, 1), 2, LARGE_F32),
    SPLIT_LARGE("channels66001", "66,001 channels", DIMS(1, 1, 1, 66002), 3, LARGE_IN(SIZED)),
    UNPACK("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 1, 2), 4, LARGE_F32),
    UNPACK("height66001", "a height of 66,001", DIMS(1, 66001, 1, 1, 2), 4, LARGE_IN(SIZED)),
    UNPACK("width66001", "a width of 66,001", DIMS(1, 1, 66001, 1, 2), 4, LARGE_F32),
    UNPACK("channels66001", "66,001 channels", DIMS(2, 66001), 0, LARGE_IN(SIZED)),
};

/* The size of output i. */
static int32_t size_of(const struct case_builder *m, const struct row *r, int32_t all, int i)
{
    int32_t rest = all;

    if (m->c->code != BUILTIN_SPLIT_V)
        return m->c->code == BUILTIN_SPLIT ? all / r->parts : 1;
    for (int k = 0; k < PARTS_MAX; k++)
        rest -= r->sizes[k] == REST ? 0 : r->sizes[k];
    return r->sizes[i] == REST ? rest : r->sizes[i];
}

static int32_t count_of(const struct case_builder *m, const struct row *r, int32_t all)
{
    int32_t count = 0;

    if (m->c->code != BUILTIN_SPLIT_V)
        return m->c->code == BUILTIN_SPLIT ? r->parts : all;
    while (count < PARTS_MAX && r->sizes[count] != 0)
        count++;
    return count;
}

static void set_options(const struct case_builder *m, const struct row *r, int32_t count,
                        struct options *options)
{
    if (m->c->code == BUILTIN_UNPACK) {
        options_init(options, OPTIONS_UnpackOptions);
        options_set_int(options, "num", count);
        options_set_int(options, "axis", r->axis);
        return;
    }
    options_init(options,
                 m->c->code == BUILTIN_SPLIT ? OPTIONS_SplitOptions : OPTIONS_SplitVOptions);
    options_set_int(options, "num_splits", count);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const int axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    const int32_t all = r->in.d[axis], count = count_of(m, r, all);
    const struct shape scalar = SCALAR, one = DIMS(1), vector = { .rank = 1, .d = { count } };
    struct options options;
    int in[3], out[PARTS_MAX], data, axes = -1;

    assert(count <= PARTS_MAX);
    set_options(m, r, count, &options);
    data = case_input(m, "x", &r->in, &any);
    if (m->c->code != BUILTIN_UNPACK)
        axes = case_constant_i32(m, "axis", r->vector ? &one : &scalar, &r->axis);
    in[0] = m->c->code == BUILTIN_SPLIT ? axes : data;
    in[1] = data;
    in[2] = axes;
    if (m->c->code == BUILTIN_SPLIT_V)
        in[1] = (r->longs ? case_constant_i64 : case_constant_i32)(m, "sizes", &vector, r->sizes);
    for (int i = 0; i < count; i++) {
        struct shape part = { .rank = 0 };
        char name[16];

        for (int d = 0; d < r->in.rank; d++)
            if (d != axis)
                part.d[part.rank++] = r->in.d[d];
            else if (m->c->code != BUILTIN_UNPACK)
                part.d[part.rank++] = size_of(m, r, all, i);
        snprintf(name, sizeof name, "y%d", i);
        out[i] = case_output(m, name, &part);
    }
    case_judged_op_outputs(m, &options,
                           m->c->code == BUILTIN_UNPACK  ? 1
                           : m->c->code == BUILTIN_SPLIT ? 2
                                                         : 3,
                           in, (size_t)count, out);
}

SUITE(split, members, rows, build);
