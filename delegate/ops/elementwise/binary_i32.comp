// The ops of binary.comp but PRELU for i32 without a scale, with broadcasting.  Results wrap around
// modulo 2^32.  An operand may be a packed constant.  A divisor of 0, for which the CPU kernels
// fail, gives any number.
// Variants: word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/binary_i32.args.h"
#include "delegate/ops/elementwise/binary.glsl"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src_a);
READS(2, src_b);

layout(constant_id = BINARY_I32_SPEC_ACTIVATION) const uint ACTIVATION = 0u;

// Toward zero.  GLSL leaves the quotient by 0 and that of -2^31 by -1 undefined, and the remainder
// of negative numbers, too.
int divided(int a, int b)
{
    const uint q = uint(abs(a)) / max(uint(abs(b)), 1u);
    return int((a ^ b) < 0 ? 0u - q : q);
}

int power(int a, int b)
{
    int y = 1;
    for (uint left = uint(b); left > 0u; left >>= 1u) {
        if ((left & 1u) != 0u)
            y *= a;
        a *= a;
    }
    return y;
}

int apply(int a, int b)
{
    switch (OP) {
    case BINARY_MUL: return a * b;
    case BINARY_SUB: return a - b;
    case BINARY_MAXIMUM: return max(a, b);
    case BINARY_MINIMUM: return min(a, b);
    case BINARY_SQUARED_DIFFERENCE: return (a - b) * (a - b);
    case BINARY_POW: return power(a, b);
    case BINARY_DIV:
    case BINARY_FLOOR_DIV:
    case BINARY_FLOOR_MOD: break;
    default: return a + b;
    }
    int q = divided(a, b);
    if (OP == BINARY_DIV && q == int(0x80000000) && b == -1)
        return 0x7fffffff;
    const int rest = a - q * b;
    const bool down = OP != BINARY_DIV && rest != 0 && (a ^ b) < 0;
    if (OP == BINARY_FLOOR_MOD)
        return down ? rest + b : rest;
    return down ? q - 1 : q;
}

int activated(int v)
{
    if (ACTIVATION == 2u)
        return clamp(v, -1, 1);
    if (ACTIVATION != 0u)
        v = max(v, 0);
    return ACTIVATION == 3u ? min(v, 6) : v;
}

void main()
{
    const uint i = item();
    if (i >= args.grid.count)
        return;
    const Places at = places_of(i);
    ivec4 a = ivec4(src_a[at.a]);
    ivec4 b = ivec4(src_b[at.b]);
    if (BROADCAST_A)
        a = a.xxxx;
    if (BROADCAST_B)
        b = b.xxxx;
    ivec4 v;
    for (uint lane = 0u; lane < 4u; lane++)
        v[lane] = activated(apply(a[lane], b[lane]));
    dst[i] = uvec4(v);
}
