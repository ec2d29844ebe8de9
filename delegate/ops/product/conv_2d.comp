// CONV_2D with one group.  src [N,H,W,C], dst [N,OH,OW,O]; weights [KH,KW,I,O] as vec4 of 4
// outputs, I padded to a multiple of 4; bias [O].  What an invocation computes: conv_tile.glsl.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/conv_2d.args.h"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = CONV_2D_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = CONV_2D_SPEC_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = CONV_2D_SPEC_ROUNDED) const bool ROUNDED = false;
layout(constant_id = CONV_2D_SPEC_COLUMNS) const uint COLUMNS = 1u;

#define SUM vec4
#include "delegate/ops/product/conv_tile.glsl"
#include "delegate/ops/product/matmul.glsl"

// Column c of the tile whose first output slice is `first`, or the last slice of dst behind it.
uint column(uint first, uint c)
{
    return COLUMNS > 1u ? min(first + c * gl_WorkGroupSize.x, args.window.out_slices - 1u) : first;
}

// Adds the products of slice s of the pixels at base[], whose weights for all outputs begin at
// `at`.  Only the last slice may have lanes without a channel.
void add_slice(uint s, uint at, uint out_slice, bool last)
{
    vec4 v[ROWS];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = vec4(src[base[r] + s]);
    for (uint r = 0u; r < ROWS; r++) {
        if (last)
            v[r] = masked(v[r], s, args.in_channels);
        v[r] = DENSE || inside[r] ? v[r] : vec4(0.0);
    }
    for (uint c = 0u; c < COLUMNS; c++) {
        const Weights w = weights_at(at + column(out_slice, c), args.window.out_slices);
        for (uint r = 0u; r < ROWS; r++)
            sum[r * COLUMNS + c] = add_products(sum[r * COLUMNS + c], v[r], w);
    }
}

void add_slices(uint tap, uint out_slice)
{
    const uint whole = args.in_channels / 4u, step = 4u * args.window.out_slices;
    const uint first = tap * args.window.in_slices * step;
    uint s = gl_LocalInvocationID.z;
    // Two slices at once, so that their loads are in flight together.
    for (; s + SHARES < whole; s += 2u * SHARES) {
        add_slice(s, first + s * step, out_slice, false);
        add_slice(s + SHARES, first + (s + SHARES) * step, out_slice, false);
    }
    if (s < whole) {
        add_slice(s, first + s * step, out_slice, false);
        s += SHARES;
    }
    if (s < args.window.in_slices)
        add_slice(s, first + s * step, out_slice, true);
}

// Finishes sum v of pixel r of the tile's first column, where it is one of dst.
void finish(Tile tile, uint r, vec4 v)
{
    if (!is_in_dst(tile, r))
        return;
    const uint at = (tile.first + r) * args.window.out_slices + tile.out_slice;
    v += bias[tile.out_slice];
    if (RESIDUAL) {
        if (group() >= args.count)
            return; // a surplus workgroup: its block adds the residual once, not twice
        v = added(v, vec4(residual[at]));
    }
    v = activate(v, ACTIVATION);
    if (ROUNDED)
        v = on_steps(v, args.steps.scale, args.steps.low, args.steps.high);
    dst[at] = STORE(v);
}

void main()
{
    Tile tile = tile_of_invocation();
    for (uint i = 0u; i < ROWS * COLUMNS; i++)
        sum[i] = vec4(0.0);
    add_taps(tile);
    publish_sums();
    if (COLUMNS == 1u) {
        for (uint r = gl_LocalInvocationID.z; r < ROWS; r += SHARES)
            finish(tile, r, total(r));
        return;
    }
    for (uint c = 0u; c < COLUMNS; c++) {
        for (uint r = 0u; r < ROWS; r++)
            finish(tile, r, sum[r * COLUMNS + c]);
        tile.out_slice += gl_WorkGroupSize.x;
    }
}
