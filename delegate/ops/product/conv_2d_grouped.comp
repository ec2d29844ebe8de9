// CONV_2D in groups: conv_2d_grouped.glsl with floats, and a bias [O].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/conv_2d_grouped.args.h"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = CONV_2D_GROUPED_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = CONV_2D_GROUPED_SPEC_ROUNDED) const bool ROUNDED = false;

#define SUM vec4
#include "delegate/ops/product/conv_2d_grouped.glsl"

float channel(uint base, uint c) { return vec4(src[base + c / 4u])[c % 4u]; }

vec4 channels_at(uint base, uvec4 c)
{
    return vec4(channel(base, c.x), channel(base, c.y), channel(base, c.z), channel(base, c.w));
}

vec4 weight_at(uint at) { return vec4(weights[at]); }

vec4 result(vec4 sum)
{
    const vec4 v = activate(sum, ACTIVATION);
    return ROUNDED ? on_steps(v, args.steps.scale, args.steps.low, args.steps.high) : v;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.window.out_slices;
    const uint first = (i / args.window.out_slices) * TILE;

    for (uint t = 0u; t < TILE; t++)
        sum[t] = bias[out_slice];
    add_taps(first, out_slice);
    for (uint t = 0u; t < TILE; t++)
        if (first + t < args.pixels)
            dst[(first + t) * args.window.out_slices + out_slice] = STORE(result(sum[t]));
}
