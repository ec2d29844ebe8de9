// CUMSUM along one axis: an invocation adds up a row of channels, or a column of slices, or where
// the axis is long (SCAN) a block of it: the blocks' sums are added up in shared memory, and each
// invocation begins again with the sum of those before its own.  Words are i32, whose sums wrap.
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
layout(constant_id = CUMSUM_SPEC_SCAN) const bool SCAN = false;

shared VEC sums[SCAN ? gl_WorkGroupSize.x : 1u];

// Adds elements `from` to `to`, in their order, to the sum; writes: the results, too.
VEC along_rows(uint i, uint from, uint to, VEC sum, bool writes)
{
    const uint row = i / args.slices, s = i % args.slices;
    const uint first = row / args.inner * args.extent * args.inner + row % args.inner;
    for (uint k = from; k < to; k++) {
        const uint step = REVERSE ? args.extent - 1u - k : k;
        const uint at = (first + step * args.inner) * args.slices + s;
        const VEC before = sum;
        sum += VEC(src[at]);
        if (writes)
            dst[at] = STORE(EXCLUSIVE ? before : sum);
    }
    return sum;
}

// The same of slices; the sum is in every lane.
VEC along_channels(uint row, uint from, uint to, VEC sum, bool writes)
{
    for (uint k = from; k < to; k++) {
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
        if (writes)
            dst[row * args.slices + s] = STORE(y);
    }
    return sum;
}

VEC along(uint i, uint from, uint to, VEC sum, bool writes)
{
    return OVER_CHANNELS ? along_channels(i, from, to, sum, writes)
                         : along_rows(i, from, to, sum, writes);
}

void main()
{
    const uint length = OVER_CHANNELS ? args.slices : args.extent;
    if (!SCAN) {
        if (item() < args.count)
            along(item(), 0u, length, VEC(0), true);
        return;
    }
    // Surplus workgroups recompute the last run: there is no early exit before barrier().
    const uint i = min(group(), args.count - 1u), me = gl_LocalInvocationID.x;
    const uint block = (length + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    const uint from = min(me * block, length), to = min(from + block, length);
    VEC sum = along(i, from, to, VEC(0), false);
    // Each sum becomes that of twice as many blocks, up to its own.
    for (uint blocks = 1u; blocks < gl_WorkGroupSize.x; blocks *= 2u) {
        sums[me] = sum;
        barrier();
        if (me >= blocks)
            sum += sums[me - blocks];
        barrier(); // before others are written
    }
    sums[me] = sum;
    barrier();
    along(i, from, to, me > 0u ? sums[me - 1u] : VEC(0), true);
}
