// SVDF: y [B,U] from the state [B,F*M] that svdf_state.comp has moved; a unit has the results of
// `terms` neighbours.  constants: time weights [F*M], then the bias [U].
//     y[u] = activation(bias[u] + sum over its results of weight * result)
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/recurrent/svdf.args.h"
#include "delegate/shaders/slice.glsl"

WRITES(0, y);
CONSTANTS(1, state);
layout(set = 0, binding = 2) readonly buffer Constants { float constants[]; };

layout(constant_id = SVDF_SPEC_ACTIVATION) const uint ACTIVATION = 0u;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint base = i / args.out_slices * args.state_slices;
    vec4 v = vec4(0.0);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Lanes past the last unit repeat it.
        const uint u = min(4u * (i % args.out_slices) + lane, args.units - 1u);
        float sum = constants[args.filters * args.memory + u];
        for (uint k = u * args.terms; k < (u + 1u) * args.terms; k++)
            sum += constants[k] * state[base + k / 4u][k % 4u];
        v[lane] = sum;
    }
    y[i] = STORE(activate(v, ACTIVATION));
}
