/* DEQUANTIZE of f16 constants.  (Of integers: test_quant_ops.c.) */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(dequantize_widens_halves)
{
    const uint16_t halves[] = { 0x3c00, 0xc500, 0x7bff, 0x0001, 0x8000, 0x7c00 };
    struct op_test t;

    op_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat16, 2, DIMS(2, 3), halves);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 3));
    op_gives(&t, 6, FLOATS(1, -5, 65504, 0x1p-24f, 0, INFINITY));
    op_detail_is(&t, 1, -5, 5, 1);
    assert_true(t.call.op->folds);
    op_end(&t);

    op_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "type i32", "f16", NULL);
    op_end(&t);
}
