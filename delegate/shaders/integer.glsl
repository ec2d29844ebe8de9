// What shaders of 8-bit and i16 ops share: packed slices, and the fixed-point arithmetic, which is
// gemmlowp's bit for bit (reference/base/fixed_point.h has the same names).  Whether bytes are i8
// or u8 is up to the shader.  ELEMENT is BYTE, or SHORT, which is i16.
#ifndef INTEGER_GLSL
#define INTEGER_GLSL

#include "delegate/shaders/element.glsl"

uint packed_shorts(int a, int b) { return uint(a & 0xffff) | uint(b) << 16u; }

// The four integers of a slice: i8, or u8.
ivec4 unpacked(uint word, bool is_signed)
{
    const ivec4 v = ivec4(uvec4(word) >> uvec4(0u, 8u, 16u, 24u) & 0xffu);
    return is_signed ? (v ^ 0x80) - 0x80 : v;
}

// The low bytes of four integers as a slice.
uint packed_bytes(ivec4 v)
{
    const uvec4 b = uvec4(v) & 0xffu;
    return b.x | b.y << 8u | b.z << 16u | b.w << 24u;
}

#if ELEMENT == SHORT
const int LOWEST_INTEGER = -32768; // of the integers
ivec4 unpacked(uvec2 slice, bool is_signed)
{
    return ivec4(slice.x << 16u, slice.x, slice.y << 16u, slice.y) >> 16;
}
uvec2 packed_slice(ivec4 v) { return uvec2(packed_shorts(v.x, v.y), packed_shorts(v.z, v.w)); }
#else
const int LOWEST_INTEGER = -128;
uint packed_slice(ivec4 v) { return packed_bytes(v); }
#endif

// gemmlowp's SaturatingRoundingDoublingHighMul: round(a * b / 2^31), ties toward +infinity;
// INT32_MIN * INT32_MIN saturates to INT32_MAX.
int fixed_mul_high(int a, int b)
{
    int high;
    int low;
    imulExtended(a, b, high, low);
    if (a == b && a == int(0x80000000))
        return 0x7fffffff;
    // 2^30 is added, less 2^31 - 1 for a negative product, which makes a floor what was a division
    // toward zero.  Bits 31 to 62 of the sum are the result.
    const uint nudged = uint(low) + 0x40000000u;
    const int carry = int(nudged < uint(low));
    high += carry;
    return int(uint(high) << 1u | nudged >> 31u);
}

// gemmlowp's RoundingDivideByPOT: round(x / 2^n), ties away from zero; n in [0, 31].
int fixed_rounding_shift_right(int x, int n)
{
    const int mask = int((1u << uint(n)) - 1u);
    const int rest = x & mask;
    const int most = int(uint(mask) >> 1u) + int(x < 0);
    return (x >> n) + int(rest > most);
}

// gemmlowp's SaturatingRoundingMultiplyByPOT for n >= 0: x * 2^n, saturated to 32 bits.
int fixed_saturating_shift_left(int x, int n)
{
    return x > 0x7fffffff >> n ? 0x7fffffff : x < int(0x80000000) >> n ? int(0x80000000) : x << n;
}

// gemmlowp's one_over_one_plus_x_for_x_in_0_1, in Q0.31: Newton's method, from 48/17 - 32/17 * x in
// Q2.29.
int fixed_one_over_one_plus(int x)
{
    const int half_sum = int((uint(x) + 0x80000000u) >> 1u);
    int y = 1515870810 + fixed_mul_high(half_sum, -1010580540);
    y += fixed_saturating_shift_left(fixed_mul_high(y, (1 << 29) - fixed_mul_high(half_sum, y)), 2);
    y += fixed_saturating_shift_left(fixed_mul_high(y, (1 << 29) - fixed_mul_high(half_sum, y)), 2);
    y += fixed_saturating_shift_left(fixed_mul_high(y, (1 << 29) - fixed_mul_high(half_sum, y)), 2);
    return fixed_saturating_shift_left(y, 1);
}

// TensorFlow Lite's MultiplyByQuantizedMultiplier: x times the real factor q * 2^(e - 31).  A shift
// to the left wraps modulo 2^32.
int fixed_multiply(int x, int q, int e)
{
    return fixed_rounding_shift_right(fixed_mul_high(x << max(e, 0), q), max(-e, 0));
}
ivec4 fixed_multiply(ivec4 x, ivec4 q, ivec4 e)
{
    return ivec4(fixed_multiply(x.x, q.x, e.x), fixed_multiply(x.y, q.y, e.y),
                 fixed_multiply(x.z, q.z, e.z), fixed_multiply(x.w, q.w, e.w));
}

#endif
