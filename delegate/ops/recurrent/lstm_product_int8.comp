// LSTM u8 with the basic kernel: the gates before their activations, i16 in Q3.12.  src [B,K] with
// zero point 128, weights [4A,K], both as rows of slices; bias [4A]; dst [B,4A].  An invocation
// computes one slice of dst, 4 gates.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/recurrent/lstm_product_int8.args.h"

WRITES_WORDS(0, dst);
READS(1, src);
READS(2, weights);
layout(set = 0, binding = 3) readonly buffer Bias { int bias[]; };

ivec4 weights_at(uint unit, uint s)
{
    return unpacked(weights[unit * args.in_slices + s], false) - args.weights_zero;
}

int dot_of(ivec4 a, ivec4 b)
{
    const ivec4 p = a * b;
    return p.x + p.y + p.z + p.w;
}

// As fixed_multiply, but the shift to the right rounds ties toward +infinity; saturated to 16 bits.
int gate(int sum)
{
    const int v = fixed_mul_high(sum << max(args.shift, 0), args.factor);
    const int n = max(-args.shift, 0);
    return clamp(n > 0 ? (v >> n) + (v >> n - 1 & 1) : v, -32768, 32767);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint base = i / args.out_slices * args.in_slices;
    const uint unit = 4u * (i % args.out_slices);
    ivec4 sum = ivec4(bias[unit], bias[unit + 1u], bias[unit + 2u], bias[unit + 3u]);
    for (uint s = 0u; s < args.in_slices; s++) {
        const bvec4 live = lessThan(uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), uvec4(args.channels));
        const ivec4 x = mix(ivec4(0), unpacked(src[base + s], false) - 128, live);
        sum += ivec4(dot_of(x, weights_at(unit, s)), dot_of(x, weights_at(unit + 1u, s)),
                     dot_of(x, weights_at(unit + 2u, s)), dot_of(x, weights_at(unit + 3u, s)));
    }
    dst[2u * i] = packed_shorts(gate(sum.x), gate(sum.y));
    dst[2u * i + 1u] = packed_shorts(gate(sum.z), gate(sum.w));
}
