/* The integer kernel of LSTM: results computed by hand from its definition in fixed point. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

static void begin_lstm(struct op_test *t)
{
    quant_begin(t, BUILTIN_LSTM, kTfLiteUInt8);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(2, 1), UBYTES(200, 3)), 1. / 128, 128);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(2, 1), UBYTES(100, 255)), 1. / 128, 128);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(4, 2), UBYTES(200, 90, 30, 160, 128, 250, 140, 0)),
              1. / 32, 120);
    quant_set(op_input(t, kTfLiteInt32, 1, DIMS(4), INTS(500, -700, 9000, -20)), 0x1p-12, 0);
    quant_set(op_input(t, kTfLiteInt16, 2, DIMS(2, 1), ((const int16_t[]){ 1500, -32768 })),
              0x1p-11, 0);
    t->in[1]->allocation_type = t->in[4]->allocation_type = kTfLiteArenaRwPersistent;
    quant_set(t->out[0], 1. / 128, 128);
    quant_set(op_output(t, kTfLiteInt16), 0x1p-11, 0);
    quant_set(op_output(t, kTfLiteUInt8), 1. / 128, 128);
    quant_set(op_output(t, kTfLiteInt16), 0x1p-12, 0);
    *(TfLiteLSTMParams *)(void *)t->params.bytes =
        (TfLiteLSTMParams){ .activation = kTfLiteActTanh, .kernel_type = kTfLiteLSTMBasicKernel };
}

TEST(lstm_in_16_bits)
{
    static const int16_t z[] = { 7100, -8300, 5936, 4780, -13310, 15630, 24510, -17760 };
    static const int16_t c[] = { -466, -32606 };
    struct op_test t CLOSED_BY(op_end);

    begin_lstm(&t);
    op_run(&t);
    quant_gives(&t, VALUES(106, 126));
    assert_memory_equal(t.out[1]->data.raw, c, sizeof c);
    assert_memory_equal(t.out[2]->data.raw, UBYTES(200, 100, 3, 255), 4);
    assert_memory_equal(t.out[3]->data.raw, z, sizeof z);
    /* What the numbers give. */
    assert_true(fabs(t.details[0].value[0] - 106.15481212111874) < 1e-9);
    assert_true(fabs(t.details[1].value[1] + 32609.256980212907) < 1e-6);
    assert_true(t.details[3].value[5] == 15630);
    /* The state goes on. */
    assert_memory_equal(t.in[1]->data.raw, UBYTES(106, 126), 2);
    assert_memory_equal(t.in[4]->data.raw, c, sizeof c);
}

/* The zero point of x and h times anything is 0: gates are what the biases are, in quarters. */
TEST(gates_round_up)
{
    static const int16_t z[] = { 1, 0, 2, -1, 1, 0, 2, -1 };
    struct op_test t CLOSED_BY(op_end);

    begin_lstm(&t);
    memset(t.in[0]->data.raw, 128, 2);
    memset(t.in[1]->data.raw, 128, 2);
    memcpy(t.in[3]->data.raw, INTS(2, -2, 6, -6), 16);
    quant_of(t.in[3])->scale->data[0] = 0x1p-14f;
    op_run(&t);
    assert_memory_equal(t.out[3]->data.raw, z, sizeof z);
}
