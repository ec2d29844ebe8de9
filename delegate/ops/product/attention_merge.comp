// Adds up what attention.comp has written of each part of the slots: src [rows][parts][out_slices +
// 1], of which the last slice has the part's maximum and sum, dst [rows][out_slices].  One slice an
// invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/product/attention_merge.args.h"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
CONSTANTS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint pitch = args.out_slices + 1u;
    const uint begin = i / args.out_slices * args.parts * pitch, slice = i % args.out_slices;
    float peak = src[begin + args.out_slices].x;
    for (uint p = 1u; p < args.parts; p++)
        peak = max(peak, src[begin + p * pitch + args.out_slices].x);
    vec4 y = vec4(0.0);
    float sum = 0.0;
    for (uint p = 0u; p < args.parts; p++) {
        const vec4 of_part = src[begin + p * pitch + args.out_slices];
        const float moved = exp(of_part.x - peak);
        y += moved * src[begin + p * pitch + slice];
        sum += moved * of_part.y;
    }
    dst[i] = STORE(y / sum);
}
