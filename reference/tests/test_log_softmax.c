/* LOG_SOFTMAX of bytes in rows so long that the runtime's sum of powers overflows. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

enum { MOST = 8192 };

/* A row of equal elements: each result is -log count, in steps of 1/16 below 127. */
static void expect_row(int32_t count, int8_t expected)
{
    static const int8_t zeros[MOST];
    struct op_test t;

    quant_begin(&t, BUILTIN_LOG_SOFTMAX, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 1, DIMS(count), zeros), 0.1, 3);
    quant_set(t.out[0], 1. / 16, 127);
    op_run(&t);
    for (int32_t i = 0; i < count; i++)
        assert_int_equal(t.out[0]->data.int8[i], expected);
    op_end(&t);
}

TEST(long_rows_saturate)
{
    expect_row(1, 127);
    expect_row(2, 127 - 11);     /* 11.09 */
    expect_row(1000, 127 - 111); /* 110.5 */
    expect_row(4095, 127 - 133); /* 133.08 */
    expect_row(4096, 127 - 133);
    expect_row(MOST, 127 - 133);
}
