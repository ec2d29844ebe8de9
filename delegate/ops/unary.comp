// RELU, RELU6, EXP, LOGISTIC: one slice an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = 3) const uint OP = 0u; // 0 a fused activation, 1 exp, 2 logistic
layout(constant_id = 4) const uint ACTIVATION = 1u;

layout(push_constant) uniform Args { uint count; } args;

// 1 / (1 + e^-x), with the exponential of a number that is not positive: it never overflows.
vec4 logistic(vec4 x)
{
    const vec4 e = exp(-abs(x));
    return mix(vec4(1.0), e, lessThan(x, vec4(0.0))) / (1.0 + e);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const vec4 x = vec4(src[i]);
    dst[i] = STORED(OP == 1u ? exp(x) : OP == 2u ? logistic(x) : activate(x, ACTIVATION));
}
