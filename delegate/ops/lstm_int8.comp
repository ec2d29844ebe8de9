// LSTM u8 with the basic kernel: the new state, in 16 bits.  z [B,4A] = input gate, new input,
// forget gate, output gate, i16 in Q3.12 (units of 2^-12); c i16 in Q4.11; h u8 in units of 1/128,
// zero point 128.
//     c = logistic(z0) * tanh(z1) + logistic(z2) * c_prev,  h = logistic(z3) * tanh(c)
// The functions are gemmlowp's in 16 bits, bit for bit (reference/base/fixed_point16.h).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/lstm.args.h"

WRITES_WORDS(0, c_next);
READS_WORDS(1, z);
READS_WORDS(2, c_prev);
WRITES_WORDS(3, h_next);

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

// gemmlowp's exp_on_negative_values: e^x for x <= 0 with `whole` integer bits, 3 or 4; the result
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
    e = with_power(e, rest, lowest, 25520);
    e = with_power(e, rest, lowest + 1, 19875);
    e = with_power(e, rest, lowest + 2, 12055);
    e = with_power(e, rest, lowest + 3, 4435);
    e = with_power(e, rest, lowest + 4, 600);
    if (whole > 3)
        e = with_power(e, rest, lowest + 5, 11);
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

// x in Q3.12, results in Q0.15.
int fixed16_logistic(int x)
{
    const int y = fixed16_saturate(2 * twice_one_over_one_plus(fixed16_exp(-abs(x), 3)));
    return x == 0 ? 16384 : x > 0 ? y : 32767 - y;
}

int fixed16_tanh(int x)
{
    const int y =
        fixed16_saturate(4 * (twice_one_over_one_plus(fixed16_exp(-abs(x), 4)) - (1 << 13)));
    return x == 0 ? 0 : x > 0 ? y : -y;
}

int gate(uint row, uint unit, uint g)
{
    const uint e = (4u * row + g) * args.units + unit; // rows of 4A channels have no padding
    return wrapped(int(short_at(z[e / 2u], e % 2u)));
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.slices;
    uint h = 0u;
    uvec2 c = uvec2(0u);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Lanes past the last unit repeat it.
        const uint unit = min(4u * (i % args.slices) + lane, args.units - 1u);
        const int before = wrapped(int(short_at(c_prev[2u * i + lane / 2u], lane % 2u)));
        const int fresh = fixed16_mul_high(fixed16_logistic(gate(row, unit, 0u)),
                                           fixed16_tanh(gate(row, unit, 1u)));
        const int kept = fixed16_mul_high(fixed16_logistic(gate(row, unit, 2u)), before);
        const int now = fixed16_saturate(fixed_rounding_shift_right(fresh, 4) + kept);
        const int shown = fixed16_mul_high(fixed16_logistic(gate(row, unit, 3u)),
                                           fixed16_tanh(fixed16_saturate(2 * now)));
        c[lane / 2u] |= uint(now & 0xffff) << 16u * (lane % 2u);
        h |= uint(clamp(128 + fixed_rounding_shift_right(shown, 8), 0, 255)) << 8u * lane;
    }
    c_next[2u * i] = c.x;
    c_next[2u * i + 1u] = c.y;
    h_next[i] = h;
}
