// RESIZE_BILINEAR of 8-bit and i16 tensors.  src [N,H,W,C], dst [N,OH,OW,C].  The host packed, for
// each row of dst and then for each column, the two pixels that it lies between and the weight of
// the second: for i8 and i16 in units of 1/1024, for u8 the bits of an f32.  An invocation computes
// one pixel of one slice.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/move/resize_int8.args.h"

WRITES(0, dst);
READS(1, src);
READS_WORDS(2, places);

layout(constant_id = RESIZE_INT8_SPEC_SIGNED) const bool SIGNED = false;

uvec3 place(uint i) { return uvec3(places[3u * i], places[3u * i + 1u], places[3u * i + 2u]); }

ivec4 pixel(uint image, uint y, uint x, uint s)
{
    return unpacked(src[((image * args.in_h + y) * args.in_w + x) * args.slices + s], SIGNED);
}

#if ELEMENT == SHORT
// a (1024 - h) + b h in units of 2^-20, ties away from zero, where a and b have 26 bits: their
// upper 16 and lower 10 are multiplied for themselves.
int blended(int a, int b, int h)
{
    const int upper = (a >> 10) * (1024 - h) + (b >> 10) * h;
    const int lower = (a & 1023) * (1024 - h) + (b & 1023) * h;
    if (upper + (lower >> 10) >= 0)
        return (upper + (lower + (1 << 19) >> 10)) >> 10;
    // -((1024 (-upper) - lower + 2^19) >> 20)
    return -((-upper + (-lower + (1 << 19) >> 10)) >> 10);
}
ivec4 blended(ivec4 a, ivec4 b, int h)
{
    return ivec4(blended(a.x, b.x, h), blended(a.y, b.y, h), blended(a.z, b.z, h),
                 blended(a.w, b.w, h));
}
#else
ivec4 blended(ivec4 a, ivec4 b, int h)
{
    const ivec4 sum = a * (1024 - h) + b * h;
    return ((abs(sum) + (1 << 19)) >> 20) * sign(sum);
}
#endif

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    const uint p = i / args.slices;
    const uint row = p / args.out_w;
    const uint image = row / args.out_h;
    const uvec3 y = place(row % args.out_h);
    const uvec3 x = place(args.out_h + p % args.out_w);
    const ivec4 ll = pixel(image, y.x, x.x, s), lh = pixel(image, y.x, x.y, s);
    const ivec4 hl = pixel(image, y.y, x.x, s), hh = pixel(image, y.y, x.y, s);

    if (SIGNED) {
        const int v = int(y.z), h = int(x.z);
        dst[i] = packed_slice(blended(ll * (1024 - v) + hl * v, lh * (1024 - v) + hh * v, h));
    } else {
        // Each operation rounds once, as on the CPU: none may be contracted.
        const float v = uintBitsToFloat(y.z), h = uintBitsToFloat(x.z);
        precise const float v0 = 1.0 - v;
        precise const float h0 = 1.0 - h;
        precise const vec4 a = vec4(ll) * v0 * h0;
        precise const vec4 b = vec4(hl) * v * h0;
        precise const vec4 c = vec4(lh) * v0 * h;
        precise const vec4 d = vec4(hh) * v * h;
        precise const vec4 sum = a + b + c + d;
        precise const vec4 up = sum + 0.5;
        dst[i] = packed_slice(clamp(ivec4(floor(up)), ivec4(0), ivec4(255)));
    }
}
