// Rows of padded channels to a dense f32 tensor for the host.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/io.args.h"

layout(set = 0, binding = 0) writeonly buffer Target { float dst[]; };
READS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint to = (i / args.slices) * args.channels + 4u * s;
    const uint left = args.channels - 4u * s; // at least 1
    const vec4 v = vec4(src[i]);
    dst[to] = v.x;
    if (left > 1u)
        dst[to + 1u] = v.y;
    if (left > 2u)
        dst[to + 2u] = v.z;
    if (left > 3u)
        dst[to + 3u] = v.w;
}
