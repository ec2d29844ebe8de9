// DYNAMIC_UPDATE_SLICE: the operand, over a part of which the update is written.  An invocation
// computes one slice of dst, and reads the operand's at the same place alone: the two may be one
// memory.  A start beyond the ends is moved inside, as on the CPU.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/dynamic_update_slice.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, operand);
READS(2, update);
READS_WORDS(3, start);

layout(constant_id = DYNAMIC_UPDATE_SLICE_SPEC_WHOLE) const bool WHOLE = false;
layout(constant_id = DYNAMIC_UPDATE_SLICE_SPEC_DIMS) const uint DIMS = 1u;

const uint OUTSIDE = 0xffffffffu;

// The element of the update for element e of dst; OUTSIDE: that of the operand stays.
uint source(uint e)
{
    uint from = 0u, stride = 1u;
    for (uint k = DIMS; k-- > 0u;) {
        const uint c = e % args.size[k];
        e /= args.size[k];
        const int last = int((args.size[k] - args.update[k]) / args.unit[k]);
        const int first = int(start[args.start_of >> 4u * k & 15u]);
        const uint at = c - uint(clamp(first, 0, last)) * args.unit[k];
        if (at >= args.update[k])
            return OUTSIDE;
        from += at * stride;
        stride *= args.update[k];
    }
    return from;
}

void main()
{
    const uint i = item();
    if (i >= args.slices)
        return;
    const uint s = i % args.out_slices;
    const uint first = i / args.out_slices * args.out_channels + 4u * s;
    if (WHOLE) {
        const uint from = source(first);
        if (from == OUTSIDE)
            dst[i] = operand[i];
        else
            dst[i] = update[from / args.in_channels * args.in_slices + s];
        return;
    }
    SLICE v = SLICE(operand[i]);
    for (uint lane = 0u; lane < 4u && 4u * s + lane < args.out_channels; lane++) {
        const uint from = source(first + lane);
        if (from == OUTSIDE)
            continue;
        const uint row = from / args.in_channels, c = from - row * args.in_channels;
        v = with_element(v, lane, element_at(SLICE(update[row * args.in_slices + c / 4u]), c % 4u));
    }
    dst[i] = STORED(v);
}
