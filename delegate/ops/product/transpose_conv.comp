// TRANSPOSE_CONV: transpose_conv.glsl with floats.  Weights [KH,KW,I,O] as vec4 of 4 outputs, I
// padded to a multiple of 4; bias [O].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/transpose_conv.args.h"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/transpose_conv.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

#include "delegate/ops/product/matmul.glsl"

layout(constant_id = TRANSPOSE_CONV_SPEC_ACTIVATION) const uint ACTIVATION = 0u;

vec4 sum[TILE];

void add_tap(uint base, uint x, uint tap, uint out_slice)
{
    const uint in_slices = args.window.in_slices, out_slices = args.window.out_slices;
    for (uint s = 0u; s < in_slices; s++) {
        const Weights w =
            weights_at((tap * in_slices + s) * 4u * out_slices + out_slice, out_slices);
        for (uint t = 0u; t < TILE; t++)
            if (x + t < args.window.in_w)
                sum[t] = add_products(
                    sum[t], masked(vec4(src[base + t * in_slices + s]), s, args.in_channels), w);
    }
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const Tile tile = tile_of(i);
    for (uint t = 0u; t < TILE; t++)
        sum[t] = bias[tile.out_slice];
    add_taps(tile);
    for (uint t = 0u; t < TILE; t++) {
        const uint x = tile.first + t * STRIDE_W;
        if (x < args.window.out_w)
            dst[(tile.row * args.window.out_w + x) * args.window.out_slices + tile.out_slice] =
                STORE(activate(sum[t], ACTIVATION));
    }
}
