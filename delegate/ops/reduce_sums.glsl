// What reduce.comp and reduce_int8.comp share: which rows a result is made of, and the sums.  SUM
// is the type of a sum of 4 channels, load() gives the elements of a slice as one.
#include "delegate/ops/reduce.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"

layout(constant_id = REDUCE_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;

REDUCE_MEMORY(SUM)
REDUCE_IN_WORKGROUP(SUM, sum_in_workgroup, ADD)

SUM load(uint row, uint s);

// The row of src at index i over the kept (reduced) groups.
uint kept_row(uint i)
{
    uint row = 0u;
    for (int g = REDUCE_GROUPS - 1; g >= 0; g--) {
        row += i % args.kept_size[g] * args.kept_stride[g];
        i /= args.kept_size[g];
    }
    return row;
}

uint reduced_row(uint i)
{
    uint row = 0u;
    for (int g = REDUCE_GROUPS - 1; g >= 0; g--) {
        row += i % args.reduced_size[g] * args.reduced_stride[g];
        i /= args.reduced_size[g];
    }
    return row;
}

// This invocation's share of the n elements of dst from `first` on, each a sum over channels and
// rows.
SUM sum_over_channels(uint first, uint n)
{
    SUM sum = SUM(0);
    for (uint lane = 0u; lane < n; lane++) {
        const uint base = kept_row(first + lane);
        for (uint k = gl_LocalInvocationID.x; k < args.rows * args.in_slices;
             k += gl_WorkGroupSize.x) {
            const uint s = k % args.in_slices;
            const SUM v = mix(SUM(0), load(base + reduced_row(k / args.in_slices), s),
                              lanes(s, args.in_channels));
            sum[lane] += (v.x + v.y) + (v.z + v.w);
        }
    }
    return sum;
}

// This invocation's share of a slice of dst, a sum over rows.
SUM sum_over_rows(uint row, uint s)
{
    const uint base = kept_row(row);
    SUM sum = SUM(0);
    for (uint k = gl_LocalInvocationID.x; k < args.rows; k += gl_WorkGroupSize.x)
        sum += load(base + reduced_row(k), s);
    return sum;
}

// The sum of slice i of dst, for every invocation of the workgroup.
SUM sum_of(uint i)
{
    const uint row = i / args.out_slices;
    const uint s = i % args.out_slices;

    return sum_in_workgroup(OVER_CHANNELS ? sum_over_channels(row * args.out_channels + 4u * s,
                                                              min(4u, args.out_channels - 4u * s))
                                          : sum_over_rows(row, s));
}
