// ADD, MUL, SUB, MAXIMUM, MINIMUM, PRELU with broadcasting.  The dims of dst but the last are given as up to 5 groups, outermost
// first, with the stride of each operand in slices (0: broadcast).  An operand with one channel is
// spread over the slice.  A constant operand is f32 at binding 3 in both precisions.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src_a);
READS(2, src_b);
CONSTANTS(3, constant);

layout(constant_id = 3) const uint OP = 0u; // enum elementwise_op in elementwise.h
layout(constant_id = 4) const uint ACTIVATION = 0u;
layout(constant_id = 5) const uint CONSTANT = 0u; // 1: operand a is the constant, 2: operand b
layout(constant_id = 6) const bool SPREAD_A = false;
layout(constant_id = 7) const bool SPREAD_B = false;
layout(constant_id = 8) const bool ROUNDED = false; // to the steps of an 8-bit tensor

layout(push_constant) uniform Args {
    uint count, slices;
    uint size[5], stride_a[5], stride_b[5];
    float scale, low, high; // ROUNDED
} args;

// Where an operand is NaN the comparisons are false, and the results are those of the CPU kernels.
vec4 apply(vec4 a, vec4 b)
{
    if (OP == 1u)
        return a * b;
    if (OP == 2u)
        return a - b;
    if (OP == 3u)
        return mix(b, a, greaterThan(a, b));
    if (OP == 4u)
        return mix(b, a, lessThan(a, b));
    if (OP == 5u)
        return mix(a * b, a, greaterThanEqual(a, vec4(0.0)));
    return a + b;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    uint row = i / args.slices;
    uint at_a = SPREAD_A ? 0u : s;
    uint at_b = SPREAD_B ? 0u : s;
    for (int g = 4; g >= 0; g--) {
        const uint k = row % args.size[g];
        row /= args.size[g];
        at_a += k * args.stride_a[g];
        at_b += k * args.stride_b[g];
    }
    vec4 a = CONSTANT == 1u ? constant[at_a] : vec4(src_a[at_a]);
    vec4 b = CONSTANT == 2u ? constant[at_b] : vec4(src_b[at_b]);
    if (SPREAD_A)
        a = a.xxxx;
    if (SPREAD_B)
        b = b.xxxx;
    const vec4 v = activate(apply(a, b), ACTIVATION);
    dst[i] = STORED(ROUNDED ? on_steps(v, args.scale, args.low, args.high) : v);
}
