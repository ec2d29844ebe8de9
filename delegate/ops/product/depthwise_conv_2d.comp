// DEPTHWISE_CONV_2D: depthwise_conv_2d.glsl with floats, and a bias [C*M].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/depthwise_conv_2d.args.h"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/depthwise_conv_2d.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = DEPTHWISE_CONV_2D_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = DEPTHWISE_CONV_2D_SPEC_ROUNDED) const bool ROUNDED = false;

vec4 sum;

vec4 load(uint base, uint out_slice)
{
    if (MULTIPLIER == 1u)
        return vec4(src[base + out_slice]);
    const uvec4 c = channels_of(out_slice);
    return vec4(vec4(src[base + c.x / 4u])[c.x % 4u], vec4(src[base + c.y / 4u])[c.y % 4u],
                vec4(src[base + c.z / 4u])[c.z % 4u], vec4(src[base + c.w / 4u])[c.w % 4u]);
}

void add_tap(uint base, bool inside, uint out_slice, uint weight)
{
    const vec4 product = load(base, out_slice) * vec4(weights[weight]);
    sum += inside ? product : vec4(0.0);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.window.out_slices;
    sum = bias[out_slice];
    add_taps(i / args.window.out_slices, out_slice);
    const vec4 v = activate(sum, ACTIVATION);
    dst[i] = STORE(ROUNDED ? on_steps(v, args.steps.scale, args.steps.low, args.steps.high) : v);
}
