/* The scalar ops that work element by element: SUB, MAXIMUM, MINIMUM, integers and halves in ADD
 * and MUL, PRELU, EXP, LOGISTIC; and MAX_POOL_2D.  (ADD, MUL and RELU of f32: test_ops.c.) */
#include "conformance/unit/kit/op_harness.h"

#include "reference/base/half.h"

#include <float.h>

/* ---- SUB, MAXIMUM, MINIMUM ---- */

static void sub_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_SUB, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, -2, 3, 4.5f));
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(10, 0.25f));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_gives(&t, 4, FLOATS(-9, -2.25f, -7, 4.25f));
    op_detail_is(&t, 2, -7, 7, 1);
    ((TfLiteSubParams *)(void *)t.params.bytes)->activation = kTfLiteActRelu6;
    op_run(&t);
    op_gives(&t, 4, FLOATS(0, 0, 0, 4.25f));
    op_end(&t);

    /* The smaller operand first: a - b, not b - a. */
    op_begin(&t, BUILTIN_SUB, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, 2, 4));
    op_run(&t);
    op_gives(&t, 3, FLOATS(0, -1, -3));
    op_end(&t);
}

static void maximum_and_minimum_by_hand(void **state)
{
    static const float a[] = { 1, -2, 5, -0.5f }, b[] = { 3, -4, 5, 0.5f };
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), a);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 4), b);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 4));
    op_gives(&t, 4, FLOATS(3, -2, 5, 0.5f));
    op_detail_is(&t, 1, -2, 2, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_MINIMUM, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), a);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), b);
    op_run(&t);
    op_gives(&t, 4, FLOATS(1, -4, 5, -0.5f));
    op_end(&t);
}

/* As in the runtime: a comparison with NaN is false, so the second operand is taken. */
static void nan_gives_the_second_operand(void **state)
{
    static const int32_t codes[] = { BUILTIN_MAXIMUM, BUILTIN_MINIMUM };
    struct op_test t;

    (void)state;
    for (int i = 0; i < 2; i++) {
        op_begin(&t, codes[i], kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(NAN, 1, NAN));
        op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, NAN, NAN));
        op_run(&t);
        assert_true(t.out[0]->data.f[0] == 1);
        assert_true(isnan(t.out[0]->data.f[1]) && isnan(t.out[0]->data.f[2]));
        op_end(&t);

        op_begin(&t, codes[i], kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x7e00, 0x3c00));
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x3c00, 0x7e00));
        op_run(&t);
        assert_int_equal(t.out[0]->data.f16[0].data, 0x3c00);
        assert_true(isnan(half_to_float(t.out[0]->data.f16[1].data)));
        op_end(&t);
    }
}

static void set_activation(struct op_test *t, TfLiteFusedActivation act)
{
    /* The first field of the parameters of ADD, SUB and MUL. */
    memcpy(t->params.bytes, &act, sizeof act);
}

static void integers_wrap_around(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_ADD, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(3), INTS(INT32_MAX, 4, INT32_MIN));
    op_input(&t, kTfLiteInt32, 1, DIMS(3), INTS(1, 3, -1));
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(INT32_MIN, 7, INT32_MAX));
    op_detail_is(&t, 0, INT32_MIN, 0x1p31, 1);
    set_activation(&t, kTfLiteActRelu); /* after wrapping around */
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(0, 7, INT32_MAX));
    set_activation(&t, kTfLiteActRelu6);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(0, 6, 6));
    set_activation(&t, kTfLiteActReluN1To1);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(-1, 1, 1));
    set_activation(&t, kTfLiteActTanh);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(INT32_MIN, 7, INT32_MAX));
    op_end(&t);

    op_begin(&t, BUILTIN_SUB, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(INT64_MIN, 5));
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(1, 8));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(INT64_MAX, -3));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ 32767, -3 }));
    op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ 2, 5 }));
    op_run(&t);
    op_gives_bytes(&t, 4, ((const int16_t[]){ -2, -15 }));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteUInt32);
    op_input(&t, kTfLiteUInt32, 1, DIMS(2), ((const uint32_t[]){ UINT32_MAX, 7 }));
    op_input(&t, kTfLiteUInt32, 1, DIMS(2), ((const uint32_t[]){ 1, 6 }));
    op_run(&t);
    op_gives_bytes(&t, 8, ((const uint32_t[]){ UINT32_MAX, 42 }));
    op_detail_is(&t, 0, UINT32_MAX, UINT32_MAX, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_MINIMUM, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(INT64_MIN, INT64_MAX));
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(-7, INT64_MAX - 1));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(INT64_MIN, INT64_MAX - 1));
    op_end(&t);

    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteUInt8);
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), ((const uint8_t[]){ 200, 3 }));
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), ((const uint8_t[]){ 100, 4 }));
    op_run(&t);
    op_gives_bytes(&t, 2, ((const uint8_t[]){ 200, 4 }));
    op_end(&t);
}

/* Every sum and product of halves from both signs, denormals and large ones, against the exact
 * result rounded once. */
static void halves_are_rounded_once(void **state)
{
    static const struct {
        int32_t code;
        double sign; /* of b in a + b; 0: a * b */
    } ops[] = { { BUILTIN_ADD, 1 }, { BUILTIN_MUL, 0 } };
    enum { N = 4096 };
    uint16_t a[N], b[N];

    (void)state;
    for (int i = 0; i < N; i++) {
        a[i] = (uint16_t)(i * 40503u >> 1 & 0xfbff); /* no infinity, no NaN */
        b[i] = (uint16_t)(i * 52711u >> 2 & 0xfbff);
        if ((a[i] & 0x7c00) == 0x7c00)
            a[i] &= 0x83ff;
        if ((b[i] & 0x7c00) == 0x7c00)
            b[i] &= 0x83ff;
    }
    for (int o = 0; o < 2; o++) {
        struct op_test t;

        op_begin(&t, ops[o].code, kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), a);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), b);
        op_run(&t);
        for (int i = 0; i < N; i++) {
            const double x = half_to_float(a[i]), z = half_to_float(b[i]);
            const double exact = ops[o].sign != 0 ? x + ops[o].sign * z : x * z;
            const double got = half_to_float(t.out[0]->data.f16[i].data);
            const double up = half_to_float((uint16_t)(t.out[0]->data.f16[i].data + 1));

            assert_true(t.details[0].value[i] == exact);
            if (isfinite(got) && isfinite(up)) /* no more than half a step off */
                assert_true(fabs(got - exact) <= fabs(up - got) / 2);
        }
        op_end(&t);
    }
}

static void types_are_one_for_both(void **state)
{
    TfLiteFloatArray *scale = mem_alloc(1, sizeof *scale + sizeof(float));
    TfLiteIntArray *zero = mem_alloc(1, sizeof *zero + sizeof(int));
    TfLiteAffineQuantization quantized = { scale, zero, 0 };
    struct op_test t;

    (void)state;
    assert_true(scale && zero);
    scale->size = zero->size = 1;
    scale->data[0] = 0.5f;
    op_begin(&t, BUILTIN_SUB, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (a)", "type f16", "f32, i32, u8, i64, i8", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteInt8);
    op_input(&t, kTfLiteInt8, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteUInt8, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (b)", "type u8", "i8", NULL);
    t.in[1]->type = kTfLiteInt8;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    t.in[1]->quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, &quantized };
    op_refused(&t, STATUS_UNSUPPORTED, "input 1", "quantization differs", NULL);
    t.in[0]->quantization = t.out[0]->quantization = t.in[1]->quantization;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteInt16, 1, DIMS(1), NULL)->quantization =
        (TfLiteQuantization){ kTfLiteAffineQuantization, &quantized };
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (b)", "quantized i16", NULL);
    t.in[0]->type = t.in[1]->type = t.out[0]->type = kTfLiteFloat16; /* scales mean nothing there */
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);
    mem_free(scale);
    mem_free(zero);
}

/* ---- PRELU ---- */

static void prelu_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PRELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(1, 2, 3), FLOATS(-1, -2, -3, 4, -5, NAN));
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), FLOATS(0.5f, -2, 0));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 2, 3));
    assert_true(isnan(t.out[0]->data.f[5]));
    t.out[0]->data.f[5] = 9;
    op_gives(&t, 6, FLOATS(-0.5f, 4, 0, 4, 10, 9));
    op_detail_is(&t, 0, -0.5, 0.5, 1);
    op_end(&t);

    /* A slope for each row, stretched along the last dimension. */
    op_begin(&t, BUILTIN_PRELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(-1, -2, -3, -4));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 1), FLOATS(10, 100));
    op_run(&t);
    op_gives(&t, 4, FLOATS(-10, -20, -300, -400));
    op_end(&t);

    op_begin(&t, BUILTIN_PRELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 0), NULL);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(1));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 0));
    op_end(&t);
}

static void prelu_refuses(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PRELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), NULL);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), NULL);
    op_refused(&t, STATUS_INVALID, "do not broadcast", "3 and 2", NULL);
    op_set_dims(t.in[1], 3, DIMS(1, 2, 3));
    op_refused(&t, STATUS_INVALID, "input 1 (alpha)", "rank 3", NULL);
    op_set_dims(t.in[0], 2, DIMS(2, 1));
    op_set_dims(t.in[1], 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 1 (alpha)", "3 in dimension 1", "expected 1 or 1", NULL);
    t.in[1]->type = kTfLiteFloat16;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (alpha)", "f16", NULL);
    op_end(&t);
}

/* ---- MAX_POOL_2D ---- */

static TfLitePoolParams *pool_params(struct op_test *t)
{
    return (TfLitePoolParams *)(void *)t->params.bytes;
}

static void max_pool_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 2, 3, 1), FLOATS(-1, -2, -3, -4, -5, -0.5f));
    *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingSame,
                                           .stride_width = 1,
                                           .stride_height = 1,
                                           .filter_width = 2,
                                           .filter_height = 2 };
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 2, 3, 1));
    /* Cells outside are no zeros. */
    op_gives(&t, 6, FLOATS(-1, -0.5f, -0.5f, -4, -0.5f, -0.5f));
    op_detail_is(&t, 0, -1, 1, 1);
    pool_params(&t)->padding = kTfLitePaddingValid;
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 2, 1));
    op_gives(&t, 2, FLOATS(-1, -0.5f));
    pool_params(&t)->activation = kTfLiteActRelu;
    op_run(&t);
    op_gives(&t, 2, FLOATS(0, 0));
    pool_params(&t)->filter_width = 4;
    op_refused(&t, STATUS_INVALID, "filter width 4", "input width 3", NULL);
    pool_params(&t)->filter_width = 0;
    op_refused(&t, STATUS_INVALID, "filter width is 0", NULL);
    op_end(&t);
}

static void max_pool_passes_over_nan(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 1, 4, 1), FLOATS(NAN, -7, 3, NAN));
    *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingValid,
                                           .stride_width = 2,
                                           .stride_height = 1,
                                           .filter_width = 2,
                                           .filter_height = 1 };
    op_run(&t);
    op_gives(&t, 2, FLOATS(-7, 3));
    op_end(&t);
}

/* Random windows over random images with batch and channels, against a loop over all cells that
 * asks of each whether it is in the window. */
static void max_pool_equals_a_naive_one(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int round = 0; round < 60; round++) {
        const int h = 1 + round % 7, w = 1 + round % 5, fh = 1 + round % 3, fw = 1 + round % 4;
        const int sh = 1 + round / 3 % 3, sw = 1 + round / 2 % 2;
        float x[2 * 7 * 5 * 3];
        struct op_test t;

        for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
            x[i] = op_random(&seed);
        op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 4, DIMS(2, h, w, 3), x);
        *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingSame,
                                               .stride_width = sw,
                                               .stride_height = sh,
                                               .filter_width = fw,
                                               .filter_height = fh };
        op_run(&t);
        for (int n = 0, at = 0; n < 2; n++)
            for (int oy = 0; oy < (h + sh - 1) / sh; oy++)
                for (int ox = 0; ox < (w + sw - 1) / sw; ox++)
                    for (int c = 0; c < 3; c++, at++) {
                        const int need_h = ((h + sh - 1) / sh - 1) * sh + fh - h;
                        const int need_w = ((w + sw - 1) / sw - 1) * sw + fw - w;
                        const int top = oy * sh - (need_h > 0 ? need_h / 2 : 0);
                        const int left = ox * sw - (need_w > 0 ? need_w / 2 : 0);
                        float most = -9;

                        for (int y = 0; y < h; y++)
                            for (int z = 0; z < w; z++)
                                if (y >= top && y < top + fh && z >= left && z < left + fw)
                                    most = fmaxf(most, x[((n * h + y) * w + z) * 3 + c]);
                        assert_true(t.out[0]->data.f[at] == most);
                    }
        op_end(&t);
    }
}

/* ---- EXP, LOGISTIC ---- */

static void exp_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_EXP, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 4),
             FLOATS(0, 1, -1, -1000, 1000, -INFINITY, INFINITY, NAN));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 4));
    assert_true(isnan(t.out[0]->data.f[7]));
    t.out[0]->data.f[7] = 0;
    op_gives(&t, 8, FLOATS(1, 0x1.5bf0a8p+1f, 0x1.78b564p-2f, 0, INFINITY, 0, INFINITY, 0));
    /* The value is not rounded; the limit depends on |x|. */
    op_detail_is(&t, 1, 2.718281828459045, 1, 1);
    op_detail_is(&t, 2, 0.36787944117144233, 1, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_EXP, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(0));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives(&t, 1, FLOATS(1));
    op_end(&t);
}

static void logistic_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_LOGISTIC, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(7), FLOATS(0, 100, -1000, INFINITY, -INFINITY, -20, NAN));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(7));
    assert_true(isnan(t.out[0]->data.f[6]));
    t.out[0]->data.f[6] = 0;
    op_gives(&t, 7, FLOATS(0.5f, 1, 0, 1, 0, (float)(1 / (1 + exp(20))), 0));
    op_detail_is(&t, 5, 1 / (1 + exp(20)), 20, 1);
    op_detail_is(&t, 1, 1, 100, 1);
    op_end(&t);

    /* Halves: s(1) = 0.7310585786 is stored as 0.73095703125. */
    op_begin(&t, BUILTIN_LOGISTIC, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 2, DIMS(1, 4), HALVES(0, 0x3c00, 0xbc00, 0xfc00));
    op_run(&t);
    op_gives_bytes(&t, 8, HALVES(0x3800, 0x39d9, 0x344e, 0));
    op_detail_is(&t, 1, 1 / (1 + exp(-1)), 1, 1);
    op_end(&t);
}

static void exp_and_logistic_refuse(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_EXP, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type f16, expected f32", NULL);
    t.in[0]->type = kTfLiteUInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type u8", NULL);
    t.in[0]->type = kTfLiteFloat32;
    t.out[0]->type = kTfLiteFloat16;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type f16", NULL);
    op_set_dims(t.in[0], 9, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): rank 9", NULL);
    t.in[0] = NULL;
    op_refused(&t, STATUS_INVALID, "input 0 (input) is missing", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_LOGISTIC, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type f32, expected f16", NULL);
    t.in[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type i32", "f32, u8, i8, f16", NULL);
    op_set_dims(t.in[0], 2, DIMS(1, -1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 1 is -1", NULL);
    op_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub_by_hand),
        cmocka_unit_test(maximum_and_minimum_by_hand),
        cmocka_unit_test(nan_gives_the_second_operand),
        cmocka_unit_test(integers_wrap_around),
        cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(types_are_one_for_both),
        cmocka_unit_test(prelu_by_hand),
        cmocka_unit_test(prelu_refuses),
        cmocka_unit_test(max_pool_by_hand),
        cmocka_unit_test(max_pool_passes_over_nan),
        cmocka_unit_test(max_pool_equals_a_naive_one),
        cmocka_unit_test(exp_by_hand),
        cmocka_unit_test(logistic_by_hand),
        cmocka_unit_test(exp_and_logistic_refuse),
    };

    return cmocka_run_group_tests_name("ref_elementwise", tests, NULL, NULL);
}
