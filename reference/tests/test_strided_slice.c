/* STRIDED_SLICE as Python slices a sequence. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

struct slice_row {
    const char *name;
    int rank, count;
    int32_t x[4], begin[6], end[6], strides[6];
    int begin_mask, end_mask, ellipsis, new_axis, shrink;
    bool offset;
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
