// PAD with zeros, which are the zero point of 8-bit tensors.  The dims but the last are given as 5,
// outermost first; the last is the channels.  An invocation computes one slice of dst.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/pad.args.h"
#include "delegate/shaders/element.glsl"

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
    for (int d = PAD_OUTER - 1; d >= 0; d--) {
        // Below `before` this wraps to a large number, which is outside too.
        const uint k = row % args.out_size[d] - args.before[d];
        row /= args.out_size[d];
        inside = inside && k < args.in_size[d];
        from += k * pitch;
        pitch *= args.in_size[d];
    }
    SLICE v = SLICE(args.fill);
    if (inside && args.before_channels == 0u && 4u * s + 4u <= args.in_channels) {
        v = SLICE(src[from * args.in_slices + s]);
    } else if (inside) {
        for (uint lane = 0u; lane < 4u; lane++) {
            const uint c = 4u * s + lane - args.before_channels;
            if (c < args.in_channels)
                v = with_element(v, lane,
                                 element_at(SLICE(src[from * args.in_slices + c / 4u]), c % 4u));
        }
    }
    dst[i] = STORED(v);
}
