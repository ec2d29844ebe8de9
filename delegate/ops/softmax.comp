// Over the channels of a row, which a workgroup computes:
//     SOFTMAX           exp(beta * (x - peak)) / sum of these
//     LOG_SOFTMAX       beta * (x - peak) - log(the same sum), beta 1
//     L2_NORMALIZATION  x / max(root of the sum of squares, 1e-6)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/softmax.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = SOFTMAX_SPEC_OP) const uint OP = SOFTMAX_POWERS;

const float LOWEST = -3.402823466e38;

REDUCE_MEMORY(float)
REDUCE_IN_WORKGROUP(float, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

// Shifting by the row's largest element keeps exp() in range; the shift cancels.
vec4 exponent(uint base, uint s, float peak) { return args.beta * (vec4(src[base + s]) - peak); }

// What is summed up.
vec4 term(uint base, uint s, float peak)
{
    if (OP == SOFTMAX_NORM)
        return vec4(src[base + s]) * vec4(src[base + s]);
    return exp(exponent(base, s, peak));
}

vec4 result(uint base, uint s, float peak, float sum)
{
    if (OP == SOFTMAX_NORM)
        return vec4(src[base + s]) / max(sqrt(sum), 1e-6);
    if (OP == SOFTMAX_LOG)
        return exponent(base, s, peak) - log(sum);
    return exp(exponent(base, s, peak)) / sum;
}

void main()
{
    const bool live = group() < args.count;
    const uint base = min(group(), args.count - 1u) * args.slices;

    float peak = LOWEST;
    for (uint s = gl_LocalInvocationID.x; OP != SOFTMAX_NORM && s < args.slices;
         s += gl_WorkGroupSize.x) {
        const vec4 v = mix(vec4(LOWEST), vec4(src[base + s]), lanes(s, args.channels));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    peak = max_in_workgroup(peak);

    float sum = 0.0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        sum += dot(masked(term(base, s, peak), s, args.channels), vec4(1.0));
    barrier(); // every invocation has read the peak
    sum = sum_in_workgroup(sum);

    if (!live)
        return;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        dst[base + s] = STORED(result(base, s, peak, sum));
}
