// LSTM u8 with the basic kernel: the new state, in 16 bits.  z [B,4A] = input gate, new input,
// forget gate, output gate, i16 in Q3.12 (units of 2^-12); c i16 in Q4.11; h u8 in units of 1/128,
// zero point 128.
//     c = logistic(z0) * tanh(z1) + logistic(z2) * c_prev,  h = logistic(z3) * tanh(c)
// The functions are gemmlowp's in 16 bits, bit for bit (reference/base/fixed_point16.h).
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/fixed16.glsl"
#include "delegate/ops/recurrent/lstm.args.h"

WRITES_WORDS(0, c_next);
READS_WORDS(1, z);
READS_WORDS(2, c_prev);
WRITES_WORDS(3, h_next);

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
                                           fixed16_tanh(gate(row, unit, 1u), 3));
        const int kept = fixed16_mul_high(fixed16_logistic(gate(row, unit, 2u)), before);
        const int now = fixed16_saturate(fixed_rounding_shift_right(fresh, 4) + kept);
        const int shown = fixed16_mul_high(fixed16_logistic(gate(row, unit, 3u)),
                                           fixed16_tanh(fixed16_saturate(2 * now), 3));
        c[lane / 2u] |= uint(now & 0xffff) << 16u * (lane % 2u);
        h |= uint(clamp(128 + fixed_rounding_shift_right(shown, 8), 0, 255)) << 8u * lane;
    }
    c_next[2u * i] = c.x;
    c_next[2u * i + 1u] = c.y;
    h_next[i] = h;
}
