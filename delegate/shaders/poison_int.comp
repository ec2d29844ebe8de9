// For tests: fills the padded lanes of the last slice of each row of an integer tensor with a pattern.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/poison.args.h"

layout(set = 0, binding = 0) buffer Target { uint words[]; };

layout(constant_id = POISON_SPEC_WORDS) const uint WORDS = 1u; // of a slice: of bytes, or 2 of 16 bits

void main()
{
    const uint row = item();
    if (row >= args.count)
        return;
    const uint last = ((row + 1u) * args.slices - 1u) * WORDS;
    const uint lanes = 4u / WORDS; // of a word
    const uint live = args.channels % 4u;
    for (uint w = 0u; w < WORDS; w++) {
        const uint here = min(max(live, w * lanes) - w * lanes, lanes);
        const uint kept = here == lanes ? 0xffffffffu : (1u << here * 32u / lanes) - 1u;
        words[last + w] = (words[last + w] & kept) | (args.pattern & ~kept);
    }
}
