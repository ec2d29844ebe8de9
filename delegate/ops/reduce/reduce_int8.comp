// MEAN, SUM, REDUCE_MAX, REDUCE_MIN and REDUCE_PROD of bytes and of i16, and AVERAGE_POOL_2D over a
// whole image, as reduce.comp has it.  One multiplier requantizes a sum, and divides it in a
// MEAN; the average of a pool is of the integers as they are, ties away from zero.  MAX and MIN
// have zero points of 0.  A product is requantized after each factor, in the order of src, so that
// one invocation makes it.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#define SUM     ivec4
#define LOWEST  -32769
#define HIGHEST 32768
#include "delegate/ops/reduce/reduce_sums.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = REDUCE_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = REDUCE_SPEC_AVERAGE) const bool AVERAGE = false;

ivec4 load(uint row, uint s) { return unpacked(src[row * in_slices() + s], SIGNED) - args.in_zero; }

// TensorFlow Lite's MultiplyByQuantizedMultiplier of 64 bits: round(a * b / 2^shift), halves up, of
// which 32 bits are kept; shift in [1, 46].
int multiply_wide(int a, int b, int shift)
{
    int high;
    int low;
    imulExtended(a, b, high, low);
    if (shift > 32)
        return high + (1 << (shift - 33)) >> (shift - 32);
    const uint nudged = uint(low) + (1u << uint(shift - 1));
    high += int(nudged < uint(low));
    return shift == 32 ? high : high << (32 - shift) | int(nudged >> uint(shift));
}

// `so_far` times the factor that requantizes it, and the next element.
ivec4 times(ivec4 so_far, ivec4 v)
{
    const ivec4 b = v * args.multiplier;
    return ivec4(multiply_wide(so_far.x, b.x, args.shift), multiply_wide(so_far.y, b.y, args.shift),
                 multiply_wide(so_far.z, b.z, args.shift),
                 multiply_wide(so_far.w, b.w, args.shift));
}

int product_over_channels(uint base)
{
    int product = 1;
    for (uint k = 0u; k < args.rows; k++) {
        const uint row = base + reduced_row(k); // a loop, which drivers count turns of, too
        for (uint c = 0u; c < args.in_channels; c++) {
            const int v = load(row, c / 4u)[c % 4u];
            product =
                k == 0u && c == 0u ? v : multiply_wide(product, v * args.multiplier, args.shift);
        }
    }
    return product;
}

ivec4 product_of(uint i)
{
    const uint row = i / out_slices();
    const uint s = i % out_slices();
    ivec4 product;

    if (OVER_CHANNELS) {
        product = ivec4(0);
        for (uint lane = 0u; lane < min(4u, args.out_channels - 4u * s); lane++)
            product[lane] =
                product_over_channels(kept_row(row * args.out_channels + 4u * s + lane));
    } else {
        const uint base = kept_row(row);
        product = load(base, s);
        for (uint k = 1u; k < args.rows; k++)
            product = times(product, load(base + reduced_row(k), s));
    }
    return times(product, ivec4(1));
}

void main()
{
    if (OP == REDUCE_PROD) {
        const uint i = min(group(), args.count - 1u);
        if (gl_LocalInvocationID.x == 0u && group() < args.count)
            dst[i] = packed_slice(clamp(product_of(i), ivec4(args.low), ivec4(args.high)) +
                                  args.out_zero);
        return;
    }
    uint i;
    ivec4 sum;
    if (!is_whole(i, sum))
        return;
    const uint n = uint(args.multiplier);
    ivec4 y = sum;
    if (AVERAGE)
        y = ivec4((uvec4(abs(sum)) + n / 2u) / n) * sign(sum);
    else if (OP == REDUCE_MEAN || OP == REDUCE_SUM)
        y = fixed_multiply(sum, ivec4(args.multiplier), ivec4(args.shift));
    dst[i] = packed_slice(clamp(y, ivec4(args.low), ivec4(args.high)) + args.out_zero);
}
