// The same 8-bit elements as rows of another number of channels (RESHAPE).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/repack.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint first = (i / args.slices) * args.channels + 4u * s;
    const uint n = min(4u, args.channels - 4u * s);
    uint word = 0u;
    for (uint lane = 0u; lane < n; lane++) {
        const uint row = (first + lane) / args.source_channels;
        const uint c = (first + lane) % args.source_channels;
        word |= byte_at(src[row * args.source_slices + c / 4u], c % 4u) << 8u * lane;
    }
    dst[i] = word;
}
