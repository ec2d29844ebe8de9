// ADD, MUL, SUB, MAXIMUM, MINIMUM, PRELU of 8-bit tensors with broadcasting, as binary.comp has them.
// ADD and SUB bring both operands, shifted to the left by 20 bits, to one scale.  An operand may be a
// packed constant.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"

INT_WRITES(0, dst);
INT_READS(1, src_a);
INT_READS(2, src_b);

layout(constant_id = 3) const uint OP = 0u; // enum elementwise_op in elementwise.h
layout(constant_id = 4) const bool SIGNED = false;
layout(constant_id = 5) const bool SPREAD_A = false;
layout(constant_id = 6) const bool SPREAD_B = false;

layout(push_constant) uniform Args {
    uint count, slices;
    uint size[5], stride_a[5], stride_b[5];
    int zero_a, zero_b, zero_y;
    int factor[3], shift[3]; // of a (ADD, SUB, PRELU), of b (ADD, SUB), of the result
    int low, high;           // of the result, less its zero point
} args;

ivec4 scaled(ivec4 v, int i) { return fixed_multiply(v, ivec4(args.factor[i]), ivec4(args.shift[i])); }

ivec4 apply(ivec4 a, ivec4 b)
{
    if (OP == 1u)
        return scaled(a * b, 2);
    if (OP == 5u)
        return mix(scaled(a * b, 2), scaled(a, 0), greaterThanEqual(a, ivec4(0)));
    a = scaled(a << 20, 0);
    b = scaled(b << 20, 1);
    return scaled(OP == 2u ? a - b : a + b, 2);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    uint row = i / args.slices;
    uint at_a = SPREAD_A ? 0u : s;
    uint at_b = SPREAD_B ? 0u : s;
    for (int g = 4; g >= 0; g--) {
        const uint k = row % args.size[g];
        row /= args.size[g];
        at_a += k * args.stride_a[g];
        at_b += k * args.stride_b[g];
    }
    ivec4 a = unpacked(src_a[at_a], SIGNED);
    ivec4 b = unpacked(src_b[at_b], SIGNED);
    if (SPREAD_A)
        a = a.xxxx;
    if (SPREAD_B)
        b = b.xxxx;
    if (OP == 3u || OP == 4u) {
        dst[i] = packed_bytes(OP == 3u ? max(a, b) : min(a, b));
        return;
    }
    const ivec4 y = apply(a - args.zero_a, b - args.zero_b);
    dst[i] = packed_bytes(clamp(y, ivec4(args.low), ivec4(args.high)) + args.zero_y);
}
