/* RELU, RELU6, EXP, LOGISTIC of floats: results by hand, and what they refuse. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

#include <float.h>

TEST(relu_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_RELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(1, 2, 3), FLOATS(-1, 0, 1, 7, -FLT_MAX, NAN));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 2, 3));
    assert_true(isnan(t.out[0]->data.f[5]));
    t.out[0]->data.f[5] = 0;
    op_gives(&t, 6, FLOATS(0, 0, 1, 7, 0, 0));
    op_detail_is(&t, 3, 7, 7, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_RELU6, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(6.5f));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives(&t, 1, FLOATS(6));
    op_end(&t);

    op_begin(&t, BUILTIN_RELU6, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 0), NULL);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 0));
    op_end(&t);

    op_begin(&t, BUILTIN_RELU, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "f16", NULL);
    op_end(&t);
}

TEST(exp_by_hand)
{
    struct op_test t;

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

TEST(logistic_by_hand)
{
    struct op_test t;

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

TEST(exp_and_logistic_refuse)
{
    struct op_test t;

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
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type i32", "f32, u8, i16, i8, f16", NULL);
    op_set_dims(t.in[0], 2, DIMS(1, -1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 1 is -1", NULL);
    op_end(&t);
}
