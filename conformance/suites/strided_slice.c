/* STRIDED_SLICE: every mask, both directions, slices that move channels between lanes. */
#include "conformance/maker.h"
#include "conformance/suite.h"

struct row {
    struct op_case base;
    struct shape in, out;
    int32_t begin[SHAPE_RANK_MAX], end[SHAPE_RANK_MAX], strides[SHAPE_RANK_MAX];
    int32_t count; /* of their elements; 0: the input's rank */
    struct {
        int32_t begin, end, ellipsis, new_axis, shrink_axis;
    } masks;
};

static const struct suite_member members[] = {
    { "strided_slice",
      BUILTIN_STRIDED_SLICE,
      1,
      TYPE_BIT(CASE_F32),
      SETS_MOVE,
      { .kind = BOUND_BITS } },
};

#define ONES                                                                                       \
    {                                                                                              \
        1, 1, 1, 1, 1, 1                                                                           \
    }

/* All channels, of a part of the image. */
#define ROWS(c)                                                                                    \
    {                                                                                              \
        ROW("rows_c" #c, "channels in slices of four"),                                            \
            .in = DIMS(1, 3, 3, c), .out = DIMS(1, 2, 3, c), .begin = { 0, 1, 0, 0 },              \
            .end = { 1, 3, 3, c }, .strides = ONES                                                 \
    }
/* From lane 1 on, to the end. */
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
};

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(r->count > 0 ? r->count : r->in.rank);
    struct options options;
    int in[4];

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "begin_mask", r->masks.begin);
    options_set_int(&options, "end_mask", r->masks.end);
    options_set_int(&options, "ellipsis_mask", r->masks.ellipsis);
    options_set_int(&options, "new_axis_mask", r->masks.new_axis);
    options_set_int(&options, "shrink_axis_mask", r->masks.shrink_axis);
    in[0] = maker_input(m, "x", &r->in, &any);
    in[1] = maker_ints(m, "begin", &vector, r->begin);
    in[2] = maker_ints(m, "end", &vector, r->end);
    in[3] = maker_ints(m, "strides", &vector, r->strides);
    maker_judged(m, &options, 4, in, maker_output(m, "y", &r->out));
}

SUITE(strided_slice, members, rows, build);
