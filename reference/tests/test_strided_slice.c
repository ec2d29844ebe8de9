/* STRIDED_SLICE: results by hand, others as Python slices a sequence, and what it refuses. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

struct slice_row {
    const char *name;
    int rank, count;
    int32_t x[4], begin[6], end[6], strides[6];
    int begin_mask, end_mask, ellipsis, new_axis, shrink;
    bool offset;
    int out_rank;
    int32_t out[6];
    int32_t first[6]; /* of the output: x is 0, 1, 2, ... */
};

static void set_slice(struct op_test *t, const struct slice_row *r)
{
    TfLiteStridedSliceParams *p = (void *)t->params.bytes;

    *p = (TfLiteStridedSliceParams){ .begin_mask = r->begin_mask,
                                     .end_mask = r->end_mask,
                                     .ellipsis_mask = r->ellipsis,
                                     .new_axis_mask = r->new_axis,
                                     .shrink_axis_mask = r->shrink,
                                     .offset = r->offset };
}

static void begin_slice(struct op_test *t, const struct slice_row *r)
{
    static int32_t numbers[4096];

    for (int32_t i = 0; i < 4096; i++)
        numbers[i] = i;
    op_begin(t, BUILTIN_STRIDED_SLICE, kTfLiteInt32);
    t->row = r->name;
    op_input(t, kTfLiteInt32, r->rank, r->x, numbers);
    op_input(t, kTfLiteInt32, 1, &r->count, r->begin);
    op_input(t, kTfLiteInt32, 1, &r->count, r->end);
    op_input(t, kTfLiteInt32, 1, &r->count, r->strides);
    set_slice(t, r);
}

/* clang-format off */
static const struct slice_row slice_rows[] = {
    { "middle", 2, 2, { 4, 5 }, { 1, 2 }, { 3, 5 }, { 1, 1 }, .out_rank = 2, .out = { 2, 3 },
      .first = { 7, 8, 9, 12, 13, 14 } },
    { "step", 1, 1, { 7 }, { 1 }, { 7 }, { 3 }, .out_rank = 1, .out = { 2 }, .first = { 1, 4 } },
    { "step_over_the_end", 1, 1, { 7 }, { 0 }, { 99 }, { 4 }, .out_rank = 1, .out = { 2 },
      .first = { 0, 4 } },
    { "backwards", 1, 1, { 5 }, { 4 }, { 0 }, { -1 }, .out_rank = 1, .out = { 4 },
      .first = { 4, 3, 2, 1 } },
    { "backwards_all", 1, 1, { 5 }, { 0 }, { 0 }, { -2 }, .begin_mask = 1, .end_mask = 1,
      .out_rank = 1, .out = { 3 }, .first = { 4, 2, 0 } },
    { "backwards_to_before_the_first", 1, 1, { 3 }, { 99 }, { -99 }, { -1 }, .out_rank = 1,
      .out = { 3 }, .first = { 2, 1, 0 } },
    { "backwards_minus_one_is_the_last", 1, 1, { 3 }, { 2 }, { -1 }, { -1 }, .out_rank = 1,
      .out = { 0 } },
    { "from_the_end", 1, 1, { 6 }, { -4 }, { -1 }, { 1 }, .out_rank = 1, .out = { 3 },
      .first = { 2, 3, 4 } },
    { "nothing", 1, 1, { 6 }, { 4 }, { 2 }, { 1 }, .out_rank = 1, .out = { 0 } },
    { "far_apart", 1, 1, { 3 }, { INT32_MIN }, { INT32_MAX }, { INT32_MAX }, .out_rank = 1,
      .out = { 1 }, .first = { 0 } },
    { "far_back", 1, 1, { 3 }, { INT32_MAX }, { INT32_MIN }, { -INT32_MAX }, .out_rank = 1,
      .out = { 1 }, .first = { 2 } },
    { "begin_mask", 2, 2, { 2, 3 }, { 1, 2 }, { 2, 2 }, { 1, 1 }, .begin_mask = 2, .out_rank = 2,
      .out = { 1, 2 }, .first = { 3, 4 } },
    { "end_mask", 2, 2, { 2, 3 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, .end_mask = 3, .out_rank = 2,
      .out = { 1, 2 }, .first = { 4, 5 } },
    { "fewer_entries", 3, 1, { 2, 2, 2 }, { 1 }, { 2 }, { 1 }, .out_rank = 3, .out = { 1, 2, 2 },
      .first = { 4, 5, 6, 7 } },
    { "ellipsis", 3, 2, { 2, 2, 2 }, { 9, 1 }, { 9, 2 }, { 9, 1 }, .ellipsis = 1, .out_rank = 3,
      .out = { 2, 2, 1 }, .first = { 1, 3, 5, 7 } },
    { "ellipsis_stride_0", 2, 2, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 0, 1 }, .ellipsis = 1,
      .out_rank = 2, .out = { 2, 1 }, .first = { 1, 3 } },
    { "ellipsis_at_the_end_of_all", 1, 2, { 3 }, { 1, 0 }, { 3, 0 }, { 1, 1 }, .ellipsis = 2,
      .out_rank = 1, .out = { 2 }, .first = { 1, 2 } },
    { "ellipsis_before_new_axis", 2, 2, { 2, 2 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, .ellipsis = 1,
      .new_axis = 3, .out_rank = 3, .out = { 2, 2, 1 }, .first = { 0, 1, 2, 3 } },
    { "new_axis", 2, 3, { 2, 2 }, { 0, 5, 1 }, { 2, 5, 2 }, { 1, 0, 1 }, .new_axis = 2,
      .out_rank = 3, .out = { 2, 1, 1 }, .first = { 1, 3 } },
    { "new_axis_before_shrink", 1, 2, { 3 }, { 0, 1 }, { 0, 3 }, { 1, 1 }, .new_axis = 1,
      .shrink = 1, .out_rank = 2, .out = { 1, 2 }, .first = { 1, 2 } },
    { "shrink", 2, 2, { 2, 3 }, { 1, 0 }, { 0, 3 }, { 1, 1 }, .shrink = 1, .out_rank = 1,
      .out = { 3 }, .first = { 3, 4, 5 } },
    { "shrink_from_the_end", 2, 2, { 2, 3 }, { 0, -1 }, { 2, 0 }, { 1, 5 }, .shrink = 2,
      .out_rank = 1, .out = { 2 }, .first = { 2, 5 } },
    { "shrink_to_a_scalar", 2, 2, { 2, 3 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, .shrink = 3,
      .out_rank = 0, .first = { 4 } },
    { "shrink_with_begin_mask", 1, 1, { 3 }, { 2 }, { 3 }, { 1 }, .begin_mask = 1, .shrink = 1,
      .out_rank = 0, .first = { 0 } },
    { "offset", 1, 1, { 6 }, { 2 }, { 3 }, { 1 }, .offset = true, .out_rank = 1, .out = { 3 },
      .first = { 2, 3, 4 } },
    { "offset_from_the_end", 1, 1, { 6 }, { -3 }, { 2 }, { 1 }, .offset = true, .out_rank = 1,
      .out = { 2 }, .first = { 3, 4 } },
    { "unused_bits", 1, 1, { 3 }, { 1 }, { 2 }, { 1 }, .begin_mask = ~1, .end_mask = ~1,
      .ellipsis = ~1, .new_axis = ~1, .shrink = ~1, .out_rank = 1, .out = { 1 }, .first = { 1 } },
    { "no_entries", 2, 0, { 2, 2 }, .out_rank = 2, .out = { 2, 2 }, .first = { 0, 1, 2, 3 } },
    { "empty", 2, 2, { 0, 3 }, { 0, 1 }, { 5, 3 }, { 1, 1 }, .out_rank = 2, .out = { 0, 2 } },
    { "empty_backwards", 1, 1, { 0 }, { 0 }, { 0 }, { -1 }, .begin_mask = 1, .end_mask = 1,
      .out_rank = 1, .out = { 0 } },
};
/* clang-format on */

TEST(slices_by_hand)
{
    for (size_t i = 0; i < sizeof slice_rows / sizeof slice_rows[0]; i++) {
        const struct slice_row *const r = &slice_rows[i];
        struct op_test t;
        size_t count;

        begin_slice(&t, r);
        op_run(&t);
        if (t.shapes[0].rank != r->out_rank)
            fail_msg("%s: rank %d", r->name, t.shapes[0].rank);
        for (int d = 0; d < r->out_rank; d++) {
            if (t.shapes[0].dims[d] != r->out[d])
                fail_msg("%s: dimension %d is %d", r->name, d, t.shapes[0].dims[d]);
        }
        count = ref_elements(t.out[0]);
        assert_true(count <= 6);
        for (size_t k = 0; k < count; k++) {
            if (t.out[0]->data.i32[k] != r->first[k])
                fail_msg("%s: element %zu is %d", r->name, k, t.out[0]->data.i32[k]);
            op_detail_is(&t, k, r->first[k], r->first[k], 1);
        }
        op_end(&t);
    }
}

/* Every begin, end and stride of a dimension of 4, against the rule of Python's slices. */
TEST(slices_are_those_of_python)
{
    int checked = 0;

    for (int32_t begin = -6; begin <= 6; begin++) {
        for (int32_t end = -6; end <= 6; end++) {
            for (int32_t stride = -3; stride <= 3; stride++) {
                struct slice_row r = { "sweep",
                                       1,
                                       1,
                                       { 4 },
                                       { begin },
                                       { end },
                                       { stride },
                                       .begin_mask = begin == 6,
                                       .end_mask = end == 6 };
                struct op_test t;
                size_t count = 0;

                if (stride == 0)
                    continue;
                begin_slice(&t, &r);
                op_run(&t);
                for (int32_t i = stride > 0 ? 0 : 3; i >= 0 && i<4; i += stride> 0 ? 1 : -1) {
                    const int32_t b = begin < 0 ? begin + 4 : begin, e = end < 0 ? end + 4 : end;
                    const int32_t from = r.begin_mask ? (stride > 0 ? 0 : 3)
                                         : stride > 0 ? (b < 0 ? 0 : b)
                                                      : (b > 3 ? 3 : b);
                    const bool inside = stride > 0 ? i >= from && (r.end_mask || i < e)
                                                   : i <= from && (r.end_mask || i > e);

                    if (inside && (i - from) % stride == 0)
                        assert_int_equal(t.out[0]->data.i32[count++], i);
                }
                assert_int_equal(ref_elements(t.out[0]), count);
                checked++;
                op_end(&t);
            }
        }
    }
    assert_int_equal(checked, 13 * 13 * 6);
}

TEST(slices_of_any_type)
{
    static const TfLiteType types[] = { kTfLiteFloat32, kTfLiteFloat16, kTfLiteInt8,
                                        kTfLiteUInt8,   kTfLiteInt16,   kTfLiteInt32,
                                        kTfLiteInt64,   kTfLiteBool,    kTfLiteUInt32 };
    unsigned char bytes[24];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 2);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t size = runtime_type_bits(types[i]) / 8;
        struct op_test t;

        op_begin(&t, BUILTIN_STRIDED_SLICE, types[i]);
        op_input(&t, types[i], 1, DIMS(3), bytes);
        op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2));
        op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0));
        op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(-1));
        op_run(&t);
        assert_memory_equal(t.out[0]->data.raw, bytes + 2 * size, size);
        assert_memory_equal(t.out[0]->data.raw + size, bytes + size, size);
        op_end(&t);
    }
}

/* Each of the three may come from another node. */
TEST(slices_wait_for_their_entries)
{
    for (int late = 1; late <= 3; late++) {
        struct op_test t;

        begin_slice(&t, &slice_rows[0]);
        t.in[late]->allocation_type = kTfLiteArenaRw;
        assert_int_equal(op_prepare(&t), STATUS_OK);
        assert_true(t.shapes[0].dynamic);
        t.call.late = true;
        op_run(&t);
        op_has_shape(&t, 2, DIMS(2, 3));
        assert_int_equal(t.out[0]->data.i32[0], 7);
        op_end(&t);
    }
}

TEST(slices_refuse)
{
    static const struct {
        struct slice_row slice;
        enum status status;
        const char *words[3];
    } rows[] = {
        { { "stride_0", 2, 2, { 2, 2 }, .strides = { 1, 0 } },
          STATUS_INVALID,
          { "input 3 (strides): element 1 is 0" } },
        { { "two_ellipses", 3, 3, { 2, 2, 2 }, .strides = { 1, 1, 1 }, .ellipsis = 5 },
          STATUS_INVALID,
          { "ellipsis_mask 0x5", "elements 0 and 2" } },
        { { "all_ellipses", 3, 3, { 2, 2, 2 }, .strides = { 1, 1, 1 }, .ellipsis = -1 },
          STATUS_INVALID,
          { "ellipsis_mask 0xffffffff", "elements 0 and 1" } },
        { { "ellipsis_of_nothing", 1, 2, { 3 }, .strides = { 1, 1 }, .ellipsis = 1 },
          STATUS_UNSUPPORTED,
          { "ellipsis_mask 0x1", "element 0 stands for no dimension" } },
        { { "too_many", 1, 2, { 3 }, .strides = { 1, 1 } },
          STATUS_INVALID,
          { "input 1 (begin): 2 elements", "rank is 1" } },
        { { "too_many_beside_an_ellipsis", 1, 3, { 3 }, .strides = { 1, 1, 1 }, .ellipsis = 4 },
          STATUS_INVALID,
          { "input 1 (begin): 2 elements", "rank is 1" } },
        { { "shrink_backwards", 1, 1, { 3 }, .strides = { -1 }, .shrink = 1 },
          STATUS_INVALID,
          { "input 3 (strides): element 0 is -1", "shrink_axis_mask" } },
        { { "shrink_beyond", 1, 1, { 3 }, { 3 }, .strides = { 1 }, .shrink = 1 },
          STATUS_INVALID,
          { "input 1 (begin): element 0 is 3", "dimension 0 has 3 cells" } },
        { { "shrink_before", 1, 1, { 3 }, { -4 }, .strides = { 1 }, .shrink = 1 },
          STATUS_INVALID,
          { "input 1 (begin): element 0 is -4" } },
        { { "shrink_of_nothing", 2, 2, { 2, 0 }, { 0, 0 }, { 2, 1 }, { 1, 1 }, .shrink = 2 },
          STATUS_INVALID,
          { "input 1 (begin): element 1 is 0", "dimension 1 has 0 cells" } },
        { { "offset_beyond", 1, 1, { 3 }, { 1 }, { 3 }, { 1 }, .offset = true },
          STATUS_INVALID,
          { "input 2 (end): element 0 is 3, an offset from 1", "3 cells" } },
        { { "offset_far", 1, 1, { 3 }, { 1 }, { INT32_MAX }, { 1 }, .offset = true },
          STATUS_INVALID,
          { "input 2 (end): element 0 is 2147483647" } },
        { { "rank_9", 4, 6, { 1, 1, 1, 1 }, .strides = { 1, 1, 1, 1, 1, 1 }, .new_axis = 63 },
          STATUS_UNSUPPORTED,
          { "new_axis_mask 0x3f", "more than 8 dimensions" } },
    };
    struct op_test t;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_slice(&t, &rows[i].slice);
        op_refused(&t, rows[i].status, rows[i].words[0],
                   rows[i].words[1] ? rows[i].words[1] : "STRIDED_SLICE", NULL);
        op_end(&t);
    }
}

TEST(slices_refuse_tensors)
{
    static const char *const roles[] = { "input 1 (begin)", "input 2 (end)", "input 3 (strides)" };
    struct op_test t;

    for (int i = 1; i <= 3; i++) {
        begin_slice(&t, &slice_rows[0]);
        t.in[i]->bytes = 4;
        op_refused(&t, STATUS_INVALID, roles[i - 1], "4 bytes for 2 elements", NULL);
        op_set_dims(t.in[i], 2, DIMS(1, 2));
        op_refused(&t, STATUS_INVALID, roles[i - 1], "rank 2, expected 1", NULL);
        op_set_dims(t.in[i], 1, DIMS(2));
        t.in[i]->type = kTfLiteInt64;
        op_refused(&t, STATUS_UNSUPPORTED, roles[i - 1], "type i64", NULL);
        t.in[i] = NULL;
        op_refused(&t, STATUS_INVALID, roles[i - 1], "missing", NULL);
        op_end(&t);
    }

    begin_slice(&t, &slice_rows[0]);
    op_set_dims(t.in[2], 1, DIMS(1));
    op_refused(&t, STATUS_INVALID, "input 2 (end): 1 elements, input 1 (begin) has 2", NULL);
    for (int i = 1; i <= 3; i++)
        op_set_dims(t.in[i], 1, DIMS(32));
    op_refused(&t, STATUS_INVALID, "input 1 (begin): 32 elements, at most 31", NULL);
    t.out[0]->type = kTfLiteFloat32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type f32, expected i32", NULL);
    t.in[0]->type = kTfLiteString;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "whole bytes", NULL);
    op_end(&t);
}

TEST(slices_read_their_options)
{
    TfLiteStridedSliceParams slice = { 0 };
    struct options o;

    options_init(&o, OPTIONS_StridedSliceOptions);
    options_set_int(&o, "begin_mask", 1);
    options_set_int(&o, "end_mask", 2);
    options_set_int(&o, "ellipsis_mask", 4);
    options_set_int(&o, "new_axis_mask", 8);
    options_set_int(&o, "shrink_axis_mask", 16);
    ref_find(BUILTIN_STRIDED_SLICE)->read_params(&o, &slice);
    assert_int_equal(slice.begin_mask, 1);
    assert_int_equal(slice.end_mask, 2);
    assert_int_equal(slice.ellipsis_mask, 4);
    assert_int_equal(slice.new_axis_mask, 8);
    assert_int_equal(slice.shrink_axis_mask, 16);
    assert_false(slice.offset);
    options_set_int(&o, "offset", 1);
    ref_find(BUILTIN_STRIDED_SLICE)->read_params(&o, &slice);
    assert_true(slice.offset);
}
