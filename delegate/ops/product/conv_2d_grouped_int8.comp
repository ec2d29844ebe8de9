// CONV_2D in groups, of 8-bit tensors: conv_2d_grouped.glsl with integers, less their zero points
// (the host has subtracted that of the weights).
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/conv_2d_grouped_int8.args.h"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Weights { ivec4 weights[]; };

layout(constant_id = CONV_2D_GROUPED_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = CONV_2D_GROUPED_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE = REQUANTIZE_FIXED;

#define SUM ivec4
#include "delegate/ops/product/conv_2d_grouped.glsl"

int channel(uint base, uint c)
{
    return bitfieldExtract(int(src[base + c / 4u] ^ SIGN_FLIP), int(8u * (c % 4u)), 8) -
           args.x_zero;
}

ivec4 channels_at(uint base, uvec4 c)
{
    return ivec4(channel(base, c.x), channel(base, c.y), channel(base, c.z), channel(base, c.w));
}

ivec4 weight_at(uint at) { return weights[at]; }

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.window.out_slices;
    const uint first = (i / args.window.out_slices) * TILE;

    for (uint t = 0u; t < TILE; t++)
        sum[t] = ivec4(0);
    add_taps(first, out_slice);
    for (uint t = 0u; t < TILE; t++)
        if (first + t < args.pixels)
            dst[(first + t) * args.window.out_slices + out_slice] =
                requantize(sum[t], out_slice, REQUANTIZE, args.output_range);
}
