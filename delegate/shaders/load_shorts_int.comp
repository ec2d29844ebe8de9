// A dense 16-bit tensor from the host to rows of padded channels, a slice in two words.
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
    uvec2 words = uvec2(0u);
    for (uint lane = 0u; lane < n; lane++)
        words[lane / 2u] |= short_at(src[(from + lane) / 2u], (from + lane) % 2u)
                            << 16u * (lane % 2u);
    dst[2u * i] = words.x;
    dst[2u * i + 1u] = words.y;
}
