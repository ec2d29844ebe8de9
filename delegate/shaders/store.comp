// Rows of padded channels to a dense tensor for the host, whose floats are f32 in both precisions.
// An invocation stores a slice of elements of 32 bits (and of f16, which become f32), or a word of
// narrower elements, since a smaller store
// needs a device feature.
// Variants: f32 f16 byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/io.args.h"

READS(1, src);

#if ELEMENT == BYTE || ELEMENT == SHORT
WRITES_WORDS(0, dst);

const uint IN_WORD = 32u / ELEMENT_BITS;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    uint word = 0u;
    for (uint k = 0u; k < IN_WORD && IN_WORD * i + k < args.elements; k++) {
        const uint e = IN_WORD * i + k, c = e % args.channels;
        const SLICE v = src[e / args.channels * args.slices + c / 4u];
        word |= element_at(v, c % 4u) << ELEMENT_BITS * k;
    }
    dst[i] = word;
}
#else
#if ELEMENT == WORD
WRITES_WORDS(0, dst);
#else
layout(set = 0, binding = 0) writeonly buffer Target { float dst[]; };
#endif

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint to = (i / args.slices) * args.channels + 4u * s;
    const uint left = args.channels - 4u * s; // at least 1
    const SLICE v = SLICE(src[i]);
    dst[to] = v.x;
    if (left > 1u)
        dst[to + 1u] = v.y;
    if (left > 2u)
        dst[to + 2u] = v.z;
    if (left > 3u)
        dst[to + 3u] = v.w;
}
#endif
