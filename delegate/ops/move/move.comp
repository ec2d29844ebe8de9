// Elements that move by a fixed map of indices: TRANSPOSE, SPLIT, SLICE, TILE and others.  The
// place of an element of dst in src is `first`, plus an index times a step for each of the dims
// that its row and its channel are made of.  An invocation computes one slice of dst, or in blocks
// 4 slices of neighbours along a dim of rows that were the channels of src.  Bits are moved,
// whatever they mean.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/move.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = MOVE_SPEC_MODE) const uint MODE = MOVE_LANES;

// How far the place of a channel is from that of channel 0.
uint along_channels(uint c)
{
    uint at = 0u;
    for (uint d = 0u; d < args.inner; d++) {
        at += c % args.size_of[d] * args.step_of[d];
        c /= args.size_of[d];
    }
    return at;
}

// The place of channel 0.
uint place_of_row(uint row)
{
    uint at = args.first;
    for (uint d = args.inner; d < args.dims; d++) {
        at += row % args.size_of[d] * args.step_of[d];
        row /= args.size_of[d];
    }
    return at;
}

void move_block(uint block, uint s)
{
    const uint blocks = (args.across + 3u) / 4u;
    const uint place = block / args.below, first = place % blocks * 4u;
    const uint row = block % args.below + args.below * (place / blocks * args.across + first);
    const uint from = place_of_row(row);
    SLICE v[4];
    for (uint lane = 0u; lane < 4u; lane++) {
        const uint c = min(4u * s + lane, args.channels - 1u);
        v[lane] = SLICE(src[(from + along_channels(c)) / 4u]);
    }
    for (uint k = 0u; k < 4u && first + k < args.across; k++) {
        SLICE to = SLICE(0);
        for (uint lane = 0u; lane < 4u; lane++)
            to = with_element(to, lane, element_at(v[lane], k));
        dst[(row + k * args.below) * args.slices + s] = STORED(to);
    }
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    if (MODE == MOVE_BLOCKS) {
        move_block(i / args.slices, s);
        return;
    }
    const uint from = place_of_row(i / args.slices);
    if (MODE == MOVE_WHOLE) {
        dst[i] = src[(from + along_channels(4u * s)) / 4u];
        return;
    }
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Padded lanes repeat the last channel: they may hold anything, but must read inside src.
        const uint at = from + along_channels(min(4u * s + lane, args.channels - 1u));
        v = with_element(v, lane, element_at(SLICE(src[at / 4u]), at % 4u));
    }
    dst[i] = STORED(v);
}
