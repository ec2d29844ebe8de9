// MaxUnpooling2D: each value at its index ky + kx * filter height in its window, 0 elsewhere.  An
// invocation computes one slice of dst.  No place has an index outside of the window.
// Variants: short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/pool_tiles.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer ReadsIndices { uvec4 indices[]; };

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint pixel = i / args.slices, s = i % args.slices, row = pixel / args.out_w;
    const uint y = row % args.out_h, x = pixel % args.out_w;
    const uint from_row = row / args.out_h * args.in_h + y / args.filter_h;
    const uint from = (from_row * args.in_w + x / args.filter_w) * args.slices + s;
    const uint k = x % args.filter_w * args.filter_h + y % args.filter_h;
    const SLICE values = SLICE(src[from]);
    const uvec4 at = indices[from];
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < 4u; lane++)
        if (at[lane] == k)
            v = with_element(v, lane, element_at(values, lane));
    dst[i] = STORED(v);
}
