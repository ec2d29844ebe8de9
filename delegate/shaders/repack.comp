// The same elements as rows of another number of channels (RESHAPE).
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/repack.args.h"

WRITES(0, dst);
READS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint first = (i / args.slices) * args.channels + 4u * s;
    const uint n = min(4u, args.channels - 4u * s);
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < n; lane++) {
        const uint row = (first + lane) / args.source_channels;
        const uint c = (first + lane) % args.source_channels;
        v = with_element(v, lane,
                         element_at(SLICE(src[row * args.source_slices + c / 4u]), c % 4u));
    }
    dst[i] = STORED(v);
}
