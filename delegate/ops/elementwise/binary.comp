// ADD, MUL, SUB, MAXIMUM, MINIMUM, PRELU, DIV, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, POW, ATAN2
// with broadcasting.  The dims of dst but the last are given as up to 5 groups, outermost first,
// with the stride of each operand in slices (0: broadcast).  An operand with one channel is
// broadcast over the slice.  A constant operand is f32 at binding 3 in both precisions.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/binary.args.h"
#include "delegate/ops/elementwise/binary.glsl"
#include "delegate/ops/elementwise/binary_float.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src_a);
READS(2, src_b);
CONSTANTS(3, constant);

layout(constant_id = BINARY_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = BINARY_SPEC_CONSTANT) const uint CONSTANT = 0u;
layout(constant_id = BINARY_SPEC_ROUNDED) const bool ROUNDED = false;

void main()
{
    const uint i = item();
    if (i >= args.grid.count)
        return;
    const Places at = places_of(i);
    vec4 a = CONSTANT == 1u ? constant[at.a] : vec4(src_a[at.a]);
    vec4 b = CONSTANT == 2u ? constant[at.b] : vec4(src_b[at.b]);
    if (BROADCAST_A)
        a = a.xxxx;
    if (BROADCAST_B)
        b = b.xxxx;
    const vec4 v = activate(binary(OP, a, b), ACTIVATION);
    dst[i] = STORE(ROUNDED ? on_steps(v, args.scale, args.low, args.high) : v);
}
