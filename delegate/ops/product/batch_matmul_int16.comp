// BATCH_MATMUL of i16 by i16 or i8: exact sums of products, and one multiplier.  An invocation
// computes a row of 4 columns.
//
// Sums have up to 46 bits: the lower 16 bits of the products and the bits above are summed for
// themselves, as in dot_int16.comp.
//
// Variants: i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/wide.glsl"
#include "delegate/ops/product/batch_matmul.args.h"

WRITES(0, dst);
READS(1, src);
READS_WORDS(2, other);

layout(constant_id = BATCH_MATMUL_SPEC_ADJ_X) const bool ADJ_X = false;
layout(constant_id = BATCH_MATMUL_SPEC_ADJ_Y) const bool ADJ_Y = false;
layout(constant_id = BATCH_MATMUL_SPEC_Y_BYTES) const bool Y_BYTES = false; // y is i8

ivec4 slice_of_y(uint i)
{
    if (Y_BYTES)
        return unpacked(other[i], true);
    return unpacked(uvec2(other[2u * i], other[2u * i + 1u]), true);
}

int element_of_x(uint first, uint row, uint k)
{
    const uint stored = ADJ_X ? k : row, channel = ADJ_X ? row : k;
    return unpacked(src[(first + stored) * args.x_slices + channel / 4u], true)[channel % 4u];
}

// 4 columns of row k of the depth.
ivec4 columns_of_y(uint first, uint slice, uint k)
{
    if (!ADJ_Y)
        return slice_of_y((first + k) * args.y_slices + slice);
    ivec4 y;
    for (uint j = 0u; j < 4u; j++) {
        const uint column = min(4u * slice + j, args.columns - 1u);
        y[j] = slice_of_y((first + column) * args.y_slices + k / 4u)[k % 4u];
    }
    return y;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint slice = i % args.out_slices;
    const uint row = i / args.out_slices % args.rows;
    const uint matrix = i / args.out_slices / args.rows;
    uint x = 0u, y = 0u, rest = matrix;
    for (int d = BATCH_MATMUL_DIMS - 1; d >= 0; d--) {
        x += rest % args.size[d] * args.x_stride[d];
        y += rest % args.size[d] * args.y_stride[d];
        rest /= args.size[d];
    }
    x *= args.x_rows;
    y *= args.y_rows;

    uvec4 low = uvec4(0u);
    ivec4 high = ivec4(0);
    for (uint k = 0u; k < args.depth; k++) {
        const ivec4 products = element_of_x(x, row, k) * columns_of_y(y, slice, k);
        low += uvec4(products) & 0xffffu;
        high += products >> 16;
    }
    ivec4 z;
    for (uint j = 0u; j < 4u; j++) {
        uint carry;
        const uint sum = uaddCarry(uint(high[j]) << 16u, low[j], carry);
        z[j] = fixed_multiply_wide(sum, (high[j] >> 16) + int(carry), uint(args.multiplier),
                                   args.shift);
    }
    dst[i] = packed_slice(clamp(z, ivec4(args.low), ivec4(args.high)));
}
