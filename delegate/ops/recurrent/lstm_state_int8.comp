// The full LSTM i8: moves h [B,O] of bytes and c [B,A] of shorts into the state, 32-bit integers,
// or the state behind `last` steps out to them, as lstm_state.comp.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/recurrent/lstm_full.args.h"

UPDATES(0, h);
layout(set = 0, binding = 1) buffer Cells { uvec2 c[]; };
layout(set = 0, binding = 2) buffer State { ivec4 state[]; };

layout(constant_id = LSTM_STATE_SPEC_OUT) const bool OUT = false;

int short_of(uvec2 slice, uint lane)
{
    return bitfieldExtract(int(slice[lane / 2u]), int(16u * (lane % 2u)), 16);
}

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
    const uint own = b * args.cell_slices + s;
    if (s < args.out_slices) {
        if (OUT)
            h[b * args.out_slices + s] = packed_bytes(state[at]);
        else
            state[at] = unpacked(h[b * args.out_slices + s], true);
    }
    if (s < args.cell_slices) {
        if (OUT)
            c[own] = uvec2(packed_shorts(state[cell].x, state[cell].y),
                           packed_shorts(state[cell].z, state[cell].w));
        else
            state[cell] = ivec4(short_of(c[own], 0u), short_of(c[own], 1u), short_of(c[own], 2u),
                                short_of(c[own], 3u));
    }
}
