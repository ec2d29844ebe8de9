// What a device reaches at most in sums of products of signed bytes; see peak.comp.
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/shaders/peak.args.h"

WRITES_WORDS(0, dst);

void main()
{
    int sums[PEAK_CHAINS];
    for (int c = 0; c < PEAK_CHAINS; c++)
        sums[c] = int(item()) + c;
    for (uint i = 0u; i < args.count; i += 4u)
        for (int turn = 0; turn < 4; turn++)
            for (int c = 0; c < PEAK_CHAINS; c++)
                sums[c] += dot4(uint(sums[c]), args.bytes);
    int sum = 0;
    for (int c = 0; c < PEAK_CHAINS; c++)
        sum |= sums[c];
    // args.stride is more than there are invocations: never true, but the compiler cannot know.
    if (item() >= args.stride)
        dst[0] = uint(sum);
}
