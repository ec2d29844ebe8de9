// ONE_HOT: [outer, depth, inner] from indices [outer, inner].  An invocation computes one slice of
// dst.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/one_hot.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS_WORDS(1, indices);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < 4u && 4u * s + lane < args.channels; lane++) {
        const uint e = i / args.slices * args.channels + 4u * s + lane;
        const uint at = e / args.inner / args.depth * args.inner + e % args.inner;
        const uint row = at / args.index_channels;
        const uint hot = indices[row * args.index_pitch + at - row * args.index_channels];
        v = with_element(v, lane, hot == e / args.inner % args.depth ? args.on : args.off);
    }
    dst[i] = STORED(v);
}
