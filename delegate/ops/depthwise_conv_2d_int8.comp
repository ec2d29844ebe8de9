// DEPTHWISE_CONV_2D of bytes.  src [N,H,W,C], dst [N,OH,OW,C*M]; weights [KH,KW,C*M].  Output channel o
// reads input channel o / M.  An invocation computes one pixel of one slice; there are no sums over
// channels, so a dot product takes one channel of a slice.  What the zero points zx of x and zw of w do
// to a sum is as in conv_2d_int8.comp: taps outside of the image are zx.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"

INT_WRITES(0, dst);
INT_READS(1, src);
INT_READS(2, weights);

layout(constant_id = 3) const uint KERNEL_H = 1u;
layout(constant_id = 4) const uint KERNEL_W = 1u;
layout(constant_id = 5) const uint STRIDE_H = 1u;
layout(constant_id = 6) const uint STRIDE_W = 1u;
layout(constant_id = 7) const uint DILATION_H = 1u;
layout(constant_id = 8) const uint DILATION_W = 1u;
layout(constant_id = 9) const uint FLIP = 0u;
layout(constant_id = 10) const uint MULTIPLIER = 1u;
layout(constant_id = 11) const bool SUM_X = false; // zw is not 0

layout(push_constant) uniform Args {
    uint count; // pixels * out_slices
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_slices;
    int pad_h, pad_w; // before
    uint outside;     // zx four times
    int weight_zero;
    int zero, low, high;
} args;

uint load(uint base, uint out_slice)
{
    if (MULTIPLIER == 1u)
        return src[base + out_slice];
    // Padded outputs read the last channel: their lanes are not trusted, but must not read outside.
    const uvec4 c = min((uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u)) / MULTIPLIER,
                        uvec4(args.in_channels - 1u));
    return packed_bytes(ivec4(byte_at(src[base + c.x / 4u], c.x % 4u),
                              byte_at(src[base + c.y / 4u], c.y % 4u),
                              byte_at(src[base + c.z / 4u], c.z % 4u),
                              byte_at(src[base + c.w / 4u], c.w % 4u)));
}

// Lane by lane.
ivec4 products(uint x, uint w)
{
#if DOT
    const uvec4 lane = w & uvec4(0xffu, 0xff00u, 0xff0000u, 0xff000000u);
    return ivec4(dot4(x, lane.x), dot4(x, lane.y), dot4(x, lane.z), dot4(x, lane.w));
#else
    return unpacked(x, true) * unpacked(w, true);
#endif
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.out_slices;
    const uint pixel = i / args.out_slices;
    const uint row = pixel / args.out_w;
    const int top = int((row % args.out_h) * STRIDE_H) - args.pad_h;
    const int left = int((pixel % args.out_w) * STRIDE_W) - args.pad_w;
    const uint image = row / args.out_h * args.in_h;

    ivec4 sum = ivec4(0), sum_x = ivec4(0);
    for (uint ky = 0u; ky < KERNEL_H; ky++) {
        const int y = top + int(ky * DILATION_H);
        const bool inside_y = y >= 0 && y < int(args.in_h);
        // What lies outside is read at the edge and dropped: loads that are not behind a branch
        // wait for memory together.
        const uint line = (image + uint(clamp(y, 0, int(args.in_h) - 1))) * args.in_w;
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            const int x = left + int(kx * DILATION_W);
            const bool inside = inside_y && x >= 0 && x < int(args.in_w);
            const uint base = (line + uint(clamp(x, 0, int(args.in_w) - 1))) * args.in_slices;
            const uint word = load(base, out_slice) ^ FLIP;
            const uint v = inside ? word : args.outside;
            sum += products(v, weights[(ky * KERNEL_W + kx) * args.out_slices + out_slice]);
            if (SUM_X)
                sum_x += products(v, ONES);
        }
    }
    if (SUM_X)
        sum -= args.weight_zero * sum_x;
    dst[i] = requantize(sum, out_slice, false, args.zero, args.low, args.high);
}
