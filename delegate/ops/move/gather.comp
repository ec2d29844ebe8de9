// GATHER and GATHER_ND.  An invocation computes one slice of dst.  The CPU reports an index outside
// of src; here it is clamped, so that nothing else is read.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/gather.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src);
READS_WORDS(2, indices);

layout(constant_id = GATHER_SPEC_WHOLE) const bool WHOLE = false;
layout(constant_id = GATHER_SPEC_DEPTH) const uint DEPTH = 1u;

bool inside = true;

// The element of src for element e of dst; not `inside`, it is in another run of the source.
uint source(uint e)
{
    const uint i = e % args.inner;
    e /= args.inner;
    const uint j = e % args.count;
    e /= args.count;
    uint at = 0u, tuple = (e / args.outer * args.count + j) * DEPTH;
    for (uint k = 0u; k < DEPTH; k++, tuple++) {
        const uint row = tuple / args.index_channels;
        const int index = int(indices[row * args.index_pitch + tuple - row * args.index_channels]);
        at += uint(clamp(index, 0, int(args.size[k]) - 1)) * args.stride[k];
    }
    at -= args.first;
    inside = at < args.extent;
    return (e * args.extent + at) * args.inner + i;
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
        if (inside)
            dst[i] = src[from / args.in_channels * args.in_slices + s];
        return;
    }
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < 4u && 4u * s + lane < args.out_channels; lane++) {
        const uint from = source(first + lane), row = from / args.in_channels;
        const uint c = from - row * args.in_channels;
        v = with_element(v, lane, element_at(SLICE(src[row * args.in_slices + c / 4u]), c % 4u));
    }
    dst[i] = STORED(v);
}
