// DEPTHWISE_CONV_2D.  src [N,H,W,C], dst [N,OH,OW,C*M]; weights [KH,KW,C*M] and bias [C*M] as slices.
// Output channel o reads input channel o / M.  An invocation computes one pixel of one slice.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = 3) const uint KERNEL_H = 1u;
layout(constant_id = 4) const uint KERNEL_W = 1u;
layout(constant_id = 5) const uint STRIDE_H = 1u;
layout(constant_id = 6) const uint STRIDE_W = 1u;
layout(constant_id = 7) const uint DILATION_H = 1u;
layout(constant_id = 8) const uint DILATION_W = 1u;
layout(constant_id = 9) const uint ACTIVATION = 0u;
layout(constant_id = 10) const uint MULTIPLIER = 1u;
layout(constant_id = 11) const bool ROUNDED = false; // to the steps of an 8-bit tensor

layout(push_constant) uniform Args {
    uint count; // pixels * out_slices
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_slices;
    int pad_h, pad_w; // before
    float scale, low, high; // ROUNDED
} args;

vec4 load(uint base, uint out_slice)
{
    if (MULTIPLIER == 1u)
        return vec4(src[base + out_slice]);
    // Padded outputs read the last channel: their lanes are not trusted, but must not read outside.
    const uvec4 c = min((uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u)) / MULTIPLIER,
                        uvec4(args.in_channels - 1u));
    return vec4(vec4(src[base + c.x / 4u])[c.x % 4u], vec4(src[base + c.y / 4u])[c.y % 4u],
                vec4(src[base + c.z / 4u])[c.z % 4u], vec4(src[base + c.w / 4u])[c.w % 4u]);
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

    vec4 sum = bias[out_slice];
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
            const vec4 product = load(base, out_slice) *
                                 vec4(weights[(ky * KERNEL_W + kx) * args.out_slices + out_slice]);
            sum += inside ? product : vec4(0.0);
        }
    }
    const vec4 v = activate(sum, ACTIVATION);
    dst[i] = STORED(ROUNDED ? on_steps(v, args.scale, args.low, args.high) : v);
}
