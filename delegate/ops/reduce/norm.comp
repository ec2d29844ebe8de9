// x / sqrt(mean of the squares of its row + epsilon) * weight + bias, of x or, CENTERED, of x less
// the mean of its row: the nodes of which transform `norm` makes one.  src, dst [rows][slices];
// factors has the slices of the weights, and then those of the biases; a workgroup computes a row.
// Sums are f32, also where f16, in which the nodes would store them, overflows.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/norm.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
CONSTANTS(2, factors);

layout(constant_id = NORM_SPEC_CENTERED) const bool CENTERED = false;

REDUCE_MEMORY(float)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

void main()
{
    const uint base = min(group(), args.rows - 1u) * args.slices;
    const uint first = gl_LocalInvocationIndex;
    float mean = 0.0, sum = 0.0;
    if (CENTERED) {
        for (uint s = first; s < args.slices; s += REDUCERS)
            mean += dot(masked(vec4(src[base + s]), s, args.channels), vec4(1.0));
        mean = sum_in_workgroup(mean) / float(args.channels);
        barrier(); // every invocation has read the sum
    }
    for (uint s = first; s < args.slices; s += REDUCERS) {
        const vec4 x = masked(vec4(src[base + s]) - mean, s, args.channels);
        sum += dot(x, x);
    }
    const float factor = inversesqrt(sum_in_workgroup(sum) / float(args.channels) + args.epsilon);
    for (uint s = first; group() < args.rows && s < args.slices; s += REDUCERS) {
        const vec4 x = (vec4(src[base + s]) - mean) * factor;
        dst[base + s] = STORE(x * factors[s] + factors[args.slices + s]);
    }
}
