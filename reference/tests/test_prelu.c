/* PRELU of floats. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(prelu_by_hand)
{
    struct op_test t;

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

TEST(prelu_refuses)
{
    struct op_test t;

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
