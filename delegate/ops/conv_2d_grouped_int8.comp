// CONV_2D in groups, of bytes.  src [N,H,W,C], dst [N,OH,OW,O]; weights [KH,KW,I,O] less their zero
// point as ivec4 of 4 outputs, with the I channels of a group.  An invocation computes TILE pixels of
// one output slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/requantize.glsl"

INT_WRITES(0, dst);
INT_READS(1, src);
layout(set = 0, binding = 2) readonly buffer Weights { ivec4 weights[]; };

layout(constant_id = 3) const uint KERNEL_H = 1u;
layout(constant_id = 4) const uint KERNEL_W = 1u;
layout(constant_id = 5) const uint STRIDE_H = 1u;
layout(constant_id = 6) const uint STRIDE_W = 1u;
layout(constant_id = 7) const uint DILATION_H = 1u;
layout(constant_id = 8) const uint DILATION_W = 1u;
layout(constant_id = 9) const uint FLIP = 0u;

layout(push_constant) uniform Args {
    uint count;               // invocations: tiles of pixels * out_slices
    uint pixels;              // N * OH * OW
    uint in_h, in_w, in_slices;
    uint out_h, out_w, out_channels, out_slices;
    int pad_h, pad_w;         // before
    uint group_in, group_out; // channels of a group
    int x_zero;
    int zero, low, high;
} args;

const uint TILE = 4u;

// Channel c of the pixel whose slices begin at base.
int channel(uint base, uint c)
{
    return bitfieldExtract(int(src[base + c / 4u] ^ FLIP), int(8u * (c % 4u)), 8);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.out_slices;
    const uint first = (i / args.out_slices) * TILE;

    uint image[TILE];
    int top[TILE], left[TILE];
    ivec4 sum[TILE];
    for (uint t = 0u; t < TILE; t++) {
        const uint p = min(first + t, args.pixels - 1u);
        const uint row = p / args.out_w;
        image[t] = row / args.out_h;
        top[t] = int((row % args.out_h) * STRIDE_H) - args.pad_h;
        left[t] = int((p % args.out_w) * STRIDE_W) - args.pad_w;
        sum[t] = ivec4(0);
    }
    // First input channel of the group of each of the 4 outputs.
    const uvec4 o = min(uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u),
                        uvec4(args.out_channels - 1u));
    const uvec4 group_first = o / args.group_out * args.group_in;

    uint w = out_slice;
    for (uint ky = 0u; ky < KERNEL_H; ky++)
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            uint base[TILE];
            bool inside[TILE];
            for (uint t = 0u; t < TILE; t++) {
                const int y = top[t] + int(ky * DILATION_H);
                const int x = left[t] + int(kx * DILATION_W);
                inside[t] = y >= 0 && y < int(args.in_h) && x >= 0 && x < int(args.in_w);
                base[t] = inside[t] ? ((image[t] * args.in_h + uint(y)) * args.in_w + uint(x)) *
                                          args.in_slices
                                    : 0u;
            }
            for (uint c = 0u; c < args.group_in; c++, w += args.out_slices) {
                const ivec4 weight = weights[w];
                for (uint t = 0u; t < TILE; t++) {
                    const ivec4 x = ivec4(channel(base[t], group_first.x + c),
                                          channel(base[t], group_first.y + c),
                                          channel(base[t], group_first.z + c),
                                          channel(base[t], group_first.w + c));
                    sum[t] += (inside[t] ? x - args.x_zero : ivec4(0)) * weight;
                }
            }
        }
    for (uint t = 0u; t < TILE; t++)
        if (first + t < args.pixels)
            dst[(first + t) * args.out_slices + out_slice] =
                requantize(sum[t], out_slice, false, args.zero, args.low, args.high);
}
