// A dense f32 tensor from the host to rows of padded channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/io.args.h"

WRITES(0, dst);
layout(set = 0, binding = 1) readonly buffer Source { float src[]; };

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint from = (i / args.slices) * args.channels + 4u * s;
    const uint left = args.channels - 4u * s; // at least 1
    vec4 v = vec4(src[from], 0.0, 0.0, 0.0);
    if (left > 1u)
        v.y = src[from + 1u];
    if (left > 2u)
        v.z = src[from + 2u];
    if (left > 3u)
        v.w = src[from + 3u];
    dst[i] = STORED(v);
}
