// PAD of 8-bit tensors with their zero point.  The dims but the last are given as 5, outermost first;
// the last is the channels.  An invocation computes one slice of dst.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/pad.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

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
    uint word = args.fill;
    if (inside && args.before_channels == 0u && 4u * s + 4u <= args.in_channels) {
        word = src[from * args.in_slices + s];
    } else if (inside) {
        for (uint lane = 0u; lane < 4u; lane++) {
            const uint c = 4u * s + lane - args.before_channels;
            if (c < args.in_channels)
                word = with_byte(word, lane, byte_at(src[from * args.in_slices + c / 4u], c % 4u));
        }
    }
    dst[i] = word;
}
