// SVDF of i8: the state, as svdf_state.comp, in i16.  A new result is requantized to steps of the
// state.  weights: [slices of K][F] words of four i8.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/recurrent/svdf.args.h"
#include "delegate/shaders/integer.glsl"

WRITES_WORDS(0, next);
READS_WORDS(1, state);
READS_WORDS(2, x);
READS_WORDS(3, weights);

int result_of(uint f, uint row)
{
    int sum = 0;
    for (uint s = 0u; s < args.x_slices; s++) {
        // Weights past the last input are 0.
        const ivec4 p = (unpacked(x[row * args.x_slices + s], true) - args.x_zero) *
                        unpacked(weights[s * args.filters + f], true);
        sum += p.x + p.y + p.z + p.w;
    }
    return clamp(fixed_multiply(sum, args.factor, args.shift), -32768, 32767);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.state_slices;
    const uint last = args.filters * args.memory - 1u;
    uvec2 v = uvec2(0u);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Lanes past the last result repeat it.
        const uint e = min(4u * (i % args.state_slices) + lane, last);
        const uint from = min(e + 1u, last);
        const uint bits = e % args.memory + 1u < args.memory
                              ? short_at(state[2u * row * args.state_slices + from / 2u], from % 2u)
                              : uint(result_of(e / args.memory, row)) & 0xffffu;
        v[lane / 2u] |= bits << 16u * (lane % 2u);
    }
    next[2u * i] = v.x;
    next[2u * i + 1u] = v.y;
}
