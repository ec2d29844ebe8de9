// Rounds reals to the steps of an 8-bit tensor: scale times the nearest integer of a range.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/elementwise/simulate.args.h"

WRITES(0, dst);
READS(1, src);

void main()
{
    const uint i = item();
    if (i < args.count)
        dst[i] = STORE(on_steps(vec4(src[i]), args.scale, args.low, args.high));
}
