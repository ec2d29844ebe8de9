// LSTM u8, basic: the gates' functions, in 16 bits.  z [B,4A] = input gate, new input, forget gate, output
// gate, i16 in units of 2^-12; c i16 in units of 2^-11; h u8 in units of 1/128, with the zero point 128.
//     c = sigmoid(z0) * tanh(z1) + sigmoid(z2) * c_prev,  h = sigmoid(z3) * tanh(c)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"

INT_WRITES(0, c_next);
INT_READS(1, z);
INT_READS(2, c_prev);
INT_WRITES(3, h_next);

layout(push_constant) uniform Args {
    uint count; // rows * slices
    uint units, slices;
} args;

int saturated(int v) { return clamp(v, -32768, 32767); }

// What a conversion to 16 bits leaves.
int wrapped(int v) { return bitfieldExtract(v, 0, 16); }

// a * b / 2^15 to nearest, ties up; the one product that does not fit saturates.
int product(int a, int b)
{
    return a == -32768 && b == -32768 ? 32767 : (a * b + (1 << 14)) >> 15;
}

int faded(int e, int rest, int bit, int power)
{
    return (rest >> bit & 1) != 0 ? product(e, power) : e;
}

// e^x for x <= 0 with so many bits in front of the point, 3 or 4; in units of 2^-15: a polynomial around
// the middle of a quarter, times e^-(2^j) for each of the bits above.  The constants are those of
// fixed_exp (reference/base/fixed_point.c) in 16 bits.
int exponential(int x, int whole)
{
    const int lowest = 13 - whole; // the bit of 1/4
    const int quarter = 1 << lowest;
    const int in_quarter = (x & (quarter - 1)) - quarter;
    const int rest = in_quarter - x;
    const int v = (in_quarter << whole) + (1 << 12);
    const int v2 = product(v, v), v3 = product(v2, v), v4 = product(v2, v2);
    const int sum = product(fixed_rounding_shift_right(v4, 2) + v3, 10923) + v2; // a third
    int e = wrapped(28918 + product(28918, v + fixed_rounding_shift_right(sum, 1)));
    e = faded(e, rest, lowest, 25520);
    e = faded(e, rest, lowest + 1, 19875);
    e = faded(e, rest, lowest + 2, 12055);
    e = faded(e, rest, lowest + 3, 4435);
    e = faded(e, rest, lowest + 4, 600);
    if (whole > 3)
        e = faded(e, rest, lowest + 5, 11);
    return x == 0 ? 32767 : e;
}

// 2 / (1 + x) for x in [0, 1) in units of 2^-15; in units of 2^-13.  By Newton's method.
int twice_reciprocal(int x)
{
    const int half_sum = (x + 32768) >> 1;
    int y = 23130 + product(half_sum, -15420);
    for (int i = 0; i < 3; i++) {
        const int left = wrapped((1 << 13) - product(half_sum, wrapped(y)));
        y += saturated(4 * product(wrapped(y), left));
    }
    return wrapped(y);
}

int sigmoid(int x)
{
    const int y = saturated(2 * twice_reciprocal(exponential(-abs(x), 3)));
    return x == 0 ? 16384 : x > 0 ? y : 32767 - y;
}

int tangent(int x)
{
    const int y = saturated(4 * (twice_reciprocal(exponential(-abs(x), 4)) - (1 << 13)));
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
        const int fresh = product(sigmoid(gate(row, unit, 0u)), tangent(gate(row, unit, 1u)));
        const int kept = product(sigmoid(gate(row, unit, 2u)), before);
        const int now = saturated(fixed_rounding_shift_right(fresh, 4) + kept);
        const int shown = product(sigmoid(gate(row, unit, 3u)), tangent(saturated(2 * now)));
        c[lane / 2u] |= uint(now & 0xffff) << 16u * (lane % 2u);
        h |= uint(clamp(128 + fixed_rounding_shift_right(shown, 8), 0, 255)) << 8u * lane;
    }
    c_next[2u * i] = c.x;
    c_next[2u * i + 1u] = c.y;
    h_next[i] = h;
}
