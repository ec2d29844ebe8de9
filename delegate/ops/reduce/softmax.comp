// Over the channels of a row, which a workgroup computes, or if it is short an invocation:
//     SOFTMAX           exp(beta * (x - peak)) / sum of these
//     LOG_SOFTMAX       beta * (x - peak) - log(the same sum), beta 1
//     L2_NORMALIZATION  x / max(root of the sum of squares, 1e-6)
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/ops/reduce/softmax.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = SOFTMAX_SPEC_OP) const uint OP = SOFTMAX_POWERS;
layout(constant_id = SOFTMAX_SPEC_ALONE) const bool ALONE = false;

REDUCE_MEMORY(float)
#define INVOCATIONS (ALONE ? 1u : gl_WorkGroupSize.x)
#if ELEMENT == F16
// -infinity may be a mask of -1e9 that f16 does not hold, of a model's f16 constants or of buffers
// that others fill: where a whole row is masked, its logits are equal, as they are in f32, and not
// infinity less infinity.  Its bits are compared: drivers make max() of a comparison of numbers,
// which loses NaN.
vec4 capped(vec4 v)
{
    return mix(v, vec4(-65504.0), equal(floatBitsToUint(v), uvec4(0xff800000u)));
}
#define SLICE_OF_ROW(i) (OP == SOFTMAX_NORM ? vec4(src[i]) : capped(vec4(src[i])))
#else
#define SLICE_OF_ROW(i) vec4(src[i])
#endif
#include "delegate/ops/reduce/softmax.glsl"

void main()
{
    const uint i = ALONE ? item() : group();
    const uint base = min(i, args.count - 1u) * args.slices;
    softmax_row(Row(base, args.slices, args.channels, args.beta), base, i < args.count);
}
