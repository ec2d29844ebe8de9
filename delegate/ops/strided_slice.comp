// STRIDED_SLICE.  Places in src are counted in elements of its padded rows.  The place of an
// element of dst is `base`, plus `step` for each channel, plus a step for each of the dims but the
// last, given innermost first; steps may be negative (sums wrap).  An invocation computes one slice
// of dst.
// Elements: f32 f16 byte word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/strided_slice.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = STRIDED_SLICE_SPEC_WHOLE) const bool WHOLE = false;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    uint row = i / args.slices;
    uint from = args.base;
    for (uint d = 0u; d < args.dims; d++) {
        from += row % args.size_of[d] * args.step_of[d];
        row /= args.size_of[d];
    }
    if (WHOLE) {
        dst[i] = src[from / 4u + s];
        return;
    }
    SLICE v = SLICE(0);
    for (uint lane = 0u; lane < 4u; lane++) {
        // Padded lanes repeat the last channel: they may hold anything, but must read inside src.
        const uint at = from + min(4u * s + lane, args.channels - 1u) * args.step;
        v = with_element(v, lane, element_at(SLICE(src[at / 4u]), at % 4u));
    }
    dst[i] = STORED(v);
}
