// For tests: fills the padded lanes of the last slice of each row with a pattern.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/poison.args.h"

// A slice is 4 words of one f32, or 2 words of two f16 each.
layout(set = 0, binding = 0) buffer Target { uint words[]; };

void main()
{
    const uint row = item();
    if (row >= args.count)
        return;
    const uint used = args.channels % 4u; // of the last slice; not 0
    const uint last = (row + 1u) * args.slices - 1u;
#if HALF
    if (used == 1u)
        words[2u * last] = (words[2u * last] & 0xffffu) | (args.pattern & 0xffff0000u);
    if (used == 3u)
        words[2u * last + 1u] = (words[2u * last + 1u] & 0xffffu) | (args.pattern & 0xffff0000u);
    else
        words[2u * last + 1u] = args.pattern;
#else
    for (uint lane = used; lane < 4u; lane++)
        words[4u * last + lane] = args.pattern;
#endif
}
