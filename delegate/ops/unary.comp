// RELU, RELU6, EXP, LOGISTIC: one slice an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/unary.args.h"

WRITES(0, dst);
READS(1, src);

layout(constant_id = UNARY_SPEC_OP) const uint OP = UNARY_ACTIVATION;
layout(constant_id = UNARY_SPEC_ACTIVATION) const uint ACTIVATION = 1u;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const vec4 x = vec4(src[i]);
    dst[i] = STORED(OP == UNARY_EXP        ? exp(x)
                    : OP == UNARY_LOGISTIC ? logistic(x)
                                           : activate(x, ACTIVATION));
}
