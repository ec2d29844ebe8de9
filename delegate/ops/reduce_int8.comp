// MEAN, SUM, REDUCE_MAX and REDUCE_MIN of bytes, MEAN of i16, and AVERAGE_POOL_2D over a whole
// image, as reduce.comp has it.  One multiplier requantizes a sum, and divides it in a MEAN; the
// average of a pool is of the integers as they are, ties away from zero.  MAX and MIN have zero
// points of 0.
// Elements: byte short
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#define SUM     ivec4
#define LOWEST  -256
#define HIGHEST 256
#include "delegate/ops/reduce_sums.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = REDUCE_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = REDUCE_SPEC_AVERAGE) const bool AVERAGE = false;

ivec4 load(uint row, uint s)
{
    return unpacked(src[row * args.in_slices + s], SIGNED) - args.in_zero;
}

void main()
{
    const uint i = min(group(), args.count - 1u);
    const ivec4 sum = sum_of(i);
    if (gl_LocalInvocationID.x != 0u || group() >= args.count)
        return;
    const uint n = uint(args.multiplier);
    ivec4 y = sum;
    if (AVERAGE)
        y = ivec4((uvec4(abs(sum)) + n / 2u) / n) * sign(sum);
    else if (OP == REDUCE_MEAN || OP == REDUCE_SUM)
        y = fixed_multiply(sum, ivec4(args.multiplier), ivec4(args.shift));
    dst[i] = packed_slice(clamp(y, ivec4(args.low), ivec4(args.high)) + args.out_zero);
}
