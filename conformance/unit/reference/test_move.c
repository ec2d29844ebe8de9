/* The scalar kernels of CONCATENATION and STRIDED_SLICE: small cases by hand, others element by
 * element from coordinates, and everything that they refuse. */
#include "conformance/unit/kit/op_harness.h"

/* ---- CONCATENATION ---- */

static void set_concatenation(struct op_test *t, int axis, TfLiteFusedActivation act)
{
    TfLiteConcatenationParams *p = (void *)t->params.bytes;

    p->axis = axis;
    p->activation = act;
}

static void concatenation_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 1), FLOATS(1, 2));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(3, 4, 5, -6));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 0), NULL);
    set_concatenation(&t, 1, kTfLiteActNone);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 3));
    op_gives(&t, 6, FLOATS(1, 3, 4, 2, 5, -6));
    op_detail_is(&t, 5, -6, 6, 1);
    set_concatenation(&t, -1, kTfLiteActNone);
    op_run(&t);
    op_gives(&t, 6, FLOATS(1, 3, 4, 2, 5, -6));
    op_end(&t);

    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), FLOATS(1, 2));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(3, 4, 5, 6));
    set_concatenation(&t, -2, kTfLiteActNone);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 2));
    op_gives(&t, 6, FLOATS(1, 2, 3, 4, 5, 6));
    op_end(&t);

    /* One input, and pieces that are all empty. */
    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(1, NAN));
    op_run(&t);
    assert_true(isnan(t.out[0]->data.f[1]));
    op_set_dims(t.in[0], 2, DIMS(0, 4));
    set_concatenation(&t, 1, kTfLiteActNone);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(0, 4));
    op_end(&t);
}

/* 16 inputs of 1 to 3 cells, each element with a number of its own, along each axis. */
static void concatenation_of_16_inputs(void **state)
{
    (void)state;
    for (int axis = 0; axis < 4; axis++) {
        const int32_t dims[] = { 2, 3, 2, 3 };
        int32_t total = 0, number = 0, begin[17] = { 0 };
        struct op_test t;

        op_begin(&t, BUILTIN_CONCATENATION, kTfLiteInt32);
        for (int i = 0; i < 16; i++) {
            int32_t own[] = { 2, 3, 2, 3 }, values[2 * 3 * 2 * 3 * 3];
            int32_t count = 1;

            own[axis] = 1 + i % 3;
            for (int d = 0; d < 4; d++)
                count *= own[d];
            for (int32_t k = 0; k < count; k++)
                values[k] = number++;
            op_input(&t, kTfLiteInt32, 4, own, values);
            total += own[axis];
            begin[i + 1] = total;
        }
        set_concatenation(&t, axis, kTfLiteActNone);
        op_run(&t);
        assert_int_equal(t.shapes[0].dims[axis], total);
        for (size_t e = 0; e < ref_elements(t.out[0]); e++) {
            int32_t at[4], left = (int32_t)e, from = 0;
            int i = 0;

            for (int d = 3; d >= 0; d--) {
                const int32_t extent = d == axis ? total : dims[d];

                at[d] = left % extent;
                left /= extent;
            }
            while (begin[i + 1] <= at[axis])
                i++;
            at[axis] -= begin[i];
            for (int d = 0; d < 4; d++)
                from = from * (d == axis ? begin[i + 1] - begin[i] : dims[d]) + at[d];
            assert_int_equal(t.out[0]->data.i32[e], t.in[i]->data.i32[from]);
        }
        op_end(&t);
    }
}

static void concatenation_of_any_type(void **state)
{
    static const TfLiteType types[] = { kTfLiteFloat16, kTfLiteInt8, kTfLiteUInt8, kTfLiteInt16,
                                        kTfLiteInt64,   kTfLiteBool, kTfLiteUInt32 };
    static const unsigned char bytes[16] = { 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0 };
    struct op_test t;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t size = runtime_type_bits(types[i]) / 8;
        unsigned char expected[16];

        op_begin(&t, BUILTIN_CONCATENATION, types[i]);
        t.row = runtime_type_name(types[i]);
        op_input(&t, types[i], 1, DIMS(1), bytes);
        op_input(&t, types[i], 1, DIMS(1), bytes + size);
        op_run(&t);
        memcpy(expected, bytes, 2 * size);
        op_gives_bytes(&t, 2 * size, expected);
        op_end(&t);
    }

    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x3c00, 0xc000));
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), HALVES(0x0001));
    op_run(&t);
    op_detail_is(&t, 1, -2, 2, 1);
    op_detail_is(&t, 2, 0x1p-24, 0x1p-24, 1);
    op_end(&t);
}

static void concatenation_refuses(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 3), NULL);
    set_concatenation(&t, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "input 1: dimension 0 is 3, expected 2", "axis is 1", NULL);
    set_concatenation(&t, 2, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "axis is 2", "rank 2", NULL);
    set_concatenation(&t, -3, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "axis is -3", NULL);
    set_concatenation(&t, INT32_MIN, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "axis is -2147483648", NULL);
    set_concatenation(&t, 0, kTfLiteActRelu);
    op_refused(&t, STATUS_UNSUPPORTED, "fused_activation_function 1", NULL);
    set_concatenation(&t, 0, (TfLiteFusedActivation)99);
    op_refused(&t, STATUS_INVALID, "fused_activation_function 99", NULL);
    set_concatenation(&t, 0, kTfLiteActNone);
    t.in[1]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (input): type i32", "f32", NULL);
    t.in[1]->type = kTfLiteFloat32;
    op_set_dims(t.in[1], 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 1 (input): rank 1, expected 2", NULL);
    op_set_dims(t.in[1], 2, DIMS(-1, 3));
    op_refused(&t, STATUS_INVALID, "input 1 (input): dimension 0 is -1", NULL);
    t.in[1] = NULL;
    op_refused(&t, STATUS_INVALID, "input 1 (input) is missing", NULL);
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type i32", NULL);
    op_set_dims(t.in[0], 9, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): rank 9", NULL);
    op_end(&t);

    /* Sums that are no int. */
    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 4), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 4), NULL);
    t.in[0]->dims->data[1] = INT32_MAX;
    set_concatenation(&t, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "input 1: 2147483651 elements along axis 1", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, NULL, FLOATS(1));
    op_refused(&t, STATUS_INVALID, "axis is 0", "rank 0", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteInt4);
    op_input(&t, kTfLiteInt4, 1, DIMS(2), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type i4", "whole bytes", NULL);
    op_end(&t);
}

static TfLiteIntArray *int_array(int value)
{
    TfLiteIntArray *const a = mem_alloc(2, sizeof(int));

    assert_non_null(a);
    a->size = 1;
    a->data[0] = value;
    return a;
}

static TfLiteFloatArray *float_array(float value)
{
    TfLiteFloatArray *const a = mem_alloc(1, sizeof *a + sizeof value);

    assert_non_null(a);
    a->size = 1;
    a->data[0] = value;
    return a;
}

/* Quantized pieces have one scale, that of the output. */
static void concatenation_wants_one_scale(void **state)
{
    TfLiteIntArray *const points[] = { int_array(3), int_array(3), int_array(4) };
    TfLiteFloatArray *const scales[] = { float_array(0.5F), float_array(0.5F), float_array(0.5F) };
    TfLiteAffineQuantization q[3];
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_CONCATENATION, kTfLiteInt8);
    op_input(&t, kTfLiteInt8, 1, DIMS(1), "a");
    op_input(&t, kTfLiteInt8, 1, DIMS(1), "b");
    for (int i = 0; i < 3; i++) {
        TfLiteTensor *const tensor = i < 2 ? t.in[i] : t.out[0];

        q[i] = (TfLiteAffineQuantization){ .scale = scales[i], .zero_point = points[i] };
        tensor->quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, &q[i] };
        tensor->params.scale = scales[i]->data[0];
        tensor->params.zero_point = points[i]->data[0];
    }
    op_refused(&t, STATUS_UNSUPPORTED, "input 0", "zero point 3", "expected 0.5 and 4", NULL);
    points[2]->data[0] = 3;
    op_run(&t);
    op_gives_bytes(&t, 2, "ab");
    op_end(&t);
    for (int i = 0; i < 3; i++) {
        mem_free(points[i]);
        mem_free(scales[i]);
    }
}

/* ---- STRIDED_SLICE ---- */

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

static const struct slice_row slice_rows[] = {
    { "middle",
      2,
      2,
      { 4, 5 },
      { 1, 2 },
      { 3, 5 },
      { 1, 1 },
      .out_rank = 2,
      .out = { 2, 3 },
      .first = { 7, 8, 9, 12, 13, 14 } },
    { "step", 1, 1, { 7 }, { 1 }, { 7 }, { 3 }, .out_rank = 1, .out = { 2 }, .first = { 1, 4 } },
    { "step_over_the_end",
      1,
      1,
      { 7 },
      { 0 },
      { 99 },
      { 4 },
      .out_rank = 1,
      .out = { 2 },
      .first = { 0, 4 } },
    { "backwards",
      1,
      1,
      { 5 },
      { 4 },
      { 0 },
      { -1 },
      .out_rank = 1,
      .out = { 4 },
      .first = { 4, 3, 2, 1 } },
    { "backwards_all",
      1,
      1,
      { 5 },
      { 0 },
      { 0 },
      { -2 },
      .begin_mask = 1,
      .end_mask = 1,
      .out_rank = 1,
      .out = { 3 },
      .first = { 4, 2, 0 } },
    { "backwards_to_before_the_first",
      1,
      1,
      { 3 },
      { 99 },
      { -99 },
      { -1 },
      .out_rank = 1,
      .out = { 3 },
      .first = { 2, 1, 0 } },
    { "backwards_minus_one_is_the_last",
      1,
      1,
      { 3 },
      { 2 },
      { -1 },
      { -1 },
      .out_rank = 1,
      .out = { 0 } },
    { "from_the_end",
      1,
      1,
      { 6 },
      { -4 },
      { -1 },
      { 1 },
      .out_rank = 1,
      .out = { 3 },
      .first = { 2, 3, 4 } },
    { "nothing", 1, 1, { 6 }, { 4 }, { 2 }, { 1 }, .out_rank = 1, .out = { 0 } },
    { "far_apart",
      1,
      1,
      { 3 },
      { INT32_MIN },
      { INT32_MAX },
      { INT32_MAX },
      .out_rank = 1,
      .out = { 1 },
      .first = { 0 } },
    { "far_back",
      1,
      1,
      { 3 },
      { INT32_MAX },
      { INT32_MIN },
      { INT32_MIN },
      .out_rank = 1,
      .out = { 1 },
      .first = { 2 } },
    { "begin_mask",
      2,
      2,
      { 2, 3 },
      { 1, 2 },
      { 2, 2 },
      { 1, 1 },
      .begin_mask = 2,
      .out_rank = 2,
      .out = { 1, 2 },
      .first = { 3, 4 } },
    { "end_mask",
      2,
      2,
      { 2, 3 },
      { 1, 1 },
      { 0, 0 },
      { 1, 1 },
      .end_mask = 3,
      .out_rank = 2,
      .out = { 1, 2 },
      .first = { 4, 5 } },
    { "fewer_entries",
      3,
      1,
      { 2, 2, 2 },
      { 1 },
      { 2 },
      { 1 },
      .out_rank = 3,
      .out = { 1, 2, 2 },
      .first = { 4, 5, 6, 7 } },
    { "ellipsis",
      3,
      2,
      { 2, 2, 2 },
      { 9, 1 },
      { 9, 2 },
      { 9, 1 },
      .ellipsis = 1,
      .out_rank = 3,
      .out = { 2, 2, 1 },
      .first = { 1, 3, 5, 7 } },
    { "ellipsis_stride_0",
      2,
      2,
      { 2, 2 },
      { 0, 1 },
      { 0, 2 },
      { 0, 1 },
      .ellipsis = 1,
      .out_rank = 2,
      .out = { 2, 1 },
      .first = { 1, 3 } },
    { "ellipsis_at_the_end_of_all",
      1,
      2,
      { 3 },
      { 1, 0 },
      { 3, 0 },
      { 1, 1 },
      .ellipsis = 2,
      .out_rank = 1,
      .out = { 2 },
      .first = { 1, 2 } },
    { "ellipsis_before_new_axis",
      2,
      2,
      { 2, 2 },
      { 0, 0 },
      { 0, 0 },
      { 1, 1 },
      .ellipsis = 1,
      .new_axis = 3,
      .out_rank = 3,
      .out = { 2, 2, 1 },
      .first = { 0, 1, 2, 3 } },
    { "new_axis",
      2,
      3,
      { 2, 2 },
      { 0, 5, 1 },
      { 2, 5, 2 },
      { 1, 0, 1 },
      .new_axis = 2,
      .out_rank = 3,
      .out = { 2, 1, 1 },
      .first = { 1, 3 } },
    { "new_axis_before_shrink",
      1,
      2,
      { 3 },
      { 0, 1 },
      { 0, 3 },
      { 1, 1 },
      .new_axis = 1,
      .shrink = 1,
      .out_rank = 2,
      .out = { 1, 2 },
      .first = { 1, 2 } },
    { "shrink",
      2,
      2,
      { 2, 3 },
      { 1, 0 },
      { 0, 3 },
      { 1, 1 },
      .shrink = 1,
      .out_rank = 1,
      .out = { 3 },
      .first = { 3, 4, 5 } },
    { "shrink_from_the_end",
      2,
      2,
      { 2, 3 },
      { 0, -1 },
      { 2, 0 },
      { 1, 5 },
      .shrink = 2,
      .out_rank = 1,
      .out = { 2 },
      .first = { 2, 5 } },
    { "shrink_to_a_scalar",
      2,
      2,
      { 2, 3 },
      { 1, 1 },
      { 0, 0 },
      { 1, 1 },
      .shrink = 3,
      .out_rank = 0,
      .first = { 4 } },
    { "shrink_with_begin_mask",
      1,
      1,
      { 3 },
      { 2 },
      { 3 },
      { 1 },
      .begin_mask = 1,
      .shrink = 1,
      .out_rank = 0,
      .first = { 0 } },
    { "offset",
      1,
      1,
      { 6 },
      { 2 },
      { 3 },
      { 1 },
      .offset = true,
      .out_rank = 1,
      .out = { 3 },
      .first = { 2, 3, 4 } },
    { "offset_from_the_end",
      1,
      1,
      { 6 },
      { -3 },
      { 2 },
      { 1 },
      .offset = true,
      .out_rank = 1,
      .out = { 2 },
      .first = { 3, 4 } },
    { "unused_bits",
      1,
      1,
      { 3 },
      { 1 },
      { 2 },
      { 1 },
      .begin_mask = ~1,
      .end_mask = ~1,
      .ellipsis = ~1,
      .new_axis = ~1,
      .shrink = ~1,
      .out_rank = 1,
      .out = { 1 },
      .first = { 1 } },
    { "no_entries", 2, 0, { 2, 2 }, .out_rank = 2, .out = { 2, 2 }, .first = { 0, 1, 2, 3 } },
    { "empty", 2, 2, { 0, 3 }, { 0, 1 }, { 5, 3 }, { 1, 1 }, .out_rank = 2, .out = { 0, 2 } },
    { "empty_backwards",
      1,
      1,
      { 0 },
      { 0 },
      { 0 },
      { -1 },
      .begin_mask = 1,
      .end_mask = 1,
      .out_rank = 1,
      .out = { 0 } },
};

static void slices_by_hand(void **state)
{
    (void)state;
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
static void slices_are_those_of_python(void **state)
{
    int checked = 0;

    (void)state;
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

static void slices_of_any_type(void **state)
{
    static const TfLiteType types[] = { kTfLiteFloat32, kTfLiteFloat16, kTfLiteInt8,
                                        kTfLiteUInt8,   kTfLiteInt16,   kTfLiteInt32,
                                        kTfLiteInt64,   kTfLiteBool,    kTfLiteUInt32 };
    unsigned char bytes[24];

    (void)state;
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
static void slices_wait_for_their_entries(void **state)
{
    (void)state;
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

static void slices_refuse(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_slice(&t, &rows[i].slice);
        op_refused(&t, rows[i].status, rows[i].words[0],
                   rows[i].words[1] ? rows[i].words[1] : "STRIDED_SLICE", NULL);
        op_end(&t);
    }
}

static void slices_refuse_tensors(void **state)
{
    static const char *const roles[] = { "input 1 (begin)", "input 2 (end)", "input 3 (strides)" };
    struct op_test t;

    (void)state;
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

static void options_become_parameters(void **state)
{
    TfLiteConcatenationParams concatenation = { 0 };
    TfLiteStridedSliceParams slice = { 0 };
    struct options o;

    (void)state;
    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", -2);
    options_set_int(&o, "fused_activation_function", 3);
    ref_find(BUILTIN_CONCATENATION)->read_params(&o, &concatenation);
    assert_int_equal(concatenation.axis, -2);
    assert_int_equal(concatenation.activation, kTfLiteActRelu6);

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concatenation_by_hand),
        cmocka_unit_test(concatenation_of_16_inputs),
        cmocka_unit_test(concatenation_of_any_type),
        cmocka_unit_test(concatenation_refuses),
        cmocka_unit_test(concatenation_wants_one_scale),
        cmocka_unit_test(slices_by_hand),
        cmocka_unit_test(slices_are_those_of_python),
        cmocka_unit_test(slices_of_any_type),
        cmocka_unit_test(slices_wait_for_their_entries),
        cmocka_unit_test(slices_refuse),
        cmocka_unit_test(slices_refuse_tensors),
        cmocka_unit_test(options_become_parameters),
    };

    return cmocka_run_group_tests_name("ref_move", tests, NULL, NULL);
}
