/* Fixed-point arithmetic, and the ops that sum products of quantized integers: results computed by
 * hand from the definitions, and everything that they refuse. */
#include "reference/base/fixed_point.h"
#include "reference/base/fixed_point16.h"
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

/* ---- arithmetic ---- */

TEST(factors_become_multipliers)
{
    static const struct {
        double real;
        int32_t q;
        int e;
    } rows[] = {
        { 0, 0, 0 },
        { 0.5, 1 << 30, 0 },
        { 1, 1 << 30, 1 },
        { 0.75, 1610612736, 0 },
        { 0.1, 1717986918, -3 },
        { 3.7, 1986422374, 2 },
        { 1 - 0x1p-33, 1 << 30, 1 }, /* rounds up to the next power of two */
        { 0x1p-32, 1 << 30, -31 },
        { 0x1p-33, 0, 0 },
        { 0x1p30, 1 << 30, 31 },
    };
    static const double bad[] = { -0.5, NAN, INFINITY, 0x1p31, 0x1p31 * (1 - 0x1p-40) };
    struct fixed_multiplier m;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(fixed_quantize_multiplier(rows[i].real, &m));
        if (m.q != rows[i].q || m.e != rows[i].e)
            fail_msg("%.17g: %d, %d", rows[i].real, m.q, m.e);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (fixed_quantize_multiplier(bad[i], &m))
            fail_msg("%g is taken", bad[i]);
    }
}

TEST(ties_go_where_they_should)
{
    /* The high product: up. */
    assert_int_equal(fixed_mul_high(3, 1 << 30), 2);
    assert_int_equal(fixed_mul_high(-3, 1 << 30), -1);
    assert_int_equal(fixed_mul_high(-5, 1 << 30), -2);
    assert_int_equal(fixed_mul_high(INT32_MIN, INT32_MIN), INT32_MAX);
    assert_int_equal(fixed_mul_high(INT32_MIN, INT32_MAX), -INT32_MAX);
    /* The shift: away from zero. */
    assert_int_equal(fixed_rounding_shift_right(5, 1), 3);
    assert_int_equal(fixed_rounding_shift_right(-5, 1), -3);
    assert_int_equal(fixed_rounding_shift_right(6, 2), 2);
    assert_int_equal(fixed_rounding_shift_right(-6, 2), -2);
    assert_int_equal(fixed_rounding_shift_right(-5, 2), -1);
    assert_int_equal(fixed_rounding_shift_right(-7, 0), -7);
    assert_int_equal(fixed_rounding_shift_right(INT32_MAX, 31), 1);
    assert_int_equal(fixed_rounding_shift_right(INT32_MIN, 31), -1);
    assert_int_equal(fixed_rounding_shift_right(1 << 30, 31), 1);
    assert_int_equal(fixed_rounding_shift_right((1 << 30) - 1, 31), 0);
    assert_int_equal(fixed_saturating_shift_left(-3, 4), -48);
    assert_int_equal(fixed_saturating_shift_left(1 << 27, 5), INT32_MAX);
    assert_int_equal(fixed_saturating_shift_left(-(1 << 27), 5), INT32_MIN);

    assert_int_equal(fixed_round(2.5), 3);
    assert_int_equal(fixed_round(-2.5), -3);
    assert_int_equal(fixed_round(1e10), INT32_MAX);
    assert_int_equal(fixed_round(-INFINITY), INT32_MIN);
    assert_int_equal(fixed_wrap(INT64_C(1) << 31), INT32_MIN);
    assert_int_equal(fixed_wrap(-1), -1);
    assert_int_equal(fixed_wrap(INT64_C(0x123456789)), 0x23456789);
    assert_int_equal(fixed_clamp(-130, (struct fixed_range){ -128, 127 }), -128);
    assert_int_equal(fixed_clamp(INT64_C(1) << 40, (struct fixed_range){ -128, 127 }), 127);
}

/* Two roundings make 1 of 7/16. */
TEST(factors_are_applied_with_two_roundings)
{
    struct fixed_multiplier m;

    assert_true(fixed_quantize_multiplier(0.0625, &m));
    assert_int_equal(fixed_multiply(6, m), 0);
    assert_int_equal(fixed_multiply(7, m), 1);
    assert_int_equal(fixed_multiply(23, m), 2);
    assert_int_equal(fixed_multiply(-7, m), 0);
    assert_int_equal(fixed_multiply(-8, m), -1);
    assert_true(fixed_quantize_multiplier(0.3, &m));
    assert_int_equal(fixed_multiply(-1998, m), -600);
    assert_int_equal(fixed_multiply(-1991, m), -598);
    assert_true(fixed_quantize_multiplier(0.0007, &m));
    assert_int_equal(fixed_multiply(714, m), 1);
    assert_int_equal(fixed_multiply(-2143, m), -2);
    assert_int_equal(fixed_multiply(INT32_MAX, m), 1503239);
    assert_int_equal(fixed_multiply(INT32_MIN, m), -1503239);
    /* Over 1: bits leave at the top. */
    assert_true(fixed_quantize_multiplier(3, &m));
    assert_int_equal(fixed_multiply(-7, m), -21);
    assert_int_equal(fixed_multiply(1 << 30, m), 0);
}

TEST(sixteen_bits)
{
    static const struct {
        int16_t x;
        int n;
        int16_t y;
    } shifts[] = {
        { 3, 1, 2 },         { -3, 1, -2 },      { 5, 2, 1 },      { -6, 2, -2 },
        { 32767, 0, 32767 }, { -32768, 15, -1 }, { 16384, 15, 1 }, { 16383, 15, 0 },
        { -16384, 15, -1 },  { 12345, 16, 1 },   { 0, 31, 1 },     { -1, 16, -1 },
    };
    static const struct {
        int32_t q;
        int16_t y;
    } mantissas[] = {
        { 1 << 30, 1 << 14 },
        { (1 << 30) + 32767, 1 << 14 },
        { (1 << 30) + 32768, (1 << 14) + 1 },
        { INT32_MAX, INT16_MAX },
        { INT32_MAX - 65536, 32767 },
        { INT32_MAX - 98304, 32766 },
    };

    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++)
        assert_int_equal(fixed16_rounding_shift_right(shifts[i].x, shifts[i].n), shifts[i].y);
    for (size_t i = 0; i < sizeof mantissas / sizeof mantissas[0]; i++)
        assert_int_equal(fixed16_mantissa(mantissas[i].q), mantissas[i].y);
}

TEST(exponentials_and_reciprocals)
{
    static const struct {
        int32_t x, y;
    } powers[] = {
        { 0, INT32_MAX },
        { -1, 2147483124 },
        { -(1 << 24), 1672462419 },
        { -(1 << 24) - 1, 1672461539 },
        { -(1 << 26), 790015308 },
        { -5 * (1 << 26), 14469635 },
        { -12345678, 1786631188 },
        { -INT32_MAX, 0 },
        { INT32_MIN, 0 },
    },
      inverses[] = {
          { 0, INT32_MAX },
          { 1, INT32_MAX },
          { 1 << 30, 1431655762 },
          { INT32_MAX, 1073741820 },
          { 123456789, 2030738432 },
      };

    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++)
        assert_int_equal(fixed_exp(powers[i].x), powers[i].y);
    for (size_t i = 0; i < sizeof inverses / sizeof inverses[0]; i++)
        assert_int_equal(fixed_one_over_one_plus(inverses[i].x), inverses[i].y);
    /* And near the truth everywhere: e^x to 2^-20. */
    for (int64_t x = 0; x > INT32_MIN; x -= 12345677) {
        const double wrong = fixed_exp((int32_t)x) * 0x1p-31 - exp((double)x * 0x1p-26);

        assert_true(fabs(wrong) < 0x1p-20);
    }
}

/* ---- convolutions and FULLY_CONNECTED ---- */

static void set_conv(struct op_test *t, TfLiteFusedActivation act)
{
    *(TfLiteConvParams *)(void *)t->params.bytes = (TfLiteConvParams){
        .padding = kTfLitePaddingSame,
        .stride_height = 1,
        .stride_width = 1,
        .dilation_height_factor = 1,
        .dilation_width_factor = 1,
        .activation = act,
    };
}

/* Two outputs with scales of their own: 207 and 3610 in steps of 1/8 and 1/16. */
static void begin_conv_i8(struct op_test *t)
{
    quant_begin(t, BUILTIN_CONV_2D, kTfLiteInt8);
    quant_set(op_input(t, kTfLiteInt8, 4, DIMS(1, 1, 1, 2), BYTES(10, -20)), 0.5, -3);
    quant_channels(op_input(t, kTfLiteInt8, 4, DIMS(2, 1, 1, 2), BYTES(3, -4, 127, -127)), 2,
                   FLOATS(0.25f, 0.125f), INTS(0, 0), 0);
    op_input(t, kTfLiteInt32, 1, DIMS(2), INTS(100, -200));
    quant_set(t->out[0], 0.75, 5);
    set_conv(t, kTfLiteActNone);
}

TEST(conv_of_i8)
{
    struct op_test t;

    begin_conv_i8(&t);
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 1, 2));
    quant_gives(&t, VALUES(40, 127)); /* 39.5 and 305.8 */
    op_detail_is(&t, 0, 5 + 207 / 6., (39 + 68 + 100) / 6., 3);
    op_detail_is(&t, 1, 127, (127 * 13 + 127 * 17 + 200) / 12., 3);
    /* 6 is 8 steps, -1 and 1 are not quite two. */
    set_conv(&t, kTfLiteActRelu6);
    op_run(&t);
    quant_gives(&t, VALUES(13, 13));
    op_detail_is(&t, 0, 13, (39 + 68 + 100) / 6., 3);
    set_conv(&t, kTfLiteActReluN1To1);
    op_run(&t);
    quant_gives(&t, VALUES(6, 6));
    t.in[2]->data.i32[0] = t.in[2]->data.i32[1] = -100000;
    op_run(&t);
    quant_gives(&t, VALUES(4, 4));
    set_conv(&t, kTfLiteActRelu);
    op_run(&t);
    quant_gives(&t, VALUES(5, 5));
    set_conv(&t, kTfLiteActNone);
    op_run(&t);
    quant_gives(&t, VALUES(-128, -128));
    op_end(&t);
}

/* Cells outside the image are the zero point, so they count as nothing. */
TEST(padding_is_the_zero_point)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_CONV_2D, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 2, 1), BYTES(127, 125)), 1, 120);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 3, 3, 1), BYTES(9, 9, 9, 1, 2, 3, 9, 9, 9)), 1,
              0);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0));
    quant_set(t.out[0], 1, -1);
    set_conv(&t, kTfLiteActNone);
    op_run(&t);
    quant_gives(&t, VALUES(2 * 7 + 3 * 5 - 1, 7 + 2 * 5 - 1));
    op_detail_is(&t, 0, 28, 29, 3);
    op_end(&t);
}

/* The integers of a sum that passes 2^32: it wraps, with and without details. */
TEST(long_sums_of_u8_wrap)
{
    enum { DEPTH = 66100 };
    const int64_t sum = (int64_t)DEPTH * 255 * 255 - (INT64_C(1) << 32);
    uint8_t *const low = calloc(DEPTH, 1);
    struct op_test t;

    assert_non_null(low);
    quant_begin(&t, BUILTIN_CONV_2D, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 1, DEPTH), low), 1, 255);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 1, DEPTH), low), 1, 255);
    quant_set(op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0)), 1, 0);
    quant_set(t.out[0], 65536, 0);
    set_conv(&t, kTfLiteActNone);
    op_run(&t);
    quant_gives(&t, VALUES((int)(sum >> 16) + (int)(sum >> 15 & 1)));
    op_end(&t);
    free(low);
}

TEST(conv_of_u8)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_CONV_2D, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 1, 2), UBYTES(200, 7)), 0.5, 128);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(2, 1, 1, 2), UBYTES(250, 1, 0, 128)), 0.25, 100);
    quant_set(op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(-21000, 12345)), 0.125, 0);
    quant_set(t.out[0], 8, 10);
    set_conv(&t, kTfLiteActNone);
    op_run(&t);
    /* 22779 - 21000 = 1779 and -10588 + 12345 = 1757, in steps of 1/64. */
    quant_gives(&t, VALUES(10 + 28, 10 + 27));
    op_detail_is(&t, 0, 10 + 1779 / 64., (150 * 72 + 99 * 121 + 21000) / 64., 3);

    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_refuses_scales(&t, t.in[1], "input 1 (weights)");
    quant_refuses_scales(&t, t.in[2], "input 2 (bias)");
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    /* 0.125 of bias and 0.02 of the output. */
    quant_of(t.in[2])->scale->data[0] = 0.125f + 0.159f;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    quant_of(t.in[2])->scale->data[0] = 0.125f + 0.161f;
    op_refused(&t, STATUS_INVALID, "input 2 (bias): scale is 0.286", "weight scale, 0.125",
               "at most 0.02", NULL);
    quant_set(t.in[2], 0.125, -1);
    op_refused(&t, STATUS_INVALID, "input 2 (bias): zero point is -1, expected 0", NULL);
    quant_set(t.in[2], 0.125, 0);
    quant_channels(t.in[1], 2, FLOATS(0.25f, 0.5f), INTS(100, 100), 0);
    op_refused(&t, STATUS_INVALID, "input 1 (weights): 2 scales, expected 1: only i8", NULL);
    quant_set(t.in[1], 0.25, 100);
    t.in[1]->type = kTfLiteInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (weights): type i8, expected u8", NULL);
    op_end(&t);
}

TEST(conv_of_i8_refuses)
{
    struct op_test t;

    begin_conv_i8(&t);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    quant_of(t.in[1])->zero_point->data[1] = 1;
    op_refused(&t, STATUS_INVALID, "input 1 (weights): zero point 1 is 1, expected 0 of i8 weights",
               NULL);
    quant_of(t.in[1])->zero_point->data[1] = 0;
    quant_of(t.in[1])->scale->data[1] = 0;
    op_refused(&t, STATUS_INVALID, "input 1 (weights): scale 1 is 0", NULL);
    quant_of(t.in[1])->scale->data[1] = 1e30f;
    op_refused(&t, STATUS_INVALID, "input scale * weight scale / output scale is 6.6", NULL);
    quant_of(t.in[1])->scale->data[1] = 1e-30f; /* nothing comes of that channel */
    assert_int_equal(op_prepare(&t), STATUS_OK);
    quant_of(t.in[1])->quantized_dimension = 3;
    op_refused(&t, STATUS_INVALID, "input 1 (weights): quantized_dimension is 3, expected 0", NULL);
    quant_channels(t.in[1], 3, FLOATS(1, 1, 1), INTS(0, 0, 0), 0);
    op_refused(&t, STATUS_INVALID, "input 1 (weights): 3 scales, expected 1 or 2", NULL);
    quant_channels(t.in[1], 2, FLOATS(1, 1), INTS(0, 0), 0);
    quant_channels(t.in[0], 2, FLOATS(1, 1), INTS(0, 0), 3);
    op_refused(&t, STATUS_INVALID, "input 0 (input): 2 scales, expected 1: only constant weights",
               NULL);
    quant_set(t.in[0], 0.5, -3);
    /* A step so small that 6 is beyond 32 bits. */
    set_conv(&t, kTfLiteActRelu6);
    quant_set(t.out[0], 1e-9, 5);
    op_refused(&t, STATUS_INVALID,
               "output 0 (output): scale 1e-09 is too small for "
               "fused_activation_function 3",
               NULL);
    quant_set(t.out[0], 0.75, 5);
    t.in[2]->type = kTfLiteFloat32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 2 (bias): type f32, expected i32", NULL);
    t.in[2]->type = kTfLiteInt32;
    op_set_dims(t.in[2], 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 2 (bias): 3 elements, expected 2, one for each", NULL);
    op_set_dims(t.in[2], 1, DIMS(2));
    t.out[0]->type = kTfLiteUInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type u8, expected i8", NULL);
    op_end(&t);
}

/* The bias of i8 has the scale that it has to have, whatever it says. */
TEST(the_scale_of_an_i8_bias_is_not_read)
{
    struct op_test t;

    begin_conv_i8(&t);
    quant_set(t.in[2], 1e9, 0);
    op_run(&t);
    quant_gives(&t, VALUES(40, 127));
    quant_set(t.in[2], 1e9, 77); /* but its zero point is */
    op_refused(&t, STATUS_INVALID, "input 2 (bias): zero point is 77, expected 0", NULL);
    op_end(&t);
}

TEST(depthwise_has_its_scales_along_3)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_DEPTHWISE_CONV_2D, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 1, 2), BYTES(10, 20)), 1, 0);
    quant_channels(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 1, 4), BYTES(1, 2, 3, 4)), 4,
                   FLOATS(1, 0.5f, 0.25f, 2), INTS(0, 0, 0, 0), 3);
    op_input(&t, kTfLiteInt32, 1, DIMS(4), INTS(0, 1, 2, 3));
    quant_set(t.out[0], 2, -10);
    *(TfLiteDepthwiseConvParams *)(void *)t.params.bytes = (TfLiteDepthwiseConvParams){
        .padding = kTfLitePaddingValid,
        .stride_height = 1,
        .stride_width = 1,
        .dilation_height_factor = 1,
        .dilation_width_factor = 1,
    };
    op_run(&t);
    /* 10/2, 21/4 (by two roundings: 11/2, 6), 62/8, 83. */
    quant_gives(&t, VALUES(-5, -4, -2, 73));
    quant_of(t.in[1])->quantized_dimension = 0;
    op_refused(&t, STATUS_INVALID, "quantized_dimension is 0, expected 3", NULL);
    op_end(&t);
}

TEST(transpose_conv_of_u8)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_TRANSPOSE_CONV, kTfLiteUInt8);
    op_input(&t, kTfLiteInt32, 1, DIMS(4), INTS(1, 1, 4, 1));
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 2, 1), UBYTES(13, 15)), 0.5, 10);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 2, 1), UBYTES(104, 90)), 1, 100);
    quant_set(t.out[0], 0.5, 128);
    *(TfLiteTransposeConvParams *)(void *)t.params.bytes = (TfLiteTransposeConvParams){
        .padding = kTfLitePaddingValid, .stride_height = 1, .stride_width = 2
    };
    op_run(&t);
    quant_gives(&t, VALUES(128 + 12, 128 + 20, 128 - 30, 128 - 50));
    op_end(&t);

    /* What the runtime has no kernel for. */
    op_begin(&t, BUILTIN_TRANSPOSE_CONV, kTfLiteFloat32);
    op_input(&t, kTfLiteInt32, 1, DIMS(4), INTS(1, 1, 4, 1));
    op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 2, 1), NULL);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 1, 2, 1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (weights): type i8, expected f32", NULL);
    op_end(&t);
}

/* 7/16 is 0 in double; fixed point would make 1 of it. */
TEST(fully_connected_rounds_once)
{
    struct op_test t;

    for (int u8 = 0; u8 < 2; u8++) {
        const TfLiteType type = u8 ? kTfLiteUInt8 : kTfLiteInt8;
        const int zero = u8 ? 100 : 0;

        quant_begin(&t, BUILTIN_FULLY_CONNECTED, type);
        quant_set(op_input(&t, type, 2, DIMS(1, 1), UBYTES((uint8_t)(zero + 1))), 0.25, zero);
        quant_set(op_input(&t, type, 2, DIMS(4, 1),
                           UBYTES((uint8_t)(zero + 7), (uint8_t)(zero + 8), (uint8_t)(zero - 7),
                                  (uint8_t)(zero - 8))),
                  0.25, zero);
        quant_set(t.out[0], 1, 3);
        op_run(&t);
        op_has_shape(&t, 2, DIMS(1, 4));
        quant_gives(&t, VALUES(3, 4, 3, 2));
        op_detail_is(&t, 0, 3 + 7 / 16., 7 / 16., 1);
        op_end(&t);
    }
}

/* With one scale for the weights the bias has to have the scale that follows. */
TEST(fully_connected_reads_the_scale_of_its_bias)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(1, 1), BYTES(1)), 0.5, 0);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 1), BYTES(1, 2)), 0.5, 0);
    quant_set(op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(3, -3)), 0.25, 0);
    quant_set(t.out[0], 0.25, 0);
    op_run(&t);
    quant_gives(&t, VALUES(4, -1));
    quant_refuses_scales(&t, t.in[2], "input 2 (bias)");
    quant_set(t.in[2], 0.26, 0);
    op_refused(&t, STATUS_INVALID, "input 2 (bias): scale is 0.26", "weight scale, 0.25", NULL);
    quant_channels(t.in[1], 2, FLOATS(0.5f, 0.5f), INTS(0, 0), 0);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);
}

TEST(fully_connected_by_channel)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 2), BYTES(1, 2, -3, 4)), 1, 1);
    quant_channels(op_input(&t, kTfLiteInt8, 2, DIMS(2, 2), BYTES(10, 20, -30, 40)), 2,
                   FLOATS(0.5f, 0.125f), INTS(0, 0), 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(-1, 1000));
    quant_set(t.out[0], 1, 0);
    op_run(&t);
    /* 19/2, 1040/8; 19/2, 1240/8. */
    quant_gives(&t, VALUES(10, 127, 10, 127));
    op_detail_is(&t, 2, 9.5, (40 + 60 + 1) / 2., 3);
    op_end(&t);
}

/* Dynamic range: the product with the dequantized weights, in double. */
TEST(hybrid_is_the_float_product)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), FLOATS(1.5f, -0x1p-20f));
    quant_channels(op_input(&t, kTfLiteInt8, 2, DIMS(2, 2), BYTES(100, 3, -128, 127)), 2,
                   FLOATS(0.1f, 0.25f), INTS(0, 0), 0);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(0.25f, 3));
    op_run(&t);
    op_detail_is(&t, 0, 0.25 + 1.5 * (double)(100 * 0.1f) - 0x1p-20 * (double)(3 * 0.1f),
                 0.25 + 1.5 * (double)(100 * 0.1f) + 0x1p-20 * (double)(3 * 0.1f), 3);
    op_detail_is(&t, 1, 3 - 1.5 * 32 - 0x1p-20 * 31.75, 3 + 1.5 * 32 + 0x1p-20 * 31.75, 3);
    t.in[1]->quantization = (TfLiteQuantization){ 0 };
    op_refused(&t, STATUS_INVALID, "input 1 (weights): i8 without a scale", NULL);
    quant_set(t.in[1], 0.5, 1);
    op_refused(&t, STATUS_INVALID, "expected 0 of i8 weights", NULL);
    op_end(&t);

    quant_begin(&t, BUILTIN_DEPTHWISE_CONV_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 1, 1, 2), FLOATS(2, 3));
    quant_channels(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 1, 2), BYTES(10, 20)), 2,
                   FLOATS(0.5f, 2), INTS(0, 0), 3);
    *(TfLiteDepthwiseConvParams *)(void *)t.params.bytes = (TfLiteDepthwiseConvParams){
        .padding = kTfLitePaddingValid,
        .stride_height = 1,
        .stride_width = 1,
        .dilation_height_factor = 1,
        .dilation_width_factor = 1,
        .activation = kTfLiteActRelu6,
    };
    op_run(&t);
    op_gives(&t, 2, FLOATS(6, 6));
    ((TfLiteDepthwiseConvParams *)(void *)t.params.bytes)->activation = kTfLiteActNone;
    op_run(&t);
    op_gives(&t, 2, FLOATS(10, 120));
    op_end(&t);
}

TEST(every_allocation_may_fail)
{
    struct op_test t;

    begin_conv_i8(&t);
    op_run(&t);
    /* Channels, input, weights, bias; with details the weights of a block, too. */
    for (int detailed = 1; detailed >= 0; detailed--) {
        const long most = 4 + detailed;

        t.call.detail = detailed ? t.details : NULL;
        for (long after = 0; after < most; after++) {
            mem_fail_after(after);
            t.diag = (struct diag){ 0 };
            assert_int_equal(t.call.op->eval(&t.call, &t.diag), STATUS_NO_MEMORY);
            mem_fail_after(-1);
            assert_non_null(strstr(t.diag.text, "CONV_2D: node 7: no memory"));
        }
        mem_fail_after(most);
        assert_int_equal(t.call.op->eval(&t.call, &t.diag), STATUS_OK);
        mem_fail_after(-1);
    }
    op_end(&t);
}
