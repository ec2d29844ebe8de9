// A dense f16 tensor from the host to rows of padded channels.  A word holds two elements, the
// first in its low half; no 16-bit feature is needed.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/io.args.h"

WRITES(0, dst);
layout(set = 0, binding = 1) readonly buffer Source { uint words[]; };

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint from = (i / args.slices) * args.channels + 4u * s;
    const uint n = min(4u, args.channels - 4u * s);
    vec4 v = vec4(0.0);
    for (uint lane = 0u; lane < n; lane++)
        v[lane] = unpackHalf2x16(words[(from + lane) / 2u])[(from + lane) % 2u];
    dst[i] = STORED(v);
}
