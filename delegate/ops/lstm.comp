// LSTM, basic: the gates.  z [B,4A] = input gate, new input, forget gate, output gate, each of A
// units, before their functions; f32 in both precisions, and 4A channels are A slices.
//     c = sigmoid(z0) * tanh(z1) + sigmoid(z2) * c_prev,  h = sigmoid(z3) * tanh(c)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, c_next);
CONSTANTS(1, z);
READS(2, c_prev);
WRITES(3, h_next);

layout(push_constant) uniform Args {
    uint count; // rows * slices
    uint units, slices;
} args;

// Both with the exponential of a number that is not positive: it never overflows.
vec4 sigmoid(vec4 x)
{
    const vec4 e = exp(-abs(x));
    return mix(vec4(1.0), e, lessThan(x, vec4(0.0))) / (1.0 + e);
}

vec4 tangent(vec4 x)
{
    const vec4 e = exp(-2.0 * abs(x));
    const vec4 t = (1.0 - e) / (1.0 + e);
    return mix(t, -t, lessThan(x, vec4(0.0)));
}

vec4 gate(uint row, uint s, uint g)
{
    // Lanes past the last unit read one that is there: what becomes of them is not trusted.
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
    const vec4 c = sigmoid(gate(row, s, 0u)) * tangent(gate(row, s, 1u)) +
                   sigmoid(gate(row, s, 2u)) * vec4(c_prev[i]);
    c_next[i] = STORED(c);
    h_next[i] = STORED(sigmoid(gate(row, s, 3u)) * tangent(c));
}
