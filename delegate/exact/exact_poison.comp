// For tests: fills the padded lanes of the last slice of each row of an 8-bit tensor with a pattern.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "integer.glsl"

layout(set = 0, binding = 0) buffer Target { uint words[]; };

layout(push_constant) uniform Args { uint count, channels, slices, pattern; } args;

void main()
{
    const uint row = item();
    if (row >= args.count)
        return;
    const uint kept = (1u << 8u * (args.channels % 4u)) - 1u; // some, not all
    const uint last = (row + 1u) * args.slices - 1u;
    words[last] = (words[last] & kept) | (args.pattern & ~kept);
}
