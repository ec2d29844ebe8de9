// Rows of padded channels to a dense tensor for the host, as store.comp does: an invocation stores
// 16 bytes at once, whatever rows they are of.  Stores over a bus are as slow as their number.  The
// last invocation stores words, since the buffer may end there.
// Variants: f32 f16 byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/io.args.h"

layout(set = 0, binding = 0) writeonly buffer Target { uvec4 dst[]; };
layout(set = 0, binding = 0) writeonly buffer TargetWords { uint words[]; };

// Element e of the padded rows, in a word.
#if ELEMENT == F16
layout(set = 0, binding = 1) readonly buffer Source { float16_t src[]; };
uint element(uint e) { return floatBitsToUint(float(src[e])); }
const uint IN_WORD = 1u, BITS = 32u; // floats of the host are f32
#else
READS_WORDS(1, src);
#if ELEMENT == BYTE
uint element(uint e) { return byte_at(src[e / 4u], e % 4u); }
#elif ELEMENT == SHORT
uint element(uint e) { return short_at(src[e / 2u], e % 2u); }
#else
uint element(uint e) { return src[e]; }
#endif
const uint IN_WORD = 32u / ELEMENT_BITS, BITS = ELEMENT_BITS;
#endif

uint at, c; // the next element: its place in the padded rows, and its channel

uint next_word(uint first)
{
    uint word = 0u;
#if ELEMENT != F16
    if (args.channels % 4u == 0u) // both layouts are the same bytes
        return first < args.elements ? src[first / IN_WORD] : 0u;
#endif
    for (uint k = 0u; k < IN_WORD; k++) {
        if (first + k < args.elements)
            word |= element(at) << BITS * k;
        at++;
        if (++c == args.channels) {
            c = 0u;
            at += 4u * args.slices - args.channels;
        }
    }
    return word;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint first = 4u * IN_WORD * i;
    const uint row = first / args.channels;
    uvec4 v;

    c = first - row * args.channels;
    at = row * 4u * args.slices + c;
    v.x = next_word(first);
    v.y = next_word(first + IN_WORD);
    v.z = next_word(first + 2u * IN_WORD);
    v.w = next_word(first + 3u * IN_WORD);
    if (first + 4u * IN_WORD <= args.elements) {
        dst[i] = v;
        return;
    }
    words[4u * i] = v.x;
    if (first + IN_WORD < args.elements)
        words[4u * i + 1u] = v.y;
    if (first + 2u * IN_WORD < args.elements)
        words[4u * i + 2u] = v.z;
    if (first + 3u * IN_WORD < args.elements)
        words[4u * i + 3u] = v.w;
}
