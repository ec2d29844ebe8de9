/* IEEE binary16: every half, and every tie between two halves, against a conversion written here
 * from the definition, in integer arithmetic. */
#include "reference/tests/kit/test.h"

#include "reference/base/half.h"

#include <math.h>
#include <string.h>

static uint32_t float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Bits of the float that equals the half h, not NaN. */
static uint32_t widened(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31, mantissa = h & 1023;

    if (exponent == 31)
        return sign | 0x7f800000u | mantissa << 13;
    if (exponent == 0) {
        if (mantissa == 0)
            return sign;
        for (exponent = 1; !(mantissa & 1024); exponent--)
            mantissa <<= 1;
        mantissa &= 1023;
        return sign | (exponent + 112) << 23 | mantissa << 13;
    }
    return sign | (exponent + 112) << 23 | mantissa << 13;
}

TEST(every_half_widens_exactly)
{
    for (uint32_t h = 0; h < 65536; h++) {
        const float f = half_to_float((uint16_t)h);

        if ((h & 0x7fff) > 0x7c00)
            assert_true(isnan(f));
        else
            assert_int_equal(float_bits(f), widened((uint16_t)h));
    }
}

TEST(every_half_survives)
{
    for (uint32_t h = 0; h < 65536; h++) {
        const uint16_t back = float_to_half(half_to_float((uint16_t)h));

        if ((h & 0x7fff) > 0x7c00)
            assert_true((back & 0x7fff) > 0x7c00);
        else
            assert_int_equal(back, h);
    }
}

/* Between neighbours a < b the middle goes to the even one, what is next to the middle to the
 * nearer one.  The floats of neighbours have the middle and its neighbours exactly. */
TEST(ties_go_to_even)
{
    for (uint32_t sign = 0; sign < 2; sign++)
        for (uint32_t h = 0; h < 0x7bff; h++) {
            const uint16_t a = (uint16_t)(sign << 15 | h), b = (uint16_t)(a + 1);
            const float middle = (bits_float(widened(a)) + bits_float(widened(b))) / 2;
            const float below = bits_float(float_bits(middle) - 1); /* nearer to zero */
            const float above = bits_float(float_bits(middle) + 1);

            assert_int_equal(float_to_half(middle), h & 1 ? b : a);
            assert_int_equal(float_to_half(below), a);
            assert_int_equal(float_to_half(above), b);
        }
}

TEST(ends_of_the_range)
{
    assert_int_equal(float_to_half(65504.0f), 0x7bff);
    assert_int_equal(float_to_half(65519.996f), 0x7bff);
    assert_int_equal(float_to_half(65520.0f), 0x7c00);
    assert_int_equal(float_to_half(-65520.0f), 0xfc00);
    assert_int_equal(float_to_half(3.4e38f), 0x7c00);
    assert_int_equal(float_to_half(INFINITY), 0x7c00);
    assert_int_equal(float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(float_to_half(0.0f), 0x0000);
    assert_int_equal(float_to_half(-0.0f), 0x8000);
    assert_int_equal(float_to_half(0x1p-24f), 0x0001);
    assert_int_equal(float_to_half(0x1p-25f), 0x0000); /* a tie with zero, which is even */
    assert_int_equal(float_to_half(0x1.000002p-25f), 0x0001);
    assert_int_equal(float_to_half(-0x1p-25f), 0x8000);
    assert_int_equal(float_to_half(1e-45f), 0x0000);
    assert_true((float_to_half(NAN) & 0x7fff) > 0x7c00);
    assert_true((float_to_half(-NAN) & 0x7fff) > 0x7c00);
}

/* A double just past a tie rounds up, though its float would be the tie itself. */
TEST(double_rounds_once)
{
    assert_int_equal(double_to_half(1.0 + 0x1p-11), 0x3c00);
    assert_int_equal(double_to_half(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_int_equal(double_to_half(1.0 + 0x3p-11 - 0x1p-40), 0x3c01);
    assert_int_equal(double_to_half(1.0 + 0x3p-11), 0x3c02);
    assert_int_equal(double_to_half(0x1p-25 + 0x1p-70), 0x0001);
    assert_int_equal(double_to_half(65520.0 - 0x1p-30), 0x7bff);
    assert_int_equal(double_to_half(1e300), 0x7c00);
    assert_int_equal(double_to_half(-1e-300), 0x8000);
    assert_int_equal(double_to_half(0x1.ff8p-15), 0x03ff); /* largest denormal */
    assert_int_equal(double_to_half(0x1.ffcp-15), 0x0400); /* rounds to a normal */
}
