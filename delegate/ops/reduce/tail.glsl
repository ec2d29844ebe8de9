// The SOFTMAX of the few rows of a product, which the last workgroup of the product computes: the
// product writes its result behind its weights, and `dst` is that of the SOFTMAX.
//
// The shader defines args, with a member tail.
#include "delegate/ops/reduce/last_workgroup.glsl"

layout(set = 0, binding = 2) coherent buffer Products { STORED products[]; };

// Where the rows begin.
uint first_product() { return (args.tail.at + 1u) * (32u / ELEMENT_BITS); }

// An invocation loads its first slice of a row once: a coherent load comes from afar.
SLICE kept;
uint kept_at;

void keep_product(uint i)
{
    kept = SLICE(products[i]);
    kept_at = i;
}

SLICE product_at(uint i)
{
    if (i == kept_at)
        return kept;
    return SLICE(products[i]);
}

bool is_tail() { return is_last_of(args.count, TAIL_COUNTER_WORDS * args.tail.at); }
