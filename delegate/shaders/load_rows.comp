// A dense tensor of the host to rows of padded channels, as load.comp does.  Rows whose channels
// need no padding are read by slices; rows of one slice need no division.
// Variants: f32 f16 byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/io.args.h"

WRITES(0, dst);
#if ELEMENT == F16
layout(set = 0, binding = 1) readonly buffer Slices { vec4 slices[]; }; // the host's floats are f32
layout(set = 0, binding = 1) readonly buffer Elements { float src[]; };
VALUE dense(uint e) { return src[e]; }
#elif ELEMENT == F32
READS(1, slices);
layout(set = 0, binding = 1) readonly buffer Elements { float src[]; };
VALUE dense(uint e) { return src[e]; }
#else
READS(1, slices);
READS_WORDS(1, src);
#if ELEMENT == BYTE
VALUE dense(uint e) { return byte_at(src[e / 4u], e % 4u); }
#elif ELEMENT == SHORT
VALUE dense(uint e) { return short_at(src[e / 2u], e % 2u); }
#else
VALUE dense(uint e) { return src[e]; }
#endif
#endif

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    if (args.channels % 4u == 0u) {
        dst[i] = STORE(slices[i]);
        return;
    }
    const uint row = args.slices == 1u ? i : i / args.slices;
    const uint s = i - row * args.slices;
    const uint from = row * args.channels + 4u * s;
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
