// For tests (option poison=): fills the padded lanes of the last slice of each row with a pattern.
// The plan runs it only where there are such lanes.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/poison.args.h"

layout(set = 0, binding = 0) buffer Target { uint words[]; };

const uint IN_WORD = 32u / ELEMENT_BITS;
const uint SLICE_WORDS = 4u / IN_WORD;

void main()
{
    const uint row = item();
    if (row >= args.count)
        return;
    const uint last = ((row + 1u) * args.slices - 1u) * SLICE_WORDS;
    const uint used = args.channels % 4u; // lanes of the last slice that hold a channel
    for (uint w = 0u; w < SLICE_WORDS; w++) {
        const uint here = min(max(used, w * IN_WORD) - w * IN_WORD, IN_WORD);
        const uint kept = here == IN_WORD ? 0xffffffffu : (1u << here * ELEMENT_BITS) - 1u;
        words[last + w] = (words[last + w] & kept) | (args.pattern & ~kept);
    }
}
