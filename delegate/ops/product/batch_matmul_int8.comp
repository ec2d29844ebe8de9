// BATCH_MATMUL of i8: exact sums of products, which wrap, and one multiplier.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, other);

STORED result(ivec4 sum);
#define VEC         ivec4
#define RESULT(sum) result(sum)
#include "delegate/ops/product/batch_matmul.glsl"

ivec4 load_x(uint i) { return unpacked(src[i], true) - args.x_zero; }
ivec4 load_y(uint i) { return unpacked(other[i], true) - args.y_zero; }
STORED result(ivec4 sum)
{
    const ivec4 v = fixed_multiply(sum, ivec4(args.multiplier), ivec4(args.shift));
    return packed_bytes(clamp(v, ivec4(args.low), ivec4(args.high)) + args.out_zero);
}
