// Each element of dst is the element of src at an index that each dimension gives for itself, or
// `fill`.  `index` has the indices of the innermost dim but the channels, then those of the next
// one, ..., as numbers of rows of src, then those of the channels.  An invocation computes one
// slice of dst.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/take.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS(1, src);
READS_WORDS(2, index);

layout(constant_id = TAKE_SPEC_DIMS) const int DIMS = TAKE_OUTER;
layout(constant_id = TAKE_SPEC_CHANNELS) const bool CHANNELS = false;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.out_slices;
    uint row = i / args.out_slices;
    uint from = 0u, table = 0u;
    bool inside = true;
    for (int d = TAKE_OUTER - 1; d >= TAKE_OUTER - DIMS; d--) {
        const uint at = index[table + row % args.out_size[d]];
        row /= args.out_size[d];
        table += args.out_size[d];
        inside = inside && at != TAKE_OUTSIDE;
        from += at;
    }
    SLICE v = SLICE(args.fill);
    if (inside && !CHANNELS) {
        v = SLICE(src[from * args.in_slices + s]);
    } else if (inside) {
        for (uint lane = 0u; lane < 4u && 4u * s + lane < args.channels; lane++) {
            const uint c = index[table + 4u * s + lane];
            if (c != TAKE_OUTSIDE)
                v = with_element(v, lane,
                                 element_at(SLICE(src[from * args.in_slices + c / 4u]), c % 4u));
        }
    }
    dst[i] = STORED(v);
}
