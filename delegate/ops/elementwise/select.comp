// SELECT, SELECT_V2 with broadcasting: elements of a where the condition, bytes of bool, is not 0,
// else of b.  Bits are moved, so f32 and i32 have one shader, and f16 that of 16 bits.
// Variants: byte short word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/select.args.h"
#include "delegate/shaders/element.glsl"

WRITES(0, dst);
READS_WORDS(1, condition);
READS(2, src_a);
READS(3, src_b);

layout(constant_id = SELECT_SPEC_BROADCAST_C) const bool BROADCAST_C = false;
layout(constant_id = SELECT_SPEC_BROADCAST_A) const bool BROADCAST_A = false;
layout(constant_id = SELECT_SPEC_BROADCAST_B) const bool BROADCAST_B = false;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint s = i % args.slices;
    uint row = i / args.slices;
    uint c = BROADCAST_C ? 0u : s, a = BROADCAST_A ? 0u : s, b = BROADCAST_B ? 0u : s;
    for (int d = SELECT_OUTER - 1; d >= 0; d--) {
        const uint k = row % args.size[d];
        row /= args.size[d];
        c += k * args.stride_c[d];
        a += k * args.stride_a[d];
        b += k * args.stride_b[d];
    }
    const uint conditions = condition[c];
    const SLICE of_a = src_a[a], of_b = src_b[b];
    SLICE v = of_b;
    for (uint lane = 0u; lane < 4u; lane++) {
        const VALUE from_a = element_at(of_a, BROADCAST_A ? 0u : lane);
        const VALUE from_b = element_at(of_b, BROADCAST_B ? 0u : lane);
        v = with_element(v, lane,
                         byte_at(conditions, BROADCAST_C ? 0u : lane) != 0u ? from_a : from_b);
    }
    dst[i] = v;
}
