// A dense tensor of i64 from the host to rows of padded channels of i32, as load.comp does: what
// lies outside of i32 becomes the nearest end of it.
// Variants: word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/io.args.h"

WRITES(0, dst);
READS_WORDS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint from = (i / args.slices) * args.channels + 4u * s;
    const uint n = min(4u, args.channels - 4u * s);
    uvec4 v = uvec4(0u);
    for (uint lane = 0u; lane < n; lane++) {
        const uint low = src[2u * (from + lane)];
        const int high = int(src[2u * (from + lane) + 1u]);
        v[lane] = high == int(low) >> 31 ? low : high < 0 ? 0x80000000u : 0x7fffffffu;
    }
    dst[i] = v;
}
