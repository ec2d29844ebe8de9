/* STRIDED_SLICE: every mask, both directions, slices that move channels between lanes. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in, out;
    int32_t begin[SHAPE_RANK_MAX], end[SHAPE_RANK_MAX], strides[SHAPE_RANK_MAX];
    int32_t count; /* of their elements; 0: the input's rank */
    bool offset;   /* end counts from begin */
    bool wide;     /* of i64 */
    struct {
        int32_t begin, end, ellipsis, new_axis, shrink_axis;
    } masks;
};

/* Halves of a dimension, all of it but the first, every other one, or all of it from the end. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    int32_t n, half;
    int axis;

    if (x.shape.rank == 0)
        return false;
    axis = x.shape.rank - 1 - (int)random_choice(call, 0, (uint32_t)x.shape.rank);
    n = x.shape.d[axis];
    half = n / 2;
    if (n < 2)
        return false;
    switch (random_choice(call, 1, 5)) {
    case 0: call->out.value = graph_add_strided_slice(m, x, axis, 0, half, 1); break;
    case 1: call->out.value = graph_add_strided_slice(m, x, axis, half, n - half, 1); break;
    case 2: call->out.value = graph_add_strided_slice(m, x, axis, 1, n - 1, 1); break;
    case 3: call->out.value = graph_add_strided_slice(m, x, axis, n % 2, half, 2); break;
    default: call->out.value = graph_add_strided_slice(m, x, axis, n - 1, n, -1); break;
    }
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("strided_slice", STRIDED_SLICE, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define ONES                                                                                       \
    {                                                                                              \
        1, 1, 1, 1, 1, 1                                                                           \
    }

/* A part of the image with all channels. */
#define ROWS(c)                                                                                    \
    {                                                                                              \
        ROW("rows_c" #c, "channels in slices of four"),                                            \
            .in = DIMS(1, 3, 3, c), .out = DIMS(1, 2, 3, c), .begin = { 0, 1, 0, 0 },              \
            .end = { 1, 3, 3, c }, .strides = ONES                                                 \
    }
/* All channels but the first: each moves to the lane before. */
#define LANES(c)                                                                                   \
    {                                                                                              \
        ROW("lane1_c" #c, "all channels but the first"),                                           \
            .in = DIMS(1, 2, 3, (c) + 1), .out = DIMS(1, 2, 3, c), .begin = { 0, 0, 0, 1 },        \
            .end = { 1, 2, 3, (c) + 1 }, .strides = ONES                                           \
    }

static const struct row rows[] = {
    CHANNEL_LIST(ROWS),
    CHANNEL_LIST(LANES),
    { ROW("crop", "the middle of an image"), .in = DIMS(1, 5, 6, 7), .out = DIMS(1, 3, 3, 7),
      .begin = { 0, 1, 2, 0 }, .end = { 1, 4, 5, 7 }, .strides = ONES },
    { ROW("channels", "channels from one lane to another"), .in = DIMS(1, 2, 3, 9),
      .out = DIMS(1, 2, 3, 5), .begin = { 0, 0, 0, 3 }, .end = { 1, 2, 3, 8 }, .strides = ONES },
    { ROW("strides", "every second row, every third channel"), .in = DIMS(1, 5, 6, 11),
      .out = DIMS(1, 3, 6, 4), .begin = { 0, 0, 0, 1 }, .end = { 1, 5, 6, 11 },
      .strides = { 1, 2, 1, 3 } },
    { ROW("negative", "rows and channels backwards"), .in = DIMS(1, 3, 4, 6),
      .out = DIMS(1, 3, 4, 6), .strides = { 1, -1, 1, -1 }, .masks = { .begin = 15, .end = 15 } },
    { ROW("from_end", "positions from the end"), .in = DIMS(1, 5, 6, 5), .out = DIMS(1, 2, 3, 3),
      .begin = { 0, -3, -4, -4 }, .end = { 1, -1, -1, -1 }, .strides = ONES },
    { ROW("begin_mask", "begin is not read"), .in = DIMS(1, 4, 5, 6), .out = DIMS(1, 3, 2, 5),
      .begin = { 0, 2, 3, 4 }, .end = { 1, 3, 2, 5 }, .strides = ONES, .masks.begin = 14 },
    { ROW("end_mask", "end is not read"), .in = DIMS(1, 4, 5, 6), .out = DIMS(1, 2, 2, 2),
      .begin = { 0, 2, 3, 4 }, .end = { 0, 0, 1, 1 }, .strides = ONES, .masks.end = 15 },
    { ROW("ellipsis", "one element for the middle"), .in = DIMS(2, 3, 4, 5),
      .out = DIMS(1, 3, 4, 2), .begin = { 1, 0, 2 }, .end = { 2, 0, 4 }, .strides = ONES,
      .count = 3, .masks.ellipsis = 2 },
    { ROW("new_axis", "a dimension of 1 in between"), .in = DIMS(2, 3, 5), .out = DIMS(2, 1, 2, 5),
      .begin = { 0, 0, 1, 0 }, .end = { 2, 0, 3, 5 }, .strides = ONES, .count = 4,
      .masks.new_axis = 2 },
    { ROW("shrink", "one row, its dimension dropped"), .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 3, 5),
      .begin = { 0, 2, 0, 0 }, .end = { 1, 0, 3, 5 }, .strides = ONES, .masks.shrink_axis = 2 },
    { ROW("vector", "rank 1 with a stride"), .in = DIMS(67), .out = DIMS(22), .begin = { 1 },
      .end = { 67 }, .strides = { 3 } },
    { ROW("fewer_specs", "dimensions without specs are taken whole"), .in = DIMS(3, 4, 3, 5),
      .out = DIMS(2, 2, 3, 5), .begin = { 1, 2 }, .end = { 3, 4 }, .strides = ONES, .count = 2 },
    { ROW("one_spec", "the batch alone"), .in = DIMS(5, 2, 3, 7), .out = DIMS(2, 2, 3, 7),
      .begin = { 3 }, .end = { 5 }, .strides = ONES, .count = 1 },
    { ROW("ellipsis_first", "the channels alone"), .in = DIMS(2, 3, 4, 9), .out = DIMS(2, 3, 4, 4),
      .begin = { 0, 3 }, .end = { 0, 7 }, .strides = ONES, .count = 2, .masks.ellipsis = 1 },
    { ROW("ellipsis_last", "the batch alone, the rest by an ellipsis"), .in = DIMS(4, 2, 3, 5),
      .out = DIMS(2, 2, 3, 5), .begin = { 1, 0 }, .end = { 3, 0 }, .strides = ONES, .count = 2,
      .masks.ellipsis = 2 },
    { ROW("ellipsis_alone", "everything"), .in = DIMS(2, 3, 2, 5), .out = DIMS(2, 3, 2, 5),
      .begin = { 0 }, .end = { 0 }, .strides = ONES, .count = 1, .masks.ellipsis = 1 },
    { ROW("ellipsis_one", "an ellipsis for a single dimension"), .in = DIMS(2, 5, 3, 6),
      .out = DIMS(1, 5, 2, 3), .begin = { 1, 3, 1, 2 }, .end = { 2, 0, 3, 5 }, .strides = ONES,
      .masks.ellipsis = 2 },
    { ROW("ellipsis_back", "channels backwards behind an ellipsis"), .in = DIMS(2, 3, 2, 6),
      .out = DIMS(2, 3, 2, 3), .begin = { 0, 5 }, .end = { 0, -7 }, .strides = { 1, -2 },
      .count = 2, .masks.ellipsis = 1 },
    { ROW("ellipsis_shrink", "one channel of all pixels"), .in = DIMS(2, 3, 4, 5),
      .out = DIMS(2, 3, 4), .begin = { 0, 3 }, .end = { 0, 0 }, .strides = ONES, .count = 2,
      .masks = { .ellipsis = 1, .shrink_axis = 2 } },
    { ROW("ellipsis_shrink_both", "first image, last channel"), .in = DIMS(2, 3, 4, 5),
      .out = DIMS(3, 4), .begin = { 0, 0, -1 }, .end = { 0, 0, 0 }, .strides = ONES, .count = 3,
      .masks = { .ellipsis = 2, .shrink_axis = 5 } },
    { ROW("new_axis_first", "new_axis in front of the image"), .in = DIMS(3, 4, 5),
      .out = DIMS(1, 3, 4, 5), .begin = { 0 }, .end = { 0 }, .strides = ONES, .count = 1,
      .masks.new_axis = 1 },
    { ROW("new_axis_last", "new_axis behind the channels"), .in = DIMS(2, 3, 5),
      .out = DIMS(2, 3, 5, 1), .begin = { 0, 0 }, .end = { 0, 0 }, .strides = ONES, .count = 2,
      .masks = { .ellipsis = 1, .new_axis = 2 } },
    { ROW("new_axis_two", "two dimensions of 1"), .in = DIMS(3, 5), .out = DIMS(1, 3, 1, 4),
      .begin = { 0, 0, 0, 1 }, .end = { 0, 3, 0, 5 }, .strides = ONES, .count = 4,
      .masks.new_axis = 5 },
    { ROW("new_axis_shrink", "shrink_axis and new_axis together"), .in = DIMS(2, 3, 5),
      .out = DIMS(1, 3, 5), .begin = { 0, 1, 0, 0 }, .end = { 0, 2, 3, 5 }, .strides = ONES,
      .count = 4, .masks = { .new_axis = 1, .shrink_axis = 2 } },
    { ROW("new_axis_strides", "rows backwards, every other channel, and a new axis"),
      .in = DIMS(4, 3, 7), .out = DIMS(4, 1, 3, 4), .begin = { 3, 0, 0, 0 }, .end = { -5, 0, 3, 7 },
      .strides = { -1, 1, 1, 2 }, .count = 4, .masks.new_axis = 2 },
    { ROW("new_axis_on_ellipsis", "where both bits are set the ellipsis counts"),
      .in = DIMS(2, 3, 5), .out = DIMS(2, 3, 2), .begin = { 0, 1 }, .end = { 0, 3 },
      .strides = ONES, .count = 2, .masks = { .ellipsis = 1, .new_axis = 1 } },
    { ROW("all_masks", "a batch, the ellipsis, one row, channels backwards"),
      .in = DIMS(2, 3, 4, 6), .out = DIMS(1, 2, 3, 6), .begin = { 0, 0, 2, 9 },
      .end = { 0, 0, 0, 9 }, .strides = { 1, 1, 1, -1 }, .count = 4,
      .masks = { .begin = 8, .end = 8, .ellipsis = 2, .new_axis = 1, .shrink_axis = 4 } },
    { ROW("shrink_all", "one element, rank 0"), .in = DIMS(3, 5), .out = SCALAR, .begin = { 1, 3 },
      .end = { 0, 0 }, .strides = ONES, .masks.shrink_axis = 3 },
    { ROW("shrink_channel", "one channel: rank 3"), .in = DIMS(2, 3, 4, 7), .out = DIMS(2, 3, 4),
      .begin = { 0, 0, 0, 5 }, .end = { 2, 3, 4, 0 }, .strides = ONES, .masks.shrink_axis = 8 },
    { ROW("shrink_masked", "a dropped dimension whose begin is not read"), .in = DIMS(3, 4, 5),
      .out = DIMS(4, 5), .begin = { 2, 0, 0 }, .end = { 0, 4, 5 }, .strides = ONES,
      .masks = { .begin = 1, .shrink_axis = 1 } },
    { ROW("offset", "option offset: end counts from begin", .version = 4), .in = DIMS(1, 5, 6, 9),
      .out = DIMS(1, 2, 3, 4), .begin = { 0, 1, 2, 3 }, .end = { 1, 2, 3, 4 }, .strides = ONES,
      .offset = true },
    { ROW("offset_negative", "option offset: end counts from a negative begin", .version = 4),
      .in = DIMS(1, 5, 6, 9), .out = DIMS(1, 2, 2, 4), .begin = { 0, -4, -3, -6 },
      .end = { 1, 2, 2, 4 }, .strides = ONES, .offset = true },
    { ROW("n257", "every other element of more than a workgroup"), .in = DIMS(1, 515),
      .out = DIMS(1, 257), .begin = { 0, 1 }, .end = { 1, 515 }, .strides = { 1, 2 } },
    { ROW("reverse257", "backwards over more than a workgroup"), .in = DIMS(1, 257),
      .out = DIMS(1, 257), .strides = { 1, -1 }, .masks = { .begin = 3, .end = 3 } },
    { ROW("prime", "a crop of prime extents"), .in = DIMS(1, 13, 17, 11), .out = DIMS(1, 11, 13, 7),
      .begin = { 0, 1, 3, 2 }, .end = { 1, 12, 16, 9 }, .strides = ONES },
    { ROW("batch7", "every other image of seven", .gap = GAP_BATCH), .in = DIMS(7, 2, 2, 3),
      .out = DIMS(4, 2, 2, 3), .begin = { 0, 0, 0, 0 }, .end = { 7, 2, 2, 3 },
      .strides = { 2, 1, 1, 1 } },
    { ROW("batch_back", "images backwards", .gap = GAP_BATCH), .in = DIMS(3, 2, 2, 5),
      .out = DIMS(3, 2, 2, 5), .strides = { -1, 1, 1, 1 }, .masks = { .begin = 15, .end = 15 } },
    { ROW("half_max", "near the largest f16: moved as they are", .gap = GAP_HALF_RANGE,
          .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 4, 4, 7), .out = DIMS(1, 4, 4, 3), .begin = { 0, 0, 0, 2 },
      .end = { 1, 4, 4, 5 }, .strides = ONES },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 4, 3, 7), .out = DIMS(1, 2, 3, 4), .begin = { 0, 1, 0, 2 },
      .end = { 1, 3, 3, 6 }, .strides = ONES },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 4, 3, 7), .out = DIMS(1, 2, 3, 4), .begin = { 0, 1, 0, 2 },
      .end = { 1, 3, 3, 6 }, .strides = ONES },
    { ROW("beyond65536", "elements beyond 65,536"), .in = DIMS(1, 70001), .out = DIMS(1, 70),
      .begin = { 0, 65 }, .end = { 1, 70001 }, .strides = { 1, 1000 } },
    { ROW("beyond65536_rows", "rows beyond 65,536, from the last one back"), .in = DIMS(70001, 3),
      .out = DIMS(71, 2), .begin = { 70000, 1 }, .end = { -70002, 3 }, .strides = { -1000, 1 } },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("places89102", "89,102 places of a crop", LARGE), .in = DIMS(1, 300, 301, 5),
      .out = DIMS(1, 298, 299, 3), .begin = { 0, 1, 1, 1 }, .end = { 1, 299, 300, 4 },
      .strides = ONES },
    { ROW("rows70001_back", "rows beyond 65,536, all of them backwards", LARGE),
      .in = DIMS(70001, 3), .out = DIMS(70001, 3), .strides = { -1, 1 },
      .masks = { .begin = 3, .end = 3 } },
    { ROW("begin_mask_back", "backwards from the last, as begin is not read", .floats = true),
      .in = DIMS(2, 5, 6, 7), .out = DIMS(2, 2, 3, 4), .begin = { 0, 1, 2, 3 },
      .end = { 2, 2, -6, 2 }, .strides = { 1, -1, -2, -1 }, .masks.begin = 15 },
    { ROW("end_mask_back", "backwards to the first, as end is not read", .floats = true),
      .in = DIMS(2, 5, 6, 7), .out = DIMS(2, 3, 3, 4), .begin = { 1, 2, 5, -4 },
      .end = { 0, 4, 4, 5 }, .strides = { -1, -1, -2, -1 }, .masks.end = 15 },
    { ROW("mask_back_one_each", "begin_mask on one axis and end_mask on the other, backwards",
          .floats = true),
      .in = DIMS(1, 7, 6, 5), .out = DIMS(1, 2, 2, 5), .begin = { 0, 3, 4, 0 },
      .end = { 1, 2, 5, 5 }, .strides = { 1, -3, -3, 1 }, .masks = { .begin = 2, .end = 4 } },
    { ROW("offset_strides", "option offset with strides", .version = 4, .floats = true),
      .in = DIMS(1, 7, 8, 9), .out = DIMS(1, 2, 3, 2), .begin = { 0, 1, 2, 3 },
      .end = { 1, 4, 6, 4 }, .strides = { 1, 2, 2, 3 }, .offset = true },
    { ROW("offset_rank2", "option offset, begin not 0 in each dimension", .version = 4,
          .floats = true),
      .in = DIMS(7, 11), .out = DIMS(3, 4), .begin = { 2, 5 }, .end = { 3, 4 }, .strides = ONES,
      .offset = true },
    { ROW("offset_batch", "option offset along the batch", .version = 4, .floats = true),
      .in = DIMS(5, 2, 2, 5), .out = DIMS(2, 1, 2, 3), .begin = { 2, 1, 0, 2 },
      .end = { 2, 1, 2, 3 }, .strides = ONES, .offset = true },
    { ROW("full_mantissas", "numbers that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .scale = -1, .full_mantissas = true),
      .in = DIMS(1, 5, 6, 17), .out = DIMS(1, 3, 3, 13), .begin = { 0, 1, 2, 1 },
      .end = { 1, 4, 5, 14 }, .strides = ONES },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 4, 5), .out = DIMS(0, 2, 3),
      .begin = { 0, 1, 2 }, .end = { 0, 3, 5 }, .strides = ONES },
    { ROW("empty_result", "a range that ends where it begins", EMPTY), .in = DIMS(2, 4, 5),
      .out = DIMS(2, 0, 5), .begin = { 0, 3, 0 }, .end = { 2, 3, 5 }, .strides = ONES },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS, .out = DIMS(1, 8, 6, 2),
      .begin = { 0, 0, 0, 1 }, .end = { 1, 8, 6, 5 }, .strides = { 1, 1, 1, 2 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66002, 1, 1, 1),
      .out = DIMS(66001, 1, 1, 1), .begin = { 1 }, .end = { 66002, 1, 1, 1 }, .strides = ONES },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66002, 1, 1),
      .out = DIMS(1, 66001, 1, 1), .begin = { 0, 1 }, .end = { 1, 66002, 1, 1 }, .strides = ONES },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 1, 66002),
      .out = DIMS(1, 1, 1, 66001), .begin = { 0, 0, 0, 1 }, .end = { 1, 1, 1, 66002 },
      .strides = ONES },
    { ROW("step66001", "a stride of 66,001", LARGE_F32), .in = DIMS(1, 66002), .out = DIMS(1, 2),
      .end = { 1, 66002 }, .strides = { 1, 66001 } },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rows_from", "all rows but the first, other masks set",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 3, 3, 5), .begin = { 0, 1, 0, 0 },
      .end = { 0, 0, 0, 0 }, .strides = ONES, .masks = { .begin = 13, .end = 15 } },
    { ROW("rows_within", "rows in the middle, other masks set",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 2, 3, 5), .begin = { 0, 1, 0, 0 },
      .end = { 0, 3, 0, 0 }, .strides = ONES, .masks = { .begin = 13, .end = 13 } },
    { ROW("columns_from", "all columns but the first, other masks set", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 4, 2, 5), .begin = { 0, 0, 1, 0 },
      .end = { 0, 0, 0, 0 }, .strides = ONES, .masks = { .begin = 11, .end = 15 } },
    { ROW("channels_to", "channels from the first, other masks set", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 2, 3, 9), .out = DIMS(1, 2, 3, 4), .begin = { 0, 0, 0, 0 },
      .end = { 0, 0, 0, 4 }, .strides = ONES, .masks = { .begin = 15, .end = 7 } },
    { ROW("channels_within", "channels in the middle, other masks set", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 2, 3, 9), .out = DIMS(1, 2, 3, 4), .begin = { 0, 0, 0, 3 },
      .end = { 0, 0, 0, 7 }, .strides = ONES, .masks = { .begin = 7, .end = 7 } },
    { ROW("one_of_each_row", "a row and a channel dropped, other masks set",
          REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 4), .begin = { 0, 1, 0, 2 }, .end = { 0, 2, 0, 3 },
      .strides = ONES, .masks = { .begin = 5, .end = 5, .shrink_axis = 10 } },
    { ROW("matrix_of", "a matrix of a batch", REAL(TYPE_BIT(CASE_I32))), .in = DIMS(2, 3, 4),
      .out = DIMS(3, 4), .begin = { 1, 0, 0 }, .end = { 2, 0, 0 }, .strides = ONES,
      .masks = { .begin = 6, .end = 6, .shrink_axis = 1 } },
    { ROW("element", "a number of a shape", REAL(TYPE_BIT(CASE_I32))), .in = DIMS(4), .out = SCALAR,
      .begin = { 2 }, .end = { 3 }, .strides = ONES, .masks = { .shrink_axis = 1 } },
    { ROW("element_wide", "a number of 64 bits of a shape", REAL(TYPE_BIT(CASE_I32)),
          .refused_by = "tensor.type"),
      .in = DIMS(4), .out = SCALAR, .begin = { 2 }, .end = { 3 }, .strides = ONES,
      .masks = { .shrink_axis = 1 }, .wide = true },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(r->count > 0 ? r->count : r->in.rank);
    static const int32_t wide_a[] = { 1, -2, 70000, 5 }, wide_b[] = { 3, 7, -1, 0 };
    struct options options;
    int in[4];

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "begin_mask", r->masks.begin);
    options_set_int(&options, "end_mask", r->masks.end);
    options_set_int(&options, "ellipsis_mask", r->masks.ellipsis);
    options_set_int(&options, "new_axis_mask", r->masks.new_axis);
    options_set_int(&options, "shrink_axis_mask", r->masks.shrink_axis);
    options_set_int(&options, "offset", r->offset);
    in[0] = r->wide ? case_input_values(m, "x", &r->in, TENSOR_INT64, wide_a, wide_b)
                    : case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "begin", &vector, r->begin);
    in[2] = case_constant_i32(m, "end", &vector, r->end);
    in[3] = case_constant_i32(m, "strides", &vector, r->strides);
    case_judged_op(m, &options, 4, in,
                   r->wide ? case_output_of(m, "y", &r->out, TENSOR_INT64)
                           : case_output(m, "y", &r->out));
}

/* ---- sweeps: any two kinds of specs together ---- */

enum kind {
    WHOLE,      /* 0 to D */
    BEGIN_MASK, /* to D - 1 */
    END_MASK,   /* from 1 */
    MIDDLE,     /* 1 to D - 1 */
    EVERY_2ND,  /* 0, 2, ... */
    EVERY_3RD,  /* 1, 4, ... */
    REVERSED,   /* by masks alone */
    BACK_BY_2,  /* D - 1 down to 1 */
    FROM_END,   /* -3 to -1 */
    CLAMPED,    /* far below to far above */
    ONE,        /* the middle one, its dimension dropped */
    LAST        /* -1, its dimension dropped */
};
static const struct pairwise_level kinds[] = {
    { "whole", WHOLE, 0 },  { "bm", BEGIN_MASK, 0 },   { "em", END_MASK, 0 },
    { "mid", MIDDLE, 0 },   { "by2", EVERY_2ND, 0 },   { "by3", EVERY_3RD, 0 },
    { "rev", REVERSED, 0 }, { "back2", BACK_BY_2, 0 }, { "neg", FROM_END, 0 },
    { "far", CLAMPED, 0 },  { "one", ONE, 0 },         { "last", LAST, 0 },
};
static const struct pairwise_level channels[] = {
    { "c3", 3, 0 }, { "c4", 4, 0 }, { "c5", 5, 0 },   { "c6", 6, 0 },   { "c7", 7, 0 },
    { "c8", 8, 0 }, { "c9", 9, 0 }, { "c16", 16, 0 }, { "c17", 17, 0 },
};
static const struct pairwise_axis image_axes[] = {
    PAIRWISE_AXIS(kinds), PAIRWISE_AXIS(kinds),    PAIRWISE_AXIS(kinds),
    PAIRWISE_AXIS(kinds), PAIRWISE_AXIS(channels),
};
/* Fewer kinds, for ranks other than 4. */
static const struct pairwise_level some_kinds[] = {
    { "mid", MIDDLE, 0 },
    { "back2", BACK_BY_2, 0 },
    { "one", ONE, 0 },
    { "by3", EVERY_3RD, 0 },
};
static const struct pairwise_axis some_axes[] = {
    PAIRWISE_AXIS(some_kinds), PAIRWISE_AXIS(some_kinds), PAIRWISE_AXIS(some_kinds),
    PAIRWISE_AXIS(some_kinds), PAIRWISE_AXIS(some_kinds), PAIRWISE_AXIS(some_kinds),
};

/* Sets begin, end, stride and mask bits of dimension i, which has d >= 3 elements. */
static void set_spec(struct row *r, int i, enum kind kind, int32_t d)
{
    const int32_t bit = 1 << i;
    int32_t length = d;

    r->end[i] = d;
    r->strides[i] = 1;
    switch (kind) {
    case WHOLE: break;
    case BEGIN_MASK:
        r->begin[i] = 2; /* not read */
        r->end[i] = length = d - 1;
        r->masks.begin |= bit;
        break;
    case END_MASK:
        r->begin[i] = 1;
        r->end[i] = 1; /* not read */
        length = d - 1;
        r->masks.end |= bit;
        break;
    case MIDDLE:
        r->begin[i] = 1;
        r->end[i] = d - 1;
        length = d - 2;
        break;
    case EVERY_2ND:
        r->strides[i] = 2;
        length = (d + 1) / 2;
        break;
    case EVERY_3RD:
        r->begin[i] = 1;
        r->strides[i] = 3;
        length = (d - 1 + 2) / 3;
        break;
    case REVERSED:
        r->begin[i] = 1;
        r->end[i] = 1;
        r->strides[i] = -1;
        r->masks.begin |= bit;
        r->masks.end |= bit;
        break;
    case BACK_BY_2:
        r->begin[i] = d - 1;
        r->end[i] = 0;
        r->strides[i] = -2;
        length = d / 2;
        break;
    case FROM_END:
        r->begin[i] = -3;
        r->end[i] = -1;
        length = 2;
        break;
    case CLAMPED:
        r->begin[i] = -100;
        r->end[i] = 100;
        break;
    case ONE:
    case LAST:
        r->begin[i] = kind == ONE ? d / 2 : -1;
        r->end[i] = 0; /* not read */
        r->masks.shrink_axis |= bit;
        return;
    }
    r->out.d[r->out.rank++] = length;
}

static struct row sliced_row(const struct pairwise_row *p, int rank, int32_t last)
{
    static const int32_t extents[] = { 3, 3, 4, 3, 5 }; /* before the last */
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: begin, end, stride, masks by dimension",
                  .types = ONE_IN_FOUR_TYPES(p->position),
                  .floats = p->position % 8 != 0 },
        .in.rank = rank,
    };

    for (int i = 0; i < rank; i++) {
        r.in.d[i] = i == rank - 1 ? last : extents[5 - (rank - 1) + i];
        set_spec(&r, i, (enum kind)p->level[i]->x, r.in.d[i]);
    }
    return r;
}

static struct row image_row(const struct pairwise_row *p)
{
    return sliced_row(p, 4, p->level[4]->x);
}

static struct row ranked_row(const struct pairwise_row *p)
{
    return sliced_row(p, (int)p->axis_count, 7);
}

static struct row vector_row(const struct pairwise_row *p)
{
    return sliced_row(p, 1, 11);
}

SUITE_SWEEP(sweep, SWEEP_PART(image_row, image_axes), SWEEP_PART_OF(ranked_row, some_axes, 2),
            SWEEP_PART_OF(ranked_row, some_axes, 3), SWEEP_PART_OF(ranked_row, some_axes, 5),
            SWEEP_PART_OF(ranked_row, some_axes, 6), SWEEP_PART_OF(vector_row, image_axes, 1))
SUITE_SWEPT(strided_slice, members, rows, build, sweep);
