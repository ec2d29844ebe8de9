// CAST between floats and integers: one slice an invocation.  Buffers are of words: a slice has one
// of bytes, two of f16, four of f32 and i32.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/elementwise/cast.args.h"

WRITES_WORDS(0, dst);
READS_WORDS(1, src);

layout(constant_id = CAST_SPEC_FROM) const uint FROM = CAST_F32;
layout(constant_id = CAST_SPEC_TO) const uint TO = CAST_I32;

const bool FROM_FLOAT = FROM <= CAST_F16, TO_FLOAT = TO <= CAST_F16;

vec4 floats(uint i)
{
    if (FROM == CAST_F16)
        return vec4(unpackHalf2x16(src[2u * i]), unpackHalf2x16(src[2u * i + 1u]));
    return uintBitsToFloat(
        uvec4(src[4u * i], src[4u * i + 1u], src[4u * i + 2u], src[4u * i + 3u]));
}

ivec4 integers(uint i)
{
    if (FROM == CAST_I32)
        return ivec4(src[4u * i], src[4u * i + 1u], src[4u * i + 2u], src[4u * i + 3u]);
    const ivec4 v = unpacked(src[i], FROM == CAST_I8);
    return FROM == CAST_BOOL ? ivec4(notEqual(v, ivec4(0))) : v;
}

// Toward zero, saturated; NaN is the largest integer.
ivec4 rounded(vec4 x)
{
    const uvec4 magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (TO == CAST_BOOL)
        return ivec4(notEqual(magnitude, uvec4(0u)));
    const int low = TO == CAST_I32 ? int(0x80000000) : TO == CAST_I8 ? -128 : 0;
    const int high = TO == CAST_I32 ? 0x7fffffff : TO == CAST_I8 ? 127 : 255;
    const bvec4 above = greaterThanEqual(x, vec4(TO == CAST_I32 ? 2147483648.0 : float(high)));
    const bvec4 below = lessThanEqual(x, vec4(float(low)));
    const bvec4 is_nan = greaterThan(magnitude, uvec4(0x7f800000u));
    const ivec4 within =
        ivec4(mix(mix(mix(x, vec4(0.0), above), vec4(0.0), below), vec4(0.0), is_nan));
    const ivec4 v = mix(mix(within, ivec4(high), above), ivec4(low), below);
    return mix(v, ivec4(high), is_nan);
}

void store_floats(uint i, vec4 v)
{
    if (TO == CAST_F16) {
        v = in_half_range(v);
        dst[2u * i] = packHalf2x16(v.xy);
        dst[2u * i + 1u] = packHalf2x16(v.zw);
        return;
    }
    const uvec4 bits = floatBitsToUint(v);
    for (uint lane = 0u; lane < 4u; lane++)
        dst[4u * i + lane] = bits[lane];
}

void store_integers(uint i, ivec4 v)
{
    if (TO == CAST_I32)
        for (uint lane = 0u; lane < 4u; lane++)
            dst[4u * i + lane] = uint(v[lane]);
    else
        dst[i] = packed_bytes(TO == CAST_BOOL ? ivec4(notEqual(v, ivec4(0))) : v);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    if (TO_FLOAT)
        store_floats(i, FROM_FLOAT ? floats(i) : vec4(integers(i)));
    else
        store_integers(i, FROM_FLOAT ? rounded(floats(i)) : integers(i));
}
