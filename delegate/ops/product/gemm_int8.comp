// CONV_2D with one group of 8-bit tensors as a tiled matrix product: pixels of dst by words of
// inputs (taps and slices of 4 channels) by outputs.  Tensors, weights and the terms of the zero
// points are as in conv_2d_int8.comp.
//
// A workgroup computes a tile of pixels by output slices.  CHUNK quads of the inputs, a quad being
// 4 words, are staged in shared memory at a time, while the next ones are on their way to
// registers. Of a workgroup x goes over output slices, y over pixels (an invocation has ROWS of
// them, y apart), and z over shares of a sum: share z adds up quads z, z + SHARES, ... of each
// chunk.  Sums are integers modulo 2^32, so their order does not matter.
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/gemm_int8.args.h"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };

layout(constant_id = GEMM_INT8_SPEC_ROWS) const uint ROWS = 1u;
layout(constant_id = GEMM_INT8_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = GEMM_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE = REQUANTIZE_FIXED;
layout(constant_id = GEMM_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = GEMM_INT8_SPEC_SUM_X) const bool SUM_X = false;

const uint COLUMNS = gl_WorkGroupSize.x; // output slices of the tile
const uint SHARES = gl_WorkGroupSize.z;
const uint TILE_ROWS = gl_WorkGroupSize.y * ROWS;
const uint INVOCATIONS = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;

// Shared memory: first the quads of the tile's pixels, in rows of PITCH, whose odd quad keeps rows
// in different banks; behind them the weights, in rows of COLUMNS.  At the end the sums of all
// shares take their place.
const uint PITCH = CHUNK + 1u;
const uint WEIGHTS = TILE_ROWS * PITCH;
const uint STAGED = WEIGHTS + 4u * CHUNK * COLUMNS;
const uint SUMS = SHARES * TILE_ROWS * COLUMNS;
shared uvec4 staged[SHARES > 1u && SUMS > STAGED ? SUMS : STAGED];

// What an invocation stages of a chunk.
const uint MINE = (TILE_ROWS * CHUNK + INVOCATIONS - 1u) / INVOCATIONS;
const uint MINE_WEIGHTS = (4u * CHUNK * COLUMNS + INVOCATIONS - 1u) / INVOCATIONS;
uvec4 next[MINE], next_weights[MINE_WEIGHTS];
Window window[MINE];

ivec4 sum[ROWS];
int sum_x[ROWS];

uint words() { return KERNEL_H * KERNEL_W * args.window.in_slices; }

// The quad of a chunk that is the i-th of this invocation, where i goes by INVOCATIONS.
uint quad_of(uint i)
{
    return (INVOCATIONS % CHUNK == 0u ? gl_LocalInvocationIndex
                                      : gl_LocalInvocationIndex + i * INVOCATIONS) %
           CHUNK;
}

// Padded lanes of slice s are made 0 where they would be counted with the zero point of the
// weights.
uint counted(uint word, uint s) { return SUM_X ? word & ones(s, args.in_channels) * 0xffu : word; }

// Four words of pixel i of this invocation, from the one of number `word`; 0 past the last.
uvec4 loaded(uint i, uint word)
{
    uvec4 v = uvec4(0u);
    [[unroll]] for (uint j = 0u; j < 4u; j++) if (word + j < words())
    {
        const uint tap = (word + j) / args.window.in_slices;
        const uint s = word + j - tap * args.window.in_slices;
        uint first = 0u;
        const bool inside = tap_inside(window[i], tap / KERNEL_W, tap % KERNEL_W, first);
        const uint x = src[first + s] ^ SIGN_FLIP;
        v[j] = counted(inside ? x : args.padding, s);
    }
    return v;
}

// Loads what this invocation stages of the chunk that begins at `word`.  Weights past the last word
// are those of the last: they are multiplied by 0.
void load_chunk(uint word, uint out_slice)
{
    [[unroll]] for (uint i = 0u; i < MINE; i++) next[i] = loaded(i, word + 4u * quad_of(i));
    [[unroll]] for (uint i = 0u; i < MINE_WEIGHTS; i++)
    {
        const uint w = word + (gl_LocalInvocationIndex + i * INVOCATIONS) / COLUMNS;
        next_weights[i] = weights[min(w, words() - 1u) * args.window.out_slices + out_slice];
    }
}

void stage_chunk()
{
    [[unroll]] for (uint i = 0u; i < MINE; i++)
    {
        const uint e = gl_LocalInvocationIndex + i * INVOCATIONS;
        if (e < TILE_ROWS * CHUNK)
            staged[e / CHUNK * PITCH + quad_of(i)] = next[i];
    }
    [[unroll]] for (uint i = 0u; i < MINE_WEIGHTS; i++)
    {
        const uint e = gl_LocalInvocationIndex + i * INVOCATIONS;
        if (e < 4u * CHUNK * COLUMNS)
            staged[WEIGHTS + e] = next_weights[i];
    }
}

void add_quad(uint q)
{
    uvec4 x[ROWS];
    [[unroll]] for (uint r = 0u; r < ROWS; r++) x[r] =
        staged[(gl_LocalInvocationID.y + r * gl_WorkGroupSize.y) * PITCH + q];
    [[unroll]] for (uint j = 0u; j < 4u; j++)
    {
        const uvec4 w = staged[WEIGHTS + (4u * q + j) * COLUMNS + gl_LocalInvocationID.x];
        [[unroll]] for (uint r = 0u; r < ROWS; r++)
        {
            sum[r] += dots(w, x[r][j]);
            if (SUM_X)
                sum_x[r] += dot4(ONES, x[r][j]);
        }
    }
}

// Adds the products of the first `count` quads of the chunk that is staged.
void add_chunk(uint count)
{
    for (uint q = gl_LocalInvocationID.z; q < count; q += SHARES)
        add_quad(q);
}

void store(uint pixel, uint out_slice, Channel channel, ivec4 v)
{
    if (out_slice < args.window.out_slices && pixel < args.pixels)
        dst[pixel * args.window.out_slices + out_slice] =
            requantize_with(channel, v, REQUANTIZE, args.output_range);
}

void main()
{
    const uint blocks = (args.window.out_slices + COLUMNS - 1u) / COLUMNS;
    // Surplus workgroups recompute the last block: there is no early exit before barrier().
    const uint block = min(group(), args.count - 1u);
    const uint first = block / blocks * TILE_ROWS;
    // The same slice in all that this invocation does: INVOCATIONS is a multiple of COLUMNS.
    const uint out_slice = block % blocks * COLUMNS + gl_LocalInvocationID.x;
    const uint slice = min(out_slice, args.window.out_slices - 1u);
    const uint quad_count = (words() + 3u) / 4u;

    // Pixels past the last are read as the last, and not written.
    [[unroll]] for (uint i = 0u; i < MINE; i++)
    {
        const uint pixel =
            min(first + (gl_LocalInvocationIndex + i * INVOCATIONS) / CHUNK, args.pixels - 1u);
        window[i] = window_of(pixel);
    }
    load_chunk(0u, slice);
    const Channel channel = channel_of(slice, REQUANTIZE);
    [[unroll]] for (uint r = 0u; r < ROWS; r++)
    {
        sum[r] = ivec4(0);
        sum_x[r] = 0;
    }
    for (uint q = 0u; q < quad_count; q += CHUNK) {
        if (q > 0u)
            barrier(); // after the reads of the chunk before
        stage_chunk();
        barrier(); // before the reads of this one
        if (q + CHUNK < quad_count)
            load_chunk(4u * (q + CHUNK), slice);
        add_chunk(min(CHUNK, quad_count - q));
    }
    if (SUM_X) {
        [[unroll]] for (uint r = 0u; r < ROWS; r++) sum[r] -= args.weight_zero * sum_x[r];
    }
    if (SHARES == 1u) {
        for (uint r = 0u; r < ROWS; r++)
            store(first + gl_LocalInvocationID.y + r * gl_WorkGroupSize.y, out_slice, channel,
                  sum[r]);
        return;
    }
    barrier(); // after the reads of the last chunk
    [[unroll]] for (uint r = 0u; r < ROWS; r++)
    {
        const uint row =
            gl_LocalInvocationID.z * TILE_ROWS + gl_LocalInvocationID.y + r * gl_WorkGroupSize.y;
        staged[row * COLUMNS + gl_LocalInvocationID.x] = uvec4(sum[r]);
    }
    barrier(); // before the sums of others are read
    for (uint e = gl_LocalInvocationIndex; e < TILE_ROWS * COLUMNS; e += INVOCATIONS) {
        uvec4 total = staged[e];
        for (uint z = 1u; z < SHARES; z++)
            total += staged[z * TILE_ROWS * COLUMNS + e];
        store(first + e / COLUMNS, out_slice, channel, ivec4(total));
    }
}
