// QUANTIZE of floats, f32 or f16.
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

#define LIMIT(i) limits[i]
#include "delegate/ops/elementwise/quantized.glsl"

int result_of(uint i, uint lane)
{
    const uint bits = HALF_SOURCE
                          ? floatBitsToUint(unpackHalf2x16(src[2u * i + lane / 2u])[lane % 2u])
                          : src[4u * i + lane];
    return int(quantized(bits, args.zero) ^ (SIGNED ? 1u << ELEMENT_BITS - 1u : 0u));
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    dst[i] =
        packed_slice(ivec4(result_of(i, 0u), result_of(i, 1u), result_of(i, 2u), result_of(i, 3u)));
}
