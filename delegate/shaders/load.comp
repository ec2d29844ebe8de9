// A dense tensor of the host to rows of padded channels.  The host's floats are f32 in both
// precisions.
// Variants: f32 f16 byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/io.args.h"

WRITES(0, dst);
#if ELEMENT == BYTE
READS_WORDS(1, src);
VALUE dense(uint e) { return byte_at(src[e / 4u], e % 4u); }
#elif ELEMENT == SHORT
READS_WORDS(1, src);
VALUE dense(uint e) { return short_at(src[e / 2u], e % 2u); }
#elif ELEMENT == WORD
READS_WORDS(1, src);
VALUE dense(uint e) { return uint(src[e]); }
#else
layout(set = 0, binding = 1) readonly buffer Source { float src[]; };
VALUE dense(uint e) { return src[e]; }
#endif

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint from = (i / args.slices) * args.channels + 4u * s;
    const uint left = args.channels - 4u * s; // at least 1
    SLICE v = with_element(SLICE(0), 0u, dense(from));
    if (left > 1u)
        v = with_element(v, 1u, dense(from + 1u));
    if (left > 2u)
        v = with_element(v, 2u, dense(from + 2u));
    if (left > 3u)
        v = with_element(v, 3u, dense(from + 3u));
    dst[i] = STORE(v);
}
