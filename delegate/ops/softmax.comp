// SOFTMAX over the channels: dst [rows,C] = exp(beta * x - peak) / sum.  A workgroup computes a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/softmax.args.h"

WRITES(0, dst);
READS(1, src);

const float LOWEST = -3.402823466e38;

shared float part[gl_WorkGroupSize.x];

float sum_of_parts(float mine)
{
    const uint me = gl_LocalInvocationID.x;
    barrier(); // part[] may still be read
    part[me] = mine;
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        barrier();
        if (me < n)
            part[me] += part[me + n];
    }
    barrier();
    return part[0];
}

float max_of_parts(float mine)
{
    const uint me = gl_LocalInvocationID.x;
    part[me] = mine;
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        barrier();
        if (me < n)
            part[me] = max(part[me], part[me + n]);
    }
    barrier();
    return part[0];
}

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
    peak = max_of_parts(peak);

    float sum = 0.0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        sum += dot(masked(exponential(base, s, peak), s, args.channels), vec4(1.0));
    sum = sum_of_parts(sum);

    if (!live)
        return;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        dst[base + s] = STORED(exponential(base, s, peak) / sum);
}
