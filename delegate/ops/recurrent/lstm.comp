// LSTM with the basic kernel: the new state.  z [B,4A] = input gate, new input, forget gate, output
// gate, each of A units, before their activations; f32 in both precisions, and 4A channels are A
// slices.
//     c = logistic(z0) * tanh(z1) + logistic(z2) * c_prev,  h = logistic(z3) * tanh(c)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/recurrent/lstm.args.h"

WRITES(0, c_next);
CONSTANTS(1, z);
READS(2, c_prev);
WRITES(3, h_next);

vec4 gate(uint row, uint s, uint g)
{
    // Lanes past the last unit read the last one: their results are never used.
    const uvec4 unit = min(uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), uvec4(args.units - 1u));
    const uvec4 i = g * args.units + unit;
    const uint base = row * args.units;
    return vec4(z[base + i.x / 4u][i.x % 4u], z[base + i.y / 4u][i.y % 4u],
                z[base + i.z / 4u][i.z % 4u], z[base + i.w / 4u][i.w % 4u]);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.slices;
    const uint s = i % args.slices;
    const vec4 c = logistic(gate(row, s, 0u)) * hyperbolic_tangent(gate(row, s, 1u)) +
                   logistic(gate(row, s, 2u)) * vec4(c_prev[i]);
    c_next[i] = STORE(c);
    h_next[i] = STORE(logistic(gate(row, s, 3u)) * hyperbolic_tangent(c));
}
