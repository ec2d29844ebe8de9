// PAD with zeros.  The dims but the last are given as 5, outermost first; the last is the channels.
// An invocation computes one slice of dst.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/pad.args.h"

WRITES(0, dst);
READS(1, src);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.out_slices;
    uint row = i / args.out_slices;
    uint from = 0u, pitch = 1u;
    bool inside = true;
    for (int d = 4; d >= 0; d--) {
        // Below `before` this wraps to a large number, which is outside too.
        const uint k = row % args.out_size[d] - args.before[d];
        row /= args.out_size[d];
        inside = inside && k < args.in_size[d];
        from += k * pitch;
        pitch *= args.in_size[d];
    }
    vec4 v = vec4(0.0);
    if (inside) {
        if (args.before_channels == 0u) {
            if (s < args.in_slices)
                v = masked(vec4(src[from * args.in_slices + s]), s, args.in_channels);
        } else {
            for (uint lane = 0u; lane < 4u; lane++) {
                const uint c = 4u * s + lane - args.before_channels;
                if (c < args.in_channels)
                    v[lane] = vec4(src[from * args.in_slices + c / 4u])[c % 4u];
            }
        }
    }
    dst[i] = STORED(v);
}
