// Over the channels of a row, which a workgroup computes:
//     SOFTMAX           exp(beta * (x - peak)) / sum of these
//     LOG_SOFTMAX       beta * (x - peak) - log(the same sum), beta 1
//     L2_NORMALIZATION  x / max(root of the sum of squares, 1e-6)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/softmax.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = SOFTMAX_SPEC_OP) const uint OP = SOFTMAX_POWERS;

REDUCE_MEMORY(float)
#define INVOCATIONS     gl_WorkGroupSize.x
#define SLICE_OF_ROW(i) vec4(src[i])
#include "delegate/ops/reduce/softmax.glsl"

void main()
{
    const uint base = min(group(), args.count - 1u) * args.slices;
    softmax_row(Row(base, args.slices, args.channels, args.beta), base, group() < args.count);
}
