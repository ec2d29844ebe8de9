// ADD, MUL, SUB, MAXIMUM, MINIMUM, and PRELU, DIV, SQUARED_DIFFERENCE of 8-bit tensors with
// broadcasting, as binary.comp has them; the first five of i16, too. ADD and SUB bring both
// operands, shifted to the left by 20 bits (i16: 15), to one scale, SQUARED_DIFFERENCE by 7.  An
// operand may be a packed constant.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/binary_int8.args.h"
#include "delegate/ops/elementwise/binary.glsl"
#include "delegate/shaders/integer.glsl"

WRITES(0, dst);
READS(1, src_a);
READS(2, src_b);

layout(constant_id = BINARY_INT8_SPEC_SIGNED) const bool SIGNED = false;

ivec4 scaled(ivec4 v, int i)
{
    return fixed_multiply(v, ivec4(args.multiplier[i]), ivec4(args.shift[i]));
}

#if ELEMENT == BYTE
// a / b by a reciprocal of 31 bits; both are within +-255.  b = 0, for which the CPU kernel fails,
// gives any number.
int divided(int a, int b)
{
    a = b < 0 ? -a : a;
    b = max(abs(b), 1);
    if (a == 0)
        return 0;
    const int whole = findMSB(b), headroom = 30 - findMSB(abs(a));
    const int inverse = fixed_one_over_one_plus(int((uint(b) << uint(31 - whole)) - 0x80000000u));
    const int quotient = fixed_mul_high(a << headroom, inverse);
    const int n = whole + headroom - args.shift[2];
    if (n > 31)
        return 0;
    return fixed_rounding_shift_right(fixed_mul_high(quotient, args.multiplier[2]), n);
}
const int SUM_SHIFT = 20;
#else
int divided(int a, int b) { return 0; }
const int SUM_SHIFT = 15;
#endif

ivec4 apply(ivec4 a, ivec4 b)
{
    if (OP == BINARY_DIV) {
        for (uint lane = 0u; lane < 4u; lane++)
            a[lane] = divided(a[lane], b[lane]);
        return a;
    }
    if (OP == BINARY_SQUARED_DIFFERENCE) {
        a = scaled(a << 7, 0) - scaled(b << 7, 1);
        return scaled(a * a, 2);
    }
    if (OP == BINARY_MUL)
        return scaled(a * b, 2);
    if (OP == BINARY_PRELU)
        return mix(scaled(a * b, 2), scaled(a, 0), greaterThanEqual(a, ivec4(0)));
    a = scaled(a << SUM_SHIFT, 0);
    b = scaled(b << SUM_SHIFT, 1);
    return scaled(OP == BINARY_SUB ? a - b : a + b, 2);
}

void main()
{
    const uint i = item();
    if (i >= args.grid.count)
        return;
    const Places at = places_of(i);
    ivec4 a = unpacked(src_a[at.a], SIGNED);
    ivec4 b = unpacked(src_b[at.b], SIGNED);
    if (BROADCAST_A)
        a = a.xxxx;
    if (BROADCAST_B)
        b = b.xxxx;
    if (OP == BINARY_MAXIMUM || OP == BINARY_MINIMUM) {
        dst[i] = packed_slice(OP == BINARY_MAXIMUM ? max(a, b) : min(a, b));
        return;
    }
    const ivec4 y = apply(a - args.zero_a, b - args.zero_b);
    dst[i] = packed_slice(clamp(y, ivec4(args.low), ivec4(args.high)) + args.zero_y);
}
