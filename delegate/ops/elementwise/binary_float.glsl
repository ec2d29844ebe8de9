// The ops of two floats, as binary.comp and chain.comp compute them.
#ifndef BINARY_FLOAT_GLSL
#define BINARY_FLOAT_GLSL

#include "delegate/ops/elementwise/binary_grid.args.h"
#include "delegate/shaders/arithmetic.glsl"
#include "delegate/shaders/slice.glsl"

// Vulkan defines a quotient for divisors up to 2^126 alone: NVIDIA's of larger ones is NaN.
vec4 quotient(vec4 a, vec4 b)
{
    const vec4 scale = mix(vec4(1.0), vec4(0.25), greaterThan(abs(b), vec4(8.0e37)));
    return a * scale / (b * scale);
}

// Where an operand is NaN the comparisons are false, and the results are those of the CPU kernels.
vec4 binary(uint op, vec4 a, vec4 b)
{
    if (op == BINARY_MUL)
        return a * b;
    if (op == BINARY_SUB)
        return added(a, -b);
    if (op == BINARY_MAXIMUM)
        return mix(b, a, greaterThan(a, b));
    if (op == BINARY_MINIMUM)
        return mix(b, a, lessThan(a, b));
    if (op == BINARY_PRELU)
        return mix(a * b, a, greaterThanEqual(a, vec4(0.0)));
    if (op == BINARY_DIV)
        return quotient(a, b);
    if (op == BINARY_SQUARED_DIFFERENCE)
        return (a - b) * (a - b);
    if (op == BINARY_FLOOR_DIV || op == BINARY_FLOOR_MOD || op == BINARY_POW ||
        op == BINARY_ATAN2) {
        for (uint lane = 0u; lane < 4u; lane++)
            a[lane] = op == BINARY_POW ? power(a[lane], b[lane])
                      : op == BINARY_ATAN2
                          ? angle(a[lane], b[lane])
                          : floor_divided(a[lane], b[lane], op == BINARY_FLOOR_MOD);
        return a;
    }
    return added(a, b);
}

#endif
