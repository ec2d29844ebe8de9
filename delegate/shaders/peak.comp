// What a device reaches at most: slices that are copied, or products of floats that are added.
// vulkan/peaks.c times it; no plan of a graph has it.
// Variants: word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/peak.args.h"

layout(constant_id = PEAK_SPEC_COPIES) const uint COPIES = 1u;

WRITES(0, dst);
READS(1, src);

void main()
{
    if (COPIES == 1u) {
        for (uint i = item(); i < args.count; i += args.stride)
            dst[i] = src[i];
        return;
    }
    vec4 sums[PEAK_CHAINS];
    for (int c = 0; c < PEAK_CHAINS; c++)
        sums[c] = vec4(float(item() + uint(c)));
    // Factor and term are one number, so that fewer registers are read at once.
    for (uint i = 0u; i < args.count; i += 4u)
        for (int turn = 0; turn < 4; turn++)
            for (int c = 0; c < PEAK_CHAINS; c++)
                sums[c] = sums[c] * args.factor + args.factor;
    vec4 sum = vec4(0.0);
    for (int c = 0; c < PEAK_CHAINS; c++)
        sum += sums[c];
    // Never true, as all sums are finite; but the compiler cannot know.
    if (isinf(sum.x + sum.y + sum.z + sum.w))
        dst[0] = floatBitsToUint(sum);
}
