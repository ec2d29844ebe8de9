// CONV_2D with one group, and FULLY_CONNECTED, of 8-bit tensors.  src [N,H,W,C], dst [N,OH,OW,O];
// weights [KH,KW,I,O]: a word has 4 channels I of an output, a uvec4 the 4 outputs of a slice.  The
// padding of I and O is 0.  What an invocation computes: conv_tile.glsl.
//
// With zero points zx of x and zw of w a sum is
//     sum (w - zw) (x - zx) = sum w x - zx sum w - zw sum x + taps C zx zw
// where the second and the last term depend on the output channel alone: they are in `channels`
// with the bias, since taps in the padding read zx.  Lanes of x without a channel have weights of
// 0.
//
// With CONV_2D_INT8_SPEC_TAIL the last workgroup computes the SOFTMAX of the rows (tail.glsl).
//
// Variants: int dot
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/ops/product/conv_2d_int8.args.h"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"
#include "delegate/ops/reduce/tail.glsl"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; }; // of slices
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };
layout(set = 0, binding = 2) readonly buffer Exponentials { int exponentials[]; };

layout(constant_id = CONV_2D_INT8_SPEC_REQUANTIZE) const uint REQUANTIZE = REQUANTIZE_FIXED;
layout(constant_id = CONV_2D_INT8_SPEC_SIGN_FLIP) const uint SIGN_FLIP = 0u;
layout(constant_id = CONV_2D_INT8_SPEC_SUM_X) const bool SUM_X = false;
layout(constant_id = CONV_2D_INT8_SPEC_QUADS) const bool QUADS = false;
layout(constant_id = CONV_2D_INT8_SPEC_TAIL) const uint TAIL = CONV_2D_INT8_NO_TAIL;

const uint COLUMNS = 1u;
#define SUM ivec4
#include "delegate/ops/product/conv_tile.glsl"

int sum_x[ROWS];

const bool HAS_TAIL = TAIL != CONV_2D_INT8_NO_TAIL;
const bool SIGNED = TAIL == CONV_2D_INT8_SIGNED_TAIL;
const bool LOG = false, WIDE = false, ALONE = false;
shared uint reduced[HAS_TAIL ? REDUCERS : 1u];
#define SLICE_OF_ROW(i) product_at(i)
#define EXPONENTIAL(i)  exponentials[first_product() + args.pixels * args.window.out_slices + (i)]
#include "delegate/ops/reduce/softmax_int8.glsl"

void write_rows()
{
    for (uint pixel = 0u; pixel < args.pixels; pixel++) {
        const uint slices = args.window.out_slices, to = pixel * slices;
        const Row row = Row(first_product() + to, slices, args.tail.channels);
        keep_product(row.base + min(gl_LocalInvocationIndex, slices - 1u));
        const int peak = peak_of(row);
        write_quotients(row, to, peak, sum_of(row, peak));
        barrier(); // every invocation has read the sum
    }
}

void add(uint r, uvec4 w, uint x, uint s)
{
    sum[r] += dots(w, x);
    if (SUM_X)
        sum_x[r] += dot4(ones(s, args.in_channels), x);
}

// Adds the products of slice s of the pixels at base[], whose weights are at `at`.
void add_slice(uint s, uint at)
{
    const uvec4 w = weights[at];
    uint v[ROWS];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = src[base[r] + s] ^ SIGN_FLIP;
    for (uint r = 0u; r < ROWS; r++)
        add(r, w, DENSE || inside[r] ? v[r] : args.padding, s);
}

// The same of slices s to s + 3.
void add_quad(uint s, uint at)
{
    uvec4 w[4], v[ROWS];
    for (uint j = 0u; j < 4u; j++)
        w[j] = weights[at + j * args.window.out_slices];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = quads[(base[r] + s) / 4u] ^ SIGN_FLIP;
    for (uint r = 0u; r < ROWS; r++) {
        const uvec4 x = DENSE || inside[r] ? v[r] : uvec4(args.padding);
        for (uint j = 0u; j < 4u; j++)
            add(r, w[j], x[j], s + j);
    }
}

void add_slices(uint tap, uint out_slice)
{
    const uint step = args.window.out_slices;
    const uint first = tap * args.window.in_slices * step + out_slice;
    uint s = gl_LocalInvocationID.z;
    if (QUADS) {
        for (s *= 4u; s < args.window.in_slices; s += 4u * SHARES)
            add_quad(s, first + s * step);
        return;
    }
    // Two slices at once, so that their loads are in flight together.
    for (; s + SHARES < args.window.in_slices; s += 2u * SHARES) {
        add_slice(s, first + s * step);
        add_slice(s + SHARES, first + (s + SHARES) * step);
    }
    if (s < args.window.in_slices)
        add_slice(s, first + s * step);
}

void main()
{
    const Tile tile = tile_of_invocation();
    for (uint r = 0u; r < ROWS; r++) {
        sum[r] = ivec4(0);
        sum_x[r] = 0;
    }
    add_taps(tile);
    for (uint r = 0u; r < ROWS; r++)
        if (SUM_X)
            sum[r] -= args.weight_zero * sum_x[r];
    publish_sums();
    for (uint r = gl_LocalInvocationID.z; r < ROWS; r += SHARES) {
        const ivec4 v = total(r);
        if (!is_in_dst(tile, r))
            continue;
        const uint at = (tile.first + r) * args.window.out_slices + tile.out_slice;
        const uint y = requantize(v, tile.out_slice, REQUANTIZE, args.output_range);
        if (HAS_TAIL)
            products[first_product() + at] = y;
        else
            dst[at] = y;
    }
    if (HAS_TAIL && is_tail())
        write_rows();
}
