// Weights that are computed at run time, [outputs, taps, inputs] as rows of channels, packed as
// [taps][depth][slices of outputs] vec4 of 4 outputs: operand.h.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/pack_weights.args.h"

WRITES(0, dst);
READS(1, src);

void main()
{
    const uint j = item();
    if (j >= args.count)
        return;
    const uint out_slice = j % args.out_slices;
    const uint i = j / args.out_slices % args.depth;
    const uint tap = j / args.out_slices / args.depth;
    vec4 v = vec4(0.0);
    if (i < args.inputs)
        for (uint lane = 0u; lane < 4u; lane++) {
            const uint o = 4u * out_slice + lane;
            if (o < args.outputs)
                v[lane] = vec4(src[(o * args.taps + tap) * args.in_slices + i / 4u])[i % 4u];
        }
    dst[j] = STORED(v);
}
