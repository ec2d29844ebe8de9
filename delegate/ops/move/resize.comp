// RESIZE_BILINEAR.  src [N,H,W,C], dst [N,OH,OW,C].  Coordinates are computed as the CPU does, in
// f32 and in this order: a pixel that falls on the other side of a whole number has other
// neighbours. An invocation computes one pixel of one slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/move/resize.args.h"

WRITES(0, dst);
READS(1, src);

// The input pixels that output pixel o lies between, and the weight of the second.
struct Span {
    uint low, high;
    float weight;
};

Span span(uint o, float scale, uint size)
{
    // `precise` forbids contraction: an fma here would round once where the CPU rounds twice.
    precise const float scaled = (float(o) + args.offset) * scale;
    precise const float at = scaled - args.offset;
    const float low = clamp(floor(at), 0.0, float(size - 1u));
    const float high = min(ceil(at), float(size - 1u));
    return Span(uint(low), uint(max(high, low)), at - low);
}

vec4 pixel(uint image, uint y, uint x, uint s)
{
    return vec4(src[((image * args.in_h + y) * args.in_w + x) * args.slices + s]);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint p = i / args.slices;
    const uint row = p / args.out_w;
    const uint image = row / args.out_h;
    const Span y = span(row % args.out_h, args.scale_h, args.in_h);
    const Span x = span(p % args.out_w, args.scale_w, args.in_w);

    dst[i] = STORE(pixel(image, y.low, x.low, s) * (1.0 - y.weight) * (1.0 - x.weight) +
                   pixel(image, y.high, x.low, s) * y.weight * (1.0 - x.weight) +
                   pixel(image, y.low, x.high, s) * (1.0 - y.weight) * x.weight +
                   pixel(image, y.high, x.high, s) * y.weight * x.weight);
}
