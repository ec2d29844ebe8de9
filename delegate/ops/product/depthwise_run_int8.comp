// DEPTHWISE_CONV_2D of 8-bit tensors with one output for each input channel, and no dilation along
// rows.  An invocation computes a pixel of one slice, and loads a run of columns for each row of
// the window.  Zero points are as in depthwise_conv_2d_int8.comp.
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/depthwise_run_int8.args.h"
#include "delegate/ops/divisor.glsl"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/lanes.glsl"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);

layout(constant_id = DEPTHWISE_RUN_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = DEPTHWISE_RUN_INT8_SPEC_SUM_X) const bool SUM_X = false;
layout(constant_id = DEPTHWISE_RUN_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE = REQUANTIZE_FIXED;

ivec4 sum = ivec4(0), sum_x = ivec4(0);

// Row ky of the window: the columns of src from `left` on, in row y.
void add_row(uint ky, int y, int left, uint image, uint slice)
{
    const bool inside_y = y >= 0 && y < int(args.window.in_h);
    // Taps in the padding load from the edge, and the value is dropped: loads that are not behind a
    // branch are in flight together.
    const uint row = image * args.window.in_h + uint(clamp(y, 0, int(args.window.in_h) - 1));
    uint v[KERNEL_W];
    [[unroll]] for (uint c = 0u; c < KERNEL_W; c++)
    {
        const int x = left + int(c);
        const bool inside = inside_y && x >= 0 && x < int(args.window.in_w);
        const uint column = uint(clamp(x, 0, int(args.window.in_w) - 1));
        const uint word =
            src[(row * args.window.in_w + column) * args.window.in_slices + slice] ^ SIGN_FLIP;
        v[c] = inside ? word : args.padding;
    }
    [[unroll]] for (uint kx = 0u; kx < KERNEL_W; kx++)
    {
        const uint w = weights[(ky * KERNEL_W + kx) * args.window.out_slices + slice];
        sum += lane_products(v[kx], w);
        if (SUM_X)
            sum_x += lane_products(v[kx], ONES);
    }
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint pixel = quotient(i, args.slices), slice = i - pixel * args.window.out_slices;
    const uint row = quotient(pixel, args.columns), column = pixel - row * args.window.out_w;
    const uint image = quotient(row, args.rows);
    const int top = int((row - image * args.window.out_h) * STRIDE_H) - args.window.pad_h;
    const int left = int(column * STRIDE_W) - args.window.pad_w;
    const Channel channel = channel_of(slice, REQUANTIZE);
    [[unroll]] for (uint ky = 0u; ky < KERNEL_H; ky++)
        add_row(ky, top + int(ky * DILATION_H), left, image, slice);
    if (SUM_X)
        sum -= args.weight_zero * sum_x;
    dst[i] = requantize_with(channel, sum, REQUANTIZE, args.output_range);
}
