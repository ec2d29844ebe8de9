// RELU, RELU6, EXP, LOGISTIC, HARD_SWISH: one slice an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/elementwise/unary.args.h"

WRITES(0, dst);
READS(1, src);

layout(constant_id = UNARY_SPEC_OP) const uint OP = UNARY_ACTIVATION;
layout(constant_id = UNARY_SPEC_ACTIVATION) const uint ACTIVATION = 1u;

vec4 result(vec4 x)
{
    if (OP == UNARY_EXP)
        return exp(x);
    if (OP == UNARY_LOGISTIC)
        return logistic(x);
    if (OP == UNARY_HARD_SWISH)
        return hard_swish(x);
    return activate(x, ACTIVATION);
}

void main()
{
    const uint i = item();
    if (i < args.count)
        dst[i] = STORE(result(vec4(src[i])));
}
