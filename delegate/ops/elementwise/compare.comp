// Comparisons, LOGICAL_AND, LOGICAL_OR with broadcasting: a slice of bool bytes from two slices of
// ELEMENT.  8-bit operands are brought to units of 1/256 in fixed point, each from its scale.  A
// constant operand of floats is f32 at binding 3 in both precisions; others are packed as tensors
// are.
// Variants: f32 f16 byte word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/compare.args.h"
#include "delegate/ops/elementwise/binary.glsl"
#include "delegate/shaders/integer.glsl"

WRITES_WORDS(0, dst);
READS(1, src_a);
READS(2, src_b);

layout(constant_id = COMPARE_SPEC_CONSTANT) const uint CONSTANT = 0u;
layout(constant_id = COMPARE_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = COMPARE_SPEC_SCALED) const bool SCALED = false;

#if ELEMENT == F32 || ELEMENT == F16
#define OPERAND vec4
layout(set = 0, binding = 3) readonly buffer Constants { vec4 constant[]; };

vec4 operand_a(uint at) { return CONSTANT == 1u ? constant[at] : vec4(src_a[at]); }
vec4 operand_b(uint at) { return CONSTANT == 2u ? constant[at] : vec4(src_b[at]); }
#elif ELEMENT == WORD
#define OPERAND ivec4

ivec4 operand_a(uint at) { return ivec4(src_a[at]); }
ivec4 operand_b(uint at) { return ivec4(src_b[at]); }
#else
#define OPERAND ivec4

// Bytes of bool: any but 0 is true.
ivec4 read(uint word, uint i)
{
    const ivec4 q = unpacked(word, SIGNED);
    return SCALED ? fixed_multiply((q - args.zero[i]) << 8, ivec4(args.multiplier[i]),
                                   ivec4(args.shift[i]))
                  : ivec4(notEqual(q, ivec4(0)));
}
ivec4 operand_a(uint at) { return read(src_a[at], 0u); }
ivec4 operand_b(uint at) { return read(src_b[at], 1u); }
#endif

// Comparisons with NaN are false, but for that it is not equal to anything.
bvec4 holds(OPERAND a, OPERAND b)
{
    switch (OP) {
    case COMPARE_EQUAL: return equal(a, b);
    case COMPARE_NOT_EQUAL: return notEqual(a, b);
    case COMPARE_GREATER: return greaterThan(a, b);
    case COMPARE_GREATER_EQUAL: return greaterThanEqual(a, b);
    case COMPARE_LESS: return lessThan(a, b);
    case COMPARE_LESS_EQUAL: return lessThanEqual(a, b);
#if ELEMENT == BYTE
    case COMPARE_AND: return notEqual(a & b, ivec4(0));
    case COMPARE_OR: return notEqual(a | b, ivec4(0));
#endif
    }
    return bvec4(false);
}

void main()
{
    const uint i = item();
    if (i >= args.grid.count)
        return;
    const Places at = places_of(i);
    OPERAND a = operand_a(at.a);
    OPERAND b = operand_b(at.b);
    if (BROADCAST_A)
        a = a.xxxx;
    if (BROADCAST_B)
        b = b.xxxx;
    dst[i] = packed_bytes(ivec4(holds(a, b)));
}
