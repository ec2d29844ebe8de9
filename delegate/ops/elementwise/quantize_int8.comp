// QUANTIZE of floats, f32 or f16.  Vulkan's division may be off by 2.5 ULP, so that the host
// computes the least float of each result: limits[i] belongs to the i + 1-th integer of the type.
// Floats are compared as integers of the same order.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/elementwise/quantize_int8.args.h"

WRITES(0, dst);
READS_WORDS(1, src);
layout(set = 0, binding = 2) readonly buffer Limits { int limits[]; };

layout(constant_id = QUANTIZE_INT8_SPEC_HALF) const bool HALF_SOURCE = false;
layout(constant_id = QUANTIZE_INT8_SPEC_SIGNED) const bool SIGNED = false;

uint quantized(uint bits)
{
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return args.zero;
    const int order = int(bits) < 0 ? int(0x80000000u - bits) : int(bits); // -0 is 0
    uint n = 0u; // limits that are not above
    for (uint step = 1u << ELEMENT_BITS - 1u; step > 0u; step /= 2u)
        if (limits[n + step - 1u] <= order)
            n += step;
    return SIGNED ? n ^ 1u << ELEMENT_BITS - 1u : n;
}

uint bits_of(uint i, uint lane)
{
    if (!HALF_SOURCE)
        return src[4u * i + lane];
    return floatBitsToUint(unpackHalf2x16(src[2u * i + lane / 2u])[lane % 2u]);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    dst[i] = packed_slice(ivec4(quantized(bits_of(i, 0u)), quantized(bits_of(i, 1u)),
                                quantized(bits_of(i, 2u)), quantized(bits_of(i, 3u))));
}
