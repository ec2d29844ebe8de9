// A dense 8-bit tensor from the host to rows of padded channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/io.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint from = (i / args.slices) * args.channels + 4u * s;
    const uint n = min(4u, args.channels - 4u * s);
    uint word = 0u;
    for (uint lane = 0u; lane < n; lane++)
        word |= byte_at(src[(from + lane) / 4u], (from + lane) % 4u) << 8u * lane;
    dst[i] = word;
}
