// SOFTMAX over the channels: dst [rows,C] = exp(beta * (x - peak)) / sum.  A workgroup computes a
// row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/softmax.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

const float LOWEST = -3.402823466e38;

REDUCE_MEMORY(float)
REDUCE_IN_WORKGROUP(float, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

// Shifting by the row's largest element keeps exp() in range; the shift cancels.
vec4 exponential(uint base, uint s, float peak)
{
    return exp(args.beta * (vec4(src[base + s]) - peak));
}

void main()
{
    const bool live = group() < args.count;
    const uint base = min(group(), args.count - 1u) * args.slices;

    float peak = LOWEST;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const vec4 v = mix(vec4(LOWEST), vec4(src[base + s]), lanes(s, args.channels));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    peak = max_in_workgroup(peak);

    float sum = 0.0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        sum += dot(masked(exponential(base, s, peak), s, args.channels), vec4(1.0));
    barrier(); // every invocation has read the peak
    sum = sum_in_workgroup(sum);

    if (!live)
        return;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        dst[base + s] = STORED(exponential(base, s, peak) / sum);
}
