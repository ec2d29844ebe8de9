// AVERAGE_POOL_2D, MAX_POOL_2D of 8-bit tensors.  src [N,H,W,C], dst [N,OH,OW,C].  The window is clipped
// to the image; the average of the integers is over the pixels inside it, ties away from zero, whatever
// the zero point is.  An invocation computes one pixel of one slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/pool.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

layout(constant_id = POOL_SPEC_STRIDE_H) const uint STRIDE_H = 1u;
layout(constant_id = POOL_SPEC_STRIDE_W) const uint STRIDE_W = 1u;
layout(constant_id = POOL_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = POOL_SPEC_MAXIMUM) const bool MAXIMUM = false;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint pixel = i / args.slices;
    const uint row = pixel / args.out_w;
    const int top = int((row % args.out_h) * STRIDE_H) - args.pad_h;
    const int left = int((pixel % args.out_w) * STRIDE_W) - args.pad_w;
    const uint image = row / args.out_h * args.in_h;
    const uint y0 = uint(max(top, 0)), y1 = uint(min(top + int(args.filter_h), int(args.in_h)));
    const uint x0 = uint(max(left, 0)), x1 = uint(min(left + int(args.filter_w), int(args.in_w)));

    ivec4 v = ivec4(MAXIMUM ? -128 : 0);
    for (uint y = y0; y < y1; y++)
        for (uint x = x0; x < x1; x++) {
            const ivec4 p =
                unpacked(src[((image + y) * args.in_w + x) * args.slices + s], SIGNED);
            v = MAXIMUM ? max(v, p) : v + p;
        }
    if (!MAXIMUM) {
        const uint n = (y1 - y0) * (x1 - x0);
        v = ivec4((uvec4(abs(v)) + n / 2u) / n) * sign(v);
    }
    dst[i] = packed_bytes(clamp(v, ivec4(args.low), ivec4(args.high)));
}
