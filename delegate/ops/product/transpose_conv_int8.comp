// TRANSPOSE_CONV of 8-bit tensors: transpose_conv.glsl with signed bytes.  Weights [KH,KW,I,O]: a
// word has 4 channels I of an output, a uvec4 the 4 outputs of a slice.  The padding of I and O is
// 0.
//
// Which taps an output has differs from pixel to pixel, and so does what the zero points zx of x
// and zw of w do to a sum,
//     sum (w - zw) (x - zx) = sum w x - zx sum w - zw sum (x - zx);
// where a tap lies outside of the image for some pixels of a tile only, these read zx.
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/transpose_conv_int8.args.h"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/transpose_conv.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };

layout(constant_id = TRANSPOSE_CONV_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = TRANSPOSE_CONV_INT8_SPEC_SUM_X) const bool SUM_X = false;
layout(constant_id = TRANSPOSE_CONV_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE = REQUANTIZE_FIXED;

ivec4 sum[TILE];
int sum_x[TILE];
ivec4 sum_w;
int taps;

void add_tap(uint base, uint x, uint tap, uint out_slice)
{
    const uint in_slices = args.window.in_slices;
    const uint padding = (uint(args.x_zero) & 0xffu) * ONES;
    taps++;
    for (uint s = 0u; s < in_slices; s++) {
        const uvec4 weight = weights[(tap * in_slices + s) * args.window.out_slices + out_slice];
        sum_w += dots(weight, ONES);
        for (uint t = 0u; t < TILE; t++) {
            uint v = padding;
            if (x + t < args.window.in_w)
                v = src[base + t * in_slices + s] ^ SIGN_FLIP;
            sum[t] += dots(weight, v);
            if (SUM_X)
                sum_x[t] += dot4(ones(s, args.in_channels), v);
        }
    }
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const Tile tile = tile_of(i);
    for (uint t = 0u; t < TILE; t++) {
        sum[t] = ivec4(0);
        sum_x[t] = 0;
    }
    sum_w = ivec4(0);
    taps = 0;
    add_taps(tile);
    const int zeros = args.x_zero * taps * int(args.in_channels);
    for (uint t = 0u; t < TILE; t++) {
        const uint x = tile.first + t * STRIDE_W;
        ivec4 v = sum[t] - args.x_zero * sum_w;
        if (SUM_X)
            v -= args.weight_zero * (sum_x[t] - zeros);
        if (x < args.window.out_w)
            dst[(tile.row * args.window.out_w + x) * args.window.out_slices + tile.out_slice] =
                requantize(v, tile.out_slice, REQUANTIZE, args.output_range);
    }
}
