// A run of elementwise ops of floats: RELU, EXP, TANH, ADD, POW and their like; one slice an
// invocation.  Each op has the result of the one before, and maybe an operand beside it: a tensor,
// or a constant, which is f32 in both precisions.  The ops are specialization constants, so that
// the driver's compiler keeps those that there are.
//
// Results are those of the ops one by one: stored() stands between two of them, and behind the
// DEQUANTIZE of tensors of bytes (CHAIN_SPEC_BYTES).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/elementwise.glsl"
#include "delegate/ops/elementwise/binary_float.glsl"
#include "delegate/ops/elementwise/chain.args.h"

WRITES(0, dst);
READS(1, src);
READS(2, beside);
CONSTANTS(3, constant);
WRITES_WORDS(0, dst_bytes);
READS_WORDS(1, src_bytes);
READS_WORDS(2, beside_bytes);
layout(set = 0, binding = 3) readonly buffer Words { int words[]; };

layout(constant_id = CHAIN_SPEC_GROUPS) const uint GROUPS = 0u;
layout(constant_id = CHAIN_SPEC_START) const uint START = 0u;
layout(constant_id = CHAIN_SPEC_COUNT) const uint COUNT = 2u;
layout(constant_id = CHAIN_SPEC_LINK) const uint LINK_0 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 1) const uint LINK_1 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 2) const uint LINK_2 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 3) const uint LINK_3 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 4) const uint LINK_4 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 5) const uint LINK_5 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 6) const uint LINK_6 = 0u;
layout(constant_id = CHAIN_SPEC_LINK + 7) const uint LINK_7 = 0u;
layout(constant_id = CHAIN_SPEC_BYTES) const bool BYTES = false;

#define LIMIT(i) words[args.bytes + CHAIN_BYTE_LIMITS + (i)]
#include "delegate/ops/elementwise/quantized.glsl"

// The slice of the operand for slice i of dst; of an operand with one channel lane 0 counts.
uint place(uint i, uint link)
{
    const bool one_channel = (link & CHAIN_ONE_CHANNEL) != 0u;
    const uint word = max(GROUPS, 1u) - 1u + CHAIN_OPERAND(link) * (GROUPS + 1u);
    uint at = args.words[word];
    if (GROUPS == 0u)
        return one_channel ? at : at + i;
    if (!one_channel)
        at += i % args.slices;
    uint row = i / args.slices;
    for (uint g = 1u; g < GROUPS; g++) {
        at += row % args.words[g - 1u] * args.words[word + g];
        row /= args.words[g - 1u];
    }
    return at + row * args.words[word + GROUPS];
}

// What the next op would read: v in the storage type.  Compilers leave out a conversion to f16
// and back (those of NVIDIA and of Mesa 25 do), so v is rounded in integers: to 11 bits, to
// nearest, ties to even; what is less than 2^-14, to multiples of 2^-24.
//
// A product and the sum that follows it in the next op are not to become one operation, rounded
// once, so in f32 the sum is of bits that no compiler can know to be the product's.  `precise`
// would forbid that inside of an op, too, where the op's own shader allows it.
#if ELEMENT == F16
vec4 stored(vec4 v)
{
    const uvec4 bits = floatBitsToUint(v), a = bits & 0x7fffffffu;
    uvec4 y = a + 0xfffu + (a >> 13u & 1u) & ~0x1fffu;
    y = min(y, uvec4(0x477fe000u));                           // 65504, as in_half_range() has it
    y = mix(y, a, greaterThanEqual(a, uvec4(INFINITY_BITS))); // infinity and NaN
    y = mix(y, floatBitsToUint(roundEven(abs(v) * 16777216.0) / 16777216.0),
            lessThan(a, uvec4(0x38800000u)));
    return uintBitsToFloat(y | bits & 0x80000000u);
}
#else
vec4 stored(vec4 v) { return uintBitsToFloat(floatBitsToUint(v) ^ args.not_known); }
#endif

float dequantized(uint slice, uint lane, uint binding)
{
    return intBitsToFloat(words[args.bytes + 256u * (binding - 1u) + byte_at(slice, lane)]);
}

vec4 operand(uint i, uint link)
{
    const uint at = place(i, link), binding = CHAIN_BINDING(link);
    vec4 v;
    if (binding == 3u) {
        v = constant[at];
    } else if (BYTES) {
        const uint q = binding == 1u ? src_bytes[at] : beside_bytes[at];
        v = stored(vec4(dequantized(q, 0u, binding), dequantized(q, 1u, binding),
                        dequantized(q, 2u, binding), dequantized(q, 3u, binding)));
    } else {
        v = binding == 1u ? vec4(src[at]) : vec4(beside[at]);
    }
    return (link & CHAIN_ONE_CHANNEL) != 0u ? v.xxxx : v;
}

vec4 linked(vec4 v, uint i, uint link)
{
    const uint op = CHAIN_OP(link);
    if (op >= CHAIN_BINARY) {
        const vec4 other = operand(i, link);
        const bool first = (link & CHAIN_FIRST) != 0u;
        v = binary(op - CHAIN_BINARY, first ? other : v, first ? v : other);
    } else if (op >= CHAIN_ELEMENTWISE) {
        v = elementwise(v, op - CHAIN_ELEMENTWISE,
                        uintBitsToFloat(args.words[CHAIN_ALPHA + CHAIN_OPERAND(link)]));
    } else if (op == CHAIN_EXP) {
        v = exp(v);
    }
    return stored(activate(v, CHAIN_ACTIVATION(link)));
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    vec4 v = linked(operand(i, CHAIN_LINK(0u, 0u, 0u, 1u) | START), i, LINK_0);
    if (COUNT > 1u)
        v = linked(v, i, LINK_1);
    if (COUNT > 2u)
        v = linked(v, i, LINK_2);
    if (COUNT > 3u)
        v = linked(v, i, LINK_3);
    if (COUNT > 4u)
        v = linked(v, i, LINK_4);
    if (COUNT > 5u)
        v = linked(v, i, LINK_5);
    if (COUNT > 6u)
        v = linked(v, i, LINK_6);
    if (COUNT > 7u)
        v = linked(v, i, LINK_7);
    if (BYTES) {
        const uint end = uint(words[args.bytes + CHAIN_BYTE_ZERO]), zero = end & 0xffu;
        const uvec4 bits = floatBitsToUint(v);
        const uint q = quantized(bits.x, zero) | quantized(bits.y, zero) << 8u |
                       quantized(bits.z, zero) << 16u | quantized(bits.w, zero) << 24u;
        dst_bytes[i] = q ^ (end >> 8u) * 0x01010101u;
    } else {
        dst[i] = STORE(v);
    }
}
