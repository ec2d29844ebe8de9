// Rows of padded channels to a dense 8-bit tensor for the host: one word, four elements, an
// invocation.
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
    uint word = 0u;
    for (uint lane = 0u; lane < 4u && 4u * i + lane < args.elements; lane++) {
        const uint e = 4u * i + lane, c = e % args.channels;
        word |= byte_at(src[e / args.channels * args.slices + c / 4u], c % 4u) << 8u * lane;
    }
    dst[i] = word;
}
