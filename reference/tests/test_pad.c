/* PAD: results by hand, and element by element for any size and rank. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(pad_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(1, 0, 0, 2));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 4));
    op_gives(&t, 12, FLOATS(0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0));
    op_detail_is(&t, 5, 2, 2, 1);
    op_detail_is(&t, 0, 0, 0, 1);
    op_end(&t);
}

TEST(pad_moves_any_size_and_rank)
{
    const uint8_t bytes[] = { 7, 8 };
    const int64_t longs[] = { -5, INT64_MAX };
    const uint16_t halves[] = { 0x3c00, 0x4000 };
    struct op_test t;

    op_begin(&t, BUILTIN_PAD, kTfLiteUInt8);
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), bytes);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(1, 1));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.raw, ((const uint8_t[]){ 0, 7, 8, 0 }), 4);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), longs);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(2, 0));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.i64, LONGS(0, 0, -5, INT64_MAX), 32);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 6, DIMS(1, 1, 1, 1, 2, 1), halves);
    op_input(&t, kTfLiteInt32, 2, DIMS(6, 2), INTS(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1));
    op_run(&t);
    op_has_shape(&t, 6, DIMS(1, 1, 2, 1, 2, 2));
    assert_memory_equal(t.out[0]->data.raw,
                        ((const uint16_t[]){ 0, 0, 0, 0, 0x3c00, 0, 0x4000, 0 }), 16);
    op_detail_is(&t, 6, 2, 2, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 2), NULL);
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(1, 0, 0, 0));
    op_run(&t);
    op_gives(&t, 2, FLOATS(0, 0));
    op_end(&t);
}

TEST(pad_waits_for_its_paddings)
{
    struct op_test t;

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(3));
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(1, 1))->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_gives(&t, 3, FLOATS(0, 3, 0));
    op_end(&t);
}

TEST(pad_refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), NULL);
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(0, 0, 1, -1));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "row 1", "-1", NULL);
    memcpy(t.in[1]->data.i32, INTS(0, 0, INT32_MAX, 1), 16);
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "row 1", "2147483647", NULL);
    t.in[1]->bytes = 12;
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "12 bytes for 4 elements", NULL);
    op_set_dims(t.in[1], 2, DIMS(1, 4));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "[1,4]", "[2,2]", NULL);
    op_set_dims(t.in[1], 1, DIMS(4));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "rank 1", NULL);
    t.in[1]->type = kTfLiteInt16;
    op_set_dims(t.in[1], 2, DIMS(2, 2));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "i16", NULL);
    t.in[0]->quantization.type = kTfLiteAffineQuantization;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "quantized", NULL);
    t.in[0]->type = kTfLiteString;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "whole bytes", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(INT64_MAX, INT64_MAX));
    op_refused(&t, STATUS_INVALID, "row 0", "9223372036854775807", NULL);
    op_end(&t);
}
