/* Fixed-point arithmetic by hand. */
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

/* ---- memory ---- */

TEST(every_allocation_may_fail)
{
    struct op_test t CLOSED_BY(op_end);

    quant_begin(&t, BUILTIN_CONV_2D, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 1, 2), BYTES(10, -20)), 0.5, -3);
    quant_channels(op_input(&t, kTfLiteInt8, 4, DIMS(2, 1, 1, 2), BYTES(3, -4, 127, -127)), 2,
                   FLOATS(0.25f, 0.125f), INTS(0, 0), 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(100, -200));
    quant_set(t.out[0], 0.75, 5);
    *(TfLiteConvParams *)(void *)t.params.bytes =
        (TfLiteConvParams){ kTfLitePaddingSame, 1, 1, kTfLiteActNone, 1, 1, kTfLiteNoType };
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
}
