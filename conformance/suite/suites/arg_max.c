/* ARG_MAX, ARG_MIN: the first of equal elements, every axis, every rank. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    int32_t axis;
    bool vector;                                            /* the axis is a tensor of rank 1 */
    enum wide { NARROW, WIDE, WIDE_MOVED, WIDE_CAST } wide; /* indices are i64; what reads them */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank == 0)
        return false;
    call->out.kind = RANDOM_INDICES;
    call->out.value = graph_add_best(
        m, BUILTIN_ARG_MAX, OPTIONS_ArgMaxOptions, x,
        x.shape.rank - 1 - (int32_t)random_choice(call, 0, (uint32_t)x.shape.rank), TENSOR_INT32);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("arg_max", ARG_MAX, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPES_WHOLE,
      .bool_version = 3, .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("arg_min", ARG_MIN, 1),
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

/* ARG_MAX over the channels of an image, as in segmentation, and over its rows. */
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "classes in slices of four", .only = "arg_max",                                \
            .types = TYPE_BIT(CASE_F32) | TYPES_BYTES),                                            \
            .in = DIMS(1, 3, 2, c), .axis = 3                                                      \
    }
#define ROWS(c)                                                                                    \
    {                                                                                              \
        ROW("h_c" #c, "over rows", .only = "arg_max", .types = TYPE_BIT(CASE_F32)),                \
            .in = DIMS(2, 4, 3, c), .axis = 1                                                      \
    }

/* The same of ARG_MIN, for fewer counts. */
#define LEAST(c)                                                                                   \
    { ROW("c" #c, "classes in slices of four", .only = "arg_min"), .in = DIMS(2, 2, c),            \
      .axis = 2 },                                                                                 \
    {                                                                                              \
        ROW("h_c" #c, "over rows", .only = "arg_min"), .in = DIMS(4, 3, c), .axis = 0              \
    }

static const float with_nan[] = { 1,        2, NAN, 3,   NAN, 2, -INFINITY, 5,  NAN, 2,
                                  INFINITY, 7, NAN, NAN, 8,   4, 8,         -1, 3 };

static const int32_t lowest[] = { INT32_MIN };
static const float infinite[] = { -INFINITY }, zeros[] = { -0.0F, 0, -0.0F };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    CHANNEL_LIST(ROWS),
    LEAST(1),
    LEAST(3),
    LEAST(4),
    LEAST(5),
    LEAST(8),
    LEAST(17),
    { ROW("negative", "the axis counted from the end"), .in = DIMS(1, 3, 4, 5), .axis = -1 },
    { ROW("vector", "the axis as a vector of one"), .in = DIMS(1, 3, 4, 5), .axis = 2,
      .vector = true },
    { ROW("n", "over the batch"), .in = DIMS(5, 2, 3, 4), .axis = 0 },
    { ROW("one", "over one element: always 0"), .in = DIMS(1, 1, 3, 4), .axis = 1 },
    { ROW("classes", "a row of a thousand and one"), .in = DIMS(2, 1001), .axis = 1 },
    { ROW("segment", "a map of 21 classes"), .in = DIMS(1, 9, 9, 21), .axis = 3 },
    { ROW("rank1", "a vector to a scalar"), .in = DIMS(13), .axis = 0 },
    { ROW("rank3", "[B, T, C]"), .in = DIMS(2, 5, 7), .axis = 2 },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 1, 3, 2, 5), .axis = 2 },
    { ROW("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(2, 3, 3, 6), .axis = 3 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("negative_first", "axis -rank is the first", .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(5, 3, 4), .axis = -3 },
    { ROW("negative_first_cube", "axis -rank where all axes give one shape",
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(4, 4, 4), .axis = -3 },
    { ROW("rows70000", "more rows than 65,535", LARGE), .in = DIMS(70000, 3), .axis = 1 },
    { ROW("nan", "NaN among the elements of a row", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(19, 9), .axis = 1 },
    { ROW("nan_4", "rows of four with NaN", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(19, 4), .axis = -1 },
    { ROW("nan_first", "NaN among the elements of a column", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(4, 19), .axis = 0 },
    /* A dimension of 0. */
    { ROW("empty_batch", "no row at all", EMPTY), .in = DIMS(0, 7), .axis = 1 },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special_c", LANES_SPECIAL), .in = SPECIAL_DIMS, .axis = 3 },
    { ROW("lanes_special_w", LANES_SPECIAL), .in = SPECIAL_DIMS, .axis = 2 },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .axis = 3 },
    { ROW("nan_300", "NaN first in each lane, over 300 places before the channels",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(300, 3, 7), .axis = 0 },
    { ROW("nan_image_300", "NaN over 300 rows of an image", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(1, 300, 2, 7), .axis = -3 },
    { ROW("lanes_ends_c", LANES_END(END_TYPES)), .in = END_DIMS, .axis = 3 },
    { ROW("lanes_ends_w", LANES_END(END_TYPES)), .in = END_DIMS, .axis = 2 },
    { ROW("all_lowest", "nothing but the lowest integer", .types = END_TYPES,
          .sets = SET_BIT(SET_RANDOM), INTEGERS(lowest)),
      .in = DIMS(3, 5), .axis = 1 },
    { ROW("all_infinite", "nothing but -infinity", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), .specials = true, VALUES(infinite)),
      .in = DIMS(3, 5), .axis = 1 },
    { ROW("zeros", "zeros of both signs are equal: the first", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(zeros)),
      .in = DIMS(5, 7), .axis = 1 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("outer66001", "66,001 rows", LARGE_IN(SIZED)), .in = DIMS(66001, 2), .axis = 1 },
    { ROW("axis66001", "66,001 classes, the last one is the largest", .refused_by = "limits.turns",
          LARGE_IN(SIZED), .ramp = 1, .only = "arg_max"),
      .in = DIMS(1, 66001), .axis = 1 },
    { ROW("axis66001", "66,001 classes, the last one is the least", .refused_by = "limits.turns",
          LARGE_IN(SIZED), .ramp = -1, .only = "arg_min"),
      .in = DIMS(1, 66001), .axis = 1 },
    { ROW("axis32003", "as many classes as a loop of our delegate may have", LARGE_IN(SIZED),
          .ramp = 1, .only = "arg_max"),
      .in = DIMS(1, 32003), .axis = 1 },
    { ROW("inner66001", "66,001 columns", LARGE_IN(SIZED)), .in = DIMS(2, 66001), .axis = 0 },
    { ROW("axis300_c4", "over 300 rows of four channels, the last one is the largest",
          LARGE_IN(SIZED), .ramp = 1),
      .in = DIMS(300, 4), .axis = 0 },
    { ROW("inner66001_rows", "66,001 columns of one channel", LARGE_F32), .in = DIMS(2, 66001, 1),
      .axis = 0 },
    /* Indices of i64, as segmentation models have. */
    { ROW("wide", "i64 indices", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(1, 3, 2, 5), .axis = 3, .wide = WIDE },
    { ROW("wide_rows", "i64 indices over rows", .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 5, 3, 6), .axis = 1, .wide = WIDE },
    { ROW("wide_scalar", "one i64 index", .types = TYPE_BIT(CASE_F32)), .in = DIMS(7), .axis = 0,
      .wide = WIDE },
    { ROW("wide_moved", "i64 indices are reshaped and transposed", .types = TYPE_BIT(CASE_F32),
          .only = "arg_max"),
      .in = DIMS(1, 3, 4, 9), .axis = 3, .wide = WIDE_MOVED },
    { ROW("wide_cast", "i64 indices become floats", .types = TYPE_BIT(CASE_F32), .only = "arg_max"),
      .in = DIMS(1, 3, 2, 9), .axis = 3, .wide = WIDE_CAST },
};

/* What reads indices of i64 and of this shape. */
static void add_reader(struct case_builder *m, enum wide wide, int from,
                       const struct shape *indices)
{
    struct options options;

    if (wide == WIDE_CAST) {
        options_init(&options, OPTIONS_CastOptions);
        options_set_int(&options, "in_data_type", TENSOR_INT64);
        options_set_int(&options, "out_data_type", TENSOR_FLOAT32);
        case_op(m, BUILTIN_CAST, 1, &options, 1, &from, case_output_f32(m, "y", indices));
        return;
    }
    const struct shape flat = DIMS(indices->d[1], indices->d[2]),
                       turned = DIMS(indices->d[2], indices->d[1]), two = DIMS(2);
    const int matrix = case_tensor_of(m, "matrix", &flat, TENSOR_INT64);
    const int reshaped[] = { from, case_constant_i32(m, "shape", &two, flat.d) };
    const int transposed[] = { matrix, case_constant_i32(m, "perm", &two, (int32_t[]){ 1, 0 }) };

    options_init(&options, OPTIONS_ReshapeOptions);
    case_op(m, BUILTIN_RESHAPE, 1, &options, 2, reshaped, matrix);
    options_init(&options, OPTIONS_TransposeOptions);
    case_op(m, BUILTIN_TRANSPOSE, 1, &options, 2, transposed,
            case_output_of(m, "y", &turned, TENSOR_INT64));
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape one = { .rank = r->vector, .d = { 1 } };
    const struct fill any = { .terms = 1, .factors = 1 };
    const int32_t axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    struct shape out = { .rank = 0 };
    struct options options;
    int in[2], y;

    for (int i = 0; i < r->in.rank; i++) {
        if (i != axis)
            out.d[out.rank++] = r->in.d[i];
    }
    options_init(&options,
                 m->c->code == BUILTIN_ARG_MAX ? OPTIONS_ArgMaxOptions : OPTIONS_ArgMinOptions);
    options_set_int(&options, "output_type", r->wide ? TENSOR_INT64 : TENSOR_INT32);
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "axis", &one, &r->axis);
    y = r->wide > WIDE    ? case_tensor_of(m, "indices", &out, TENSOR_INT64)
        : r->wide == WIDE ? case_output_of(m, "y", &out, TENSOR_INT64)
                          : case_output_i32(m, "y", &out);
    case_judged_op(m, &options, 2, in, y);
    if (r->wide > WIDE)
        add_reader(m, r->wide, y, &out);
}

SUITE(arg_max, members, rows, build);
