// Rows of padded channels to a dense 16-bit tensor for the host: one word, two elements, an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/io.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

uint element(uint e)
{
    const uint c = e % args.channels;
    return short_at(src[2u * (e / args.channels * args.slices) + c / 2u], c % 2u);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    uint word = element(2u * i);
    if (2u * i + 1u < args.elements)
        word |= element(2u * i + 1u) << 16u;
    dst[i] = word;
}
