/* CONCATENATION: results by hand, others from coordinates, and what it refuses. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

static void set_concatenation(struct op_test *t, int axis, TfLiteFusedActivation act)
{
    TfLiteConcatenationParams *p = (void *)t->params.bytes;

    p->axis = axis;
    p->activation = act;
}

TEST(concatenation_by_hand)
{
    struct op_test t;

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
TEST(concatenation_of_16_inputs)
{
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

TEST(concatenation_of_any_type)
{
    static const TfLiteType types[] = { kTfLiteFloat16, kTfLiteInt8, kTfLiteUInt8, kTfLiteInt16,
                                        kTfLiteInt64,   kTfLiteBool, kTfLiteUInt32 };
    static const unsigned char bytes[16] = { 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0 };
    struct op_test t;

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

TEST(concatenation_refuses)
{
    struct op_test t;

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
TEST(concatenation_wants_one_scale)
{
    TfLiteIntArray *const points[] = { int_array(3), int_array(3), int_array(4) };
    TfLiteFloatArray *const scales[] = { float_array(0.5F), float_array(0.5F), float_array(0.5F) };
    TfLiteAffineQuantization q[3];
    struct op_test t;

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

TEST(concatenation_reads_its_options)
{
    TfLiteConcatenationParams concatenation = { 0 };
    struct options o;

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", -2);
    options_set_int(&o, "fused_activation_function", 3);
    ref_find(BUILTIN_CONCATENATION)->read_params(&o, &concatenation);
    assert_int_equal(concatenation.axis, -2);
    assert_int_equal(concatenation.activation, kTfLiteActRelu6);
}
