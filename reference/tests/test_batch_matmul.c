/* BATCH_MATMUL: results by hand, i8 constants with f32, and what is refused. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

static TfLiteBatchMatMulParams *params_of(struct op_test *t)
{
    return (TfLiteBatchMatMulParams *)(void *)t->params.bytes;
}

TEST(products_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_BATCH_MATMUL, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 2, 2), FLOATS(1, 0, 0, 1, -5, 6, 7, 8));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(2, 2, 2));
    op_gives(&t, 8, FLOATS(1, 2, 3, 4, 9, 22, 13, 50));
    op_detail_is(&t, 4, 9, 19, 2);
    params_of(&t)->adj_x = true;
    op_run(&t);
    op_gives(&t, 8, FLOATS(1, 3, 2, 4, 16, 30, 18, 44));
    params_of(&t)->adj_y = true;
    op_run(&t);
    op_gives(&t, 8, FLOATS(1, 3, 2, 4, 13, 31, 14, 46));
    op_end(&t);
}

TEST(weights_of_bytes)
{
    struct op_test t;

    op_begin(&t, BUILTIN_BATCH_MATMUL, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), FLOATS(3, -2));
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 2), BYTES(4, -8, 127, 1)), 0.5, 0);
    op_run(&t);
    op_gives(&t, 2, FLOATS(-121, -13));
    quant_refuses_scales(&t, t.in[1], "input 1 (y)");
    t.in[0]->type = kTfLiteUInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (x): type u8, expected f32, i8", NULL);
    op_end(&t);
}

TEST(refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_BATCH_MATMUL, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 3, 4), NULL);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 4, 5), NULL);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    params_of(&t)->adj_y = true;
    op_refused(&t, STATUS_INVALID, "5 rows of a matrix, expected 4", "with adj_y", NULL);
    params_of(&t)->adj_y = false;
    op_set_dims(t.in[1], 3, DIMS(3, 4, 5));
    op_refused(&t, STATUS_INVALID, "do not broadcast: 2 and 3 in dimension 0 of 3", NULL);
    op_set_dims(t.in[1], 1, DIMS(4));
    op_refused(&t, STATUS_INVALID, "input 1 (y): rank 1, expected 2 to 5", NULL);
    op_end(&t);
}
