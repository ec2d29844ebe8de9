// L2_NORMALIZATION of 8-bit tensors over the channels: dst [rows,C] in units of 1/128.  A workgroup
// computes a row: the sum of its squares, of which each invocation finds the inverse root.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/l2_normalization_int8.args.h"
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = L2_NORMALIZATION_INT8_SPEC_SIGNED) const bool SIGNED = false;

REDUCE_MEMORY(int)
REDUCE_IN_WORKGROUP(int, sum_in_workgroup, ADD)

// TensorFlow Lite's GetInvSqrtQuantizedMultiplierExp: 1 / sqrt(v), of which 0 counts as 1, as
// q * 2^(-31 - shift).  Newton's x (3 - v x^2) / 2 in Q3.28, of v in [1/4, 1) with its factors of 4
// taken out.
int inverse_sqrt(int v, out int shift)
{
    const int one = 1 << 28;
    int x = one;
    shift = v <= 1 ? 0 : 11;
    if (v <= 1)
        return 0x7fffffff;
    for (; v >= 1 << 29; v /= 4)
        shift++;
    for (; v < 1 << 27; v *= 4)
        shift--;
    const int quarter = fixed_rounding_shift_right(v >> 1, 1);
    for (int i = 0; i < 5; i++) {
        const int cube = fixed_saturating_shift_left(fixed_mul_high(fixed_mul_high(x, x), x), 6);
        x = fixed_saturating_shift_left(
            fixed_mul_high(one + one / 2, x) - fixed_mul_high(quarter, cube), 3);
    }
    x = fixed_mul_high(x, 1518500250) << max(-shift, 0); // the root of 1/2
    shift = max(shift, 0);
    return x;
}

// i8 and u8 have kernels of their own, which round differently.
ivec4 normalized(ivec4 v, int q, int shift)
{
    if (SIGNED)
        return clamp(fixed_multiply(v, ivec4(q), ivec4(7 - shift)), -128, 127);
    const ivec4 y = ivec4(fixed_rounding_shift_right(fixed_mul_high(128 * v.x, q), shift),
                          fixed_rounding_shift_right(fixed_mul_high(128 * v.y, q), shift),
                          fixed_rounding_shift_right(fixed_mul_high(128 * v.z, q), shift),
                          fixed_rounding_shift_right(fixed_mul_high(128 * v.w, q), shift));
    return clamp(y + 128, 0, 255);
}

void main()
{
    const uint base = min(group(), args.count - 1u) * args.slices;
    int sum = 0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 v =
            mix(ivec4(0), unpacked(src[base + s], SIGNED) - args.zero, lanes(s, args.channels));
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = sum_in_workgroup(sum);
    if (group() >= args.count)
        return;

    int shift;
    const int q = inverse_sqrt(sum, shift);
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x)
        dst[base + s] =
            packed_bytes(normalized(unpacked(src[base + s], SIGNED) - args.zero, q, shift));
}
