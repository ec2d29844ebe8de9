// CONCATENATION of up to 3 of the inputs, neighbours on the axis, into their range of dst.
// Positions on the axis are in whole slices, with all that is inside the axis (`inner` rows)
// counted in; with SPLIT, along the channels, they are in channels, since a slice may hold the end
// of one input and the start of the next. An invocation computes one slice of dst.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/concatenation.args.h"
#include "delegate/shaders/element.glsl"

UPDATES(0, dst);
READS(1, src_a);
READS(2, src_b);
READS(3, src_c);

layout(constant_id = CONCATENATION_SPEC_SPLIT) const bool SPLIT = false;

// The channel at position c of the axis.
VALUE channel(uint outer, uint c)
{
    if (c < args.end[0]) {
        c -= args.first;
        return element_at(SLICE(src_a[outer * args.pitch_of[0] + c / 4u]), c % 4u);
    }
    if (c < args.end[1]) {
        c -= args.end[0];
        return element_at(SLICE(src_b[outer * args.pitch_of[1] + c / 4u]), c % 4u);
    }
    c -= args.end[1];
    return element_at(SLICE(src_c[outer * args.pitch_of[2] + c / 4u]), c % 4u);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint outer = i / args.slices;
    const uint p = args.begin + i % args.slices;
    const uint to = outer * args.pitch + p;
    if (SPLIT) {
        // Lanes of inputs before these were written by an earlier dispatch and are kept; lanes of
        // inputs behind them are written by a later one.
        SLICE v = 4u * p < args.first ? SLICE(dst[to]) : SLICE(0);
        for (uint lane = 0u; lane < 4u; lane++) {
            const uint c = 4u * p + lane;
            if (c >= args.first && c < args.end[2])
                v = with_element(v, lane, channel(outer, c));
        }
        dst[to] = STORED(v);
    } else if (p < args.end[0]) {
        dst[to] = src_a[outer * args.pitch_of[0] + p - args.first];
    } else if (p < args.end[1]) {
        dst[to] = src_b[outer * args.pitch_of[1] + p - args.end[0]];
    } else {
        dst[to] = src_c[outer * args.pitch_of[2] + p - args.end[1]];
    }
}
