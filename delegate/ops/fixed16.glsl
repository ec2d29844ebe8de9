// The 16-bit fixed-point arithmetic of quantized LSTMs, gemmlowp's bit for bit
// (reference/base/fixed_point16.h has the same names).
#ifndef FIXED16_GLSL
#define FIXED16_GLSL

#include "delegate/shaders/integer.glsl"

// v saturated to 16 bits.
int fixed16_saturate(int v) { return clamp(v, -32768, 32767); }

// v modulo 2^16, as a conversion to int16_t leaves it.
int wrapped(int v) { return bitfieldExtract(v, 0, 16); }

// gemmlowp's SaturatingRoundingDoublingHighMul of 16 bits: round(a * b / 2^15), ties toward
// +infinity; INT16_MIN * INT16_MIN saturates to INT16_MAX.
int fixed16_mul_high(int a, int b)
{
    return a == -32768 && b == -32768 ? 32767 : (a * b + (1 << 14)) >> 15;
}

// e times `power`, e^-(2^j), where `bit`, that of 2^j, is set in rest.
int with_power(int e, int rest, int bit, int power)
{
    return (rest >> bit & 1) != 0 ? fixed16_mul_high(e, power) : e;
}

// e^-(2^j) for j from -2 on, in Q0.15.
const int POWERS[7] = int[](25520, 19875, 12055, 4435, 600, 11, 0);

// gemmlowp's exp_on_negative_values: e^x for x <= 0 with `whole` integer bits, 1 to 7; the result
// in Q0.15.  A polynomial around the middle of [-1/4, 0), times e^-(2^j) for each higher bit of -x.
// The constants are those of fixed_exp (reference/base/fixed_point.c) in 16 bits.
int fixed16_exp(int x, int whole)
{
    const int lowest = 13 - whole; // the bit of 1/4
    const int quarter = 1 << lowest;
    const int in_quarter = (x & (quarter - 1)) - quarter;
    const int rest = in_quarter - x;
    const int v = (in_quarter << whole) + (1 << 12);
    const int v2 = fixed16_mul_high(v, v), v3 = fixed16_mul_high(v2, v);
    const int v4 = fixed16_mul_high(v2, v2);
    const int sum = fixed16_mul_high(fixed_rounding_shift_right(v4, 2) + v3, 10923) + v2; // a third
    int e = wrapped(28918 + fixed16_mul_high(28918, v + fixed_rounding_shift_right(sum, 1)));
    for (int i = 0; i < min(whole + 2, 7); i++)
        e = with_power(e, rest, lowest + i, POWERS[i]);
    if (whole > 5 && x < -(1 << 20 - whole))
        return 0; // below -32
    return x == 0 ? 32767 : e;
}

// 2 / (1 + x) for x in [0, 1) in Q0.15, by Newton's method; the result in Q2.13.
int twice_one_over_one_plus(int x)
{
    const int half_sum = (x + 32768) >> 1;
    int y = 23130 + fixed16_mul_high(half_sum, -15420);
    for (int i = 0; i < 3; i++) {
        const int left = wrapped((1 << 13) - fixed16_mul_high(half_sum, wrapped(y)));
        y += fixed16_saturate(4 * fixed16_mul_high(wrapped(y), left));
    }
    return wrapped(y);
}

// x in Q3.12, of tanh with any number of integer bits from 0 to 6; results in Q0.15.
int fixed16_logistic(int x)
{
    const int y = fixed16_saturate(2 * twice_one_over_one_plus(fixed16_exp(-abs(x), 3)));
    return x == 0 ? 16384 : x > 0 ? y : 32767 - y;
}

int fixed16_tanh(int x, int bits)
{
    const int y =
        fixed16_saturate(4 * (twice_one_over_one_plus(fixed16_exp(-abs(x), bits + 1)) - (1 << 13)));
    return x == 0 ? 0 : x > 0 ? y : -y;
}

#endif
