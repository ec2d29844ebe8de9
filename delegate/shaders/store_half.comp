// Rows of padded channels to a dense f16 tensor for the host: one word, two elements, an
// invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/io.args.h"

layout(set = 0, binding = 0) writeonly buffer Target { uint words[]; };
READS(1, src);

// The bits of f rounded to f16, to nearest, ties to even; packHalf2x16 may round either way.
uint half_bits(float f)
{
    const uint bits = floatBitsToUint(f);
    const uint sign = bits >> 16u & 0x8000u;
    const uint a = bits & 0x7fffffffu;
    if (a > 0x7f800000u)
        return sign | 0x7e00u; // NaN
    if (a >= 0x477ff000u)
        return sign | 0x7c00u; // 65520 and up
    if (a < 0x33000000u)
        return sign; // below half of the smallest denormal
    uint shift = 13u, m = a;
    if (a < 0x38800000u) { // a denormal: the exponent goes into the shift
        shift = 126u - (a >> 23u);
        m = (a & 0x7fffffu) | 0x800000u;
    } else {
        m = a - 0x38000000u;
    }
    const uint down = m >> shift;
    const uint rest = m & ((1u << shift) - 1u);
    const uint tie = 1u << (shift - 1u);
    return sign | (down + uint(rest > tie || (rest == tie && (down & 1u) != 0u)));
}

float element(uint e)
{
    const uint c = e % args.channels;
    return vec4(src[e / args.channels * args.slices + c / 4u])[c % 4u];
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    uint word = half_bits(element(2u * i));
    if (2u * i + 1u < args.elements)
        word |= half_bits(element(2u * i + 1u)) << 16u;
    words[i] = word;
}
