// SVDF: the state [B,F*M], f32 in both precisions, moved by one result of each filter, the oldest
// first, and the new one of filter f behind the others: sum over k of weights[f,k] * x[k]. weights:
// [slices of K][F] vec4 of four inputs.  An invocation computes a slice of the new state.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/recurrent/svdf.args.h"
#include "delegate/shaders/slice.glsl"

layout(set = 0, binding = 0) writeonly buffer Next { vec4 next[]; };
CONSTANTS(1, state);
READS(2, x);
READS(3, weights);

float result_of(uint f, uint row)
{
    float sum = 0.0;
    for (uint s = 0u; s < args.x_slices; s++)
        sum += dot(masked(vec4(x[row * args.x_slices + s]), s, args.depth),
                   vec4(weights[s * args.filters + f]));
    return sum;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.state_slices;
    const uint last = args.filters * args.memory - 1u;
    vec4 v = vec4(0.0);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Lanes past the last result repeat it.
        const uint e = min(4u * (i % args.state_slices) + lane, last);
        const uint from = min(e + 1u, last);
        v[lane] = e % args.memory + 1u < args.memory
                      ? state[row * args.state_slices + from / 4u][from % 4u]
                      : result_of(e / args.memory, row);
    }
    next[i] = v;
}
