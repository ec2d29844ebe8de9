// What binary.comp and binary_int8.comp share: the op, and where element i of dst has its operands.
#include "delegate/ops/elementwise/binary_grid.args.h"

layout(constant_id = BINARY_SPEC_OP) const uint OP = BINARY_ADD;
layout(constant_id = BINARY_SPEC_BROADCAST_A) const bool BROADCAST_A = false;
layout(constant_id = BINARY_SPEC_BROADCAST_B) const bool BROADCAST_B = false;

// The slices of both operands for slice i of dst; of an operand with one channel lane 0 counts.
struct Places {
    uint a, b;
};

Places places_of(uint i)
{
    const uint s = i % args.grid.slices;
    uint row = i / args.grid.slices;
    Places at = Places(BROADCAST_A ? 0u : s, BROADCAST_B ? 0u : s);
    for (int g = BINARY_OUTER - 1; g >= 0; g--) {
        const uint k = row % args.grid.size[g];
        row /= args.grid.size[g];
        at.a += k * args.grid.stride_a[g];
        at.b += k * args.grid.stride_b[g];
    }
    return at;
}
