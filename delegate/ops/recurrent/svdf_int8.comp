// SVDF of i8: y from the state of svdf_state_int8.comp, as svdf.comp.  The sum is of 32 bits; RELU
// is left to the range of i8.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/recurrent/svdf.args.h"
#include "delegate/shaders/integer.glsl"

WRITES_WORDS(0, y);
READS_WORDS(1, state);
layout(set = 0, binding = 2) readonly buffer Constants { int constants[]; };

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint base = 2u * (i / args.out_slices * args.state_slices);
    ivec4 v = ivec4(0);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Lanes past the last unit repeat it.
        const uint u = min(4u * (i % args.out_slices) + lane, args.units - 1u);
        int sum = constants[args.filters * args.memory + u];
        for (uint k = u * args.terms; k < (u + 1u) * args.terms; k++)
            sum += constants[k] * (int(short_at(state[base + k / 2u], k % 2u) << 16u) >> 16);
        // Beyond +-256 the range of y decides, whatever its zero point.
        v[lane] = clamp(fixed_multiply(sum, args.factor, args.shift), -256, 256) + args.out_zero;
    }
    y[i] = packed_bytes(clamp(v, -128, 127));
}
