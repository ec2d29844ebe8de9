// x / sqrt(mean of the squares of its row + epsilon) * weights, which transform `norm` makes of
// MUL, MEAN, ADD, RSQRT, MUL and MUL.  src, dst [rows][slices]; a workgroup computes a row. Squares
// and their sum are f32, also where f16, in which the nodes would store them, overflows.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/rms_norm.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
CONSTANTS(2, weights);

REDUCE_MEMORY(float)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

void main()
{
    const uint base = min(group(), args.rows - 1u) * args.slices;
    float sum = 0.0;
    for (uint s = gl_LocalInvocationIndex; s < args.slices; s += REDUCERS) {
        const vec4 x = masked(vec4(src[base + s]), s, args.channels);
        sum += dot(x, x);
    }
    const float factor = inversesqrt(sum_in_workgroup(sum) / float(args.channels) + args.epsilon);
    for (uint s = gl_LocalInvocationIndex; group() < args.rows && s < args.slices; s += REDUCERS)
        dst[base + s] = STORE(vec4(src[base + s]) * factor * weights[s]);
}
