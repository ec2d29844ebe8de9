// The full LSTM: moves h [B,O] and c [B,A] into the state, or the state behind `last` steps out to
// them (lstm_full.args.h).  An invocation moves slice s of both.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/recurrent/lstm_full.args.h"

UPDATES(0, h);
UPDATES(1, c);
layout(set = 0, binding = 2) buffer State { vec4 state[]; };

layout(constant_id = LSTM_STATE_SPEC_OUT) const bool OUT = false;

void main()
{
    const uint i = item();
    const uint slices = max(args.out_slices, args.cell_slices);
    if (i >= args.count)
        return;
    const uint b = i / slices, s = i % slices;
    const uint base = b * (2u * args.out_slices + 2u * args.cell_slices);
    const uint at = base + (OUT ? (args.last & 1u) * args.out_slices : 0u) + s;
    const uint cell = base + 2u * args.out_slices + s;
    if (s < args.out_slices) {
        if (OUT)
            h[b * args.out_slices + s] = STORE(state[at]);
        else
            state[at] = vec4(h[b * args.out_slices + s]);
    }
    if (s < args.cell_slices) {
        if (OUT)
            c[b * args.cell_slices + s] = STORE(state[cell]);
        else
            state[cell] = vec4(c[b * args.cell_slices + s]);
    }
}
