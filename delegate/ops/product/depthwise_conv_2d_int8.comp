// DEPTHWISE_CONV_2D of 8-bit tensors: depthwise_conv_2d.glsl with signed bytes.  There are no sums
// over channels, so a dot product takes one channel of a slice.  What the zero points of x and of
// the weights do to a sum is as in conv_2d_int8.comp: taps in the padding read the zero point of x.
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/depthwise_conv_2d_int8.args.h"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/lanes.glsl"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/depthwise_conv_2d.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);

layout(constant_id = DEPTHWISE_CONV_2D_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = DEPTHWISE_CONV_2D_INT8_SPEC_SUM_X) const bool SUM_X = false;
layout(constant_id = DEPTHWISE_CONV_2D_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE =
    REQUANTIZE_FIXED;

ivec4 sum, sum_x;

uint load(uint base, uint out_slice)
{
    if (MULTIPLIER == 1u)
        return src[base + out_slice];
    const uvec4 c = channels_of(out_slice);
    return packed_bytes(
        ivec4(byte_at(src[base + c.x / 4u], c.x % 4u), byte_at(src[base + c.y / 4u], c.y % 4u),
              byte_at(src[base + c.z / 4u], c.z % 4u), byte_at(src[base + c.w / 4u], c.w % 4u)));
}

void add_tap(uint base, bool inside, uint out_slice, uint weight)
{
    const uint word = load(base, out_slice) ^ SIGN_FLIP;
    const uint v = inside ? word : args.padding;
    sum += lane_products(v, weights[weight]);
    if (SUM_X)
        sum_x += lane_products(v, ONES);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.window.out_slices;
    sum = ivec4(0);
    sum_x = ivec4(0);
    add_taps(i / args.window.out_slices, out_slice);
    if (SUM_X)
        sum -= args.weight_zero * sum_x;
    dst[i] = requantize(sum, out_slice, REQUANTIZE, args.output_range);
}
