// CUMSUM along one axis: an invocation adds up a row of channels, or a column of slices.  Words are
// i32, whose sums wrap.
// Variants: f32 f16 word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/cumsum.args.h"
#include "delegate/shaders/element.glsl"
#if ELEMENT == WORD
#define VEC ivec4
#else
#define VEC vec4
#endif

WRITES(0, dst);
READS(1, src);

layout(constant_id = CUMSUM_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;
layout(constant_id = CUMSUM_SPEC_EXCLUSIVE) const bool EXCLUSIVE = false;
layout(constant_id = CUMSUM_SPEC_REVERSE) const bool REVERSE = false;

void along_rows(uint row, uint s)
{
    const uint first = row / args.inner * args.extent * args.inner + row % args.inner;
    VEC sum = VEC(0);
    for (uint k = 0u; k < args.extent; k++) {
        const uint step = REVERSE ? args.extent - 1u - k : k;
        const uint at = (first + step * args.inner) * args.slices + s;
        const VEC before = sum;
        sum += VEC(src[at]);
        dst[at] = STORE(EXCLUSIVE ? before : sum);
    }
}

void along_channels(uint row)
{
    VEC sum = VEC(0); // in every lane
    for (uint k = 0u; k < args.slices; k++) {
        const uint s = REVERSE ? args.slices - 1u - k : k;
        const VEC v = VEC(src[row * args.slices + s]);
        VEC y = VEC(0);
        for (uint j = 0u; j < 4u; j++) {
            const uint lane = REVERSE ? 3u - j : j;
            if (4u * s + lane >= args.channels)
                continue;
            const VEC before = sum;
            sum += VEC(v[lane]);
            y[lane] = EXCLUSIVE ? before.x : sum.x;
        }
        dst[row * args.slices + s] = STORE(y);
    }
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    if (OVER_CHANNELS)
        along_channels(i);
    else
        along_rows(i / args.slices, i % args.slices);
}
