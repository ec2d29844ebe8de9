// ADD, MUL, SUB, MAXIMUM, MINIMUM, PRELU with broadcasting.  The dims of dst but the last are given as up to 5 groups, outermost
// first, with the stride of each operand in slices (0: broadcast).  An operand with one channel is
// spread over the slice.  A constant operand is f32 at binding 3 in both precisions.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/binary.args.h"

WRITES(0, dst);
READS(1, src_a);
READS(2, src_b);
CONSTANTS(3, constant);

layout(constant_id = BINARY_SPEC_OP) const uint OP = BINARY_ADD;
layout(constant_id = BINARY_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = BINARY_SPEC_CONSTANT) const uint CONSTANT = 0u;
layout(constant_id = BINARY_SPEC_BROADCAST_A) const bool BROADCAST_A = false;
layout(constant_id = BINARY_SPEC_BROADCAST_B) const bool BROADCAST_B = false;
layout(constant_id = BINARY_SPEC_ROUNDED) const bool ROUNDED = false;

// Where an operand is NaN the comparisons are false, and the results are those of the CPU kernels.
vec4 apply(vec4 a, vec4 b)
{
    if (OP == BINARY_MUL)
        return a * b;
    if (OP == BINARY_SUB)
        return a - b;
    if (OP == BINARY_MAXIMUM)
        return mix(b, a, greaterThan(a, b));
    if (OP == BINARY_MINIMUM)
        return mix(b, a, lessThan(a, b));
    if (OP == BINARY_PRELU)
        return mix(a * b, a, greaterThanEqual(a, vec4(0.0)));
    return a + b;
}

void main()
{
    const uint i = item();
    if (i >= args.grid.count)
        return;
    const uint s = i % args.grid.slices;
    uint row = i / args.grid.slices;
    uint at_a = BROADCAST_A ? 0u : s;
    uint at_b = BROADCAST_B ? 0u : s;
    for (int g = BINARY_OUTER - 1; g >= 0; g--) {
        const uint k = row % args.grid.size[g];
        row /= args.grid.size[g];
        at_a += k * args.grid.stride_a[g];
        at_b += k * args.grid.stride_b[g];
    }
    vec4 a = CONSTANT == 1u ? constant[at_a] : vec4(src_a[at_a]);
    vec4 b = CONSTANT == 2u ? constant[at_b] : vec4(src_b[at_b]);
    if (BROADCAST_A)
        a = a.xxxx;
    if (BROADCAST_B)
        b = b.xxxx;
    const vec4 v = activate(apply(a, b), ACTIVATION);
    dst[i] = STORED(ROUNDED ? on_steps(v, args.scale, args.low, args.high) : v);
}
