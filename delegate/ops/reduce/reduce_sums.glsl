// What reduce.comp and reduce_int8.comp share: which rows a result is made of, and how they are
// combined.  SUM is the type of a combination of 4 channels, LOWEST and HIGHEST are the numbers
// that MAX and MIN begin with; load() gives the elements of a slice.
#include "delegate/ops/reduce/reduce.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"

layout(constant_id = REDUCE_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;
layout(constant_id = REDUCE_SPEC_OP) const uint OP = REDUCE_MEAN;

SUM combine(SUM a, SUM b)
{
    if (OP == REDUCE_MAX)
        return mix(a, b, greaterThan(b, a));
    if (OP == REDUCE_MIN)
        return mix(a, b, lessThan(b, a));
    return OP == REDUCE_PROD ? a * b : a + b;
}

// What changes nothing that it is combined with.
SUM nothing()
{
    if (OP == REDUCE_MAX)
        return SUM(LOWEST);
    if (OP == REDUCE_MIN)
        return SUM(HIGHEST);
    return OP == REDUCE_PROD ? SUM(1) : SUM(0);
}

REDUCE_MEMORY(SUM)
REDUCE_IN_WORKGROUP(SUM, sum_in_workgroup, combine)

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

// This invocation's share of the n elements of dst from `first` on, each over channels and rows.
SUM sum_over_channels(uint first, uint n)
{
    SUM sum = nothing();
    for (uint lane = 0u; lane < n; lane++) {
        const uint base = kept_row(first + lane);
        for (uint k = gl_LocalInvocationID.x; k < args.rows * args.in_slices;
             k += gl_WorkGroupSize.x) {
            const uint s = k % args.in_slices;
            SUM v = mix(nothing(), load(base + reduced_row(k / args.in_slices), s),
                        lanes(s, args.in_channels));
            v = combine(v, v.yxwz);
            sum[lane] = combine(sum, combine(v, v.zwxy))[lane];
        }
    }
    return sum;
}

// This invocation's share of a slice of dst, over rows.
SUM sum_over_rows(uint row, uint s)
{
    const uint base = kept_row(row);
    SUM sum = nothing();
    for (uint k = gl_LocalInvocationID.x; k < args.rows; k += gl_WorkGroupSize.x)
        sum = combine(sum, load(base + reduced_row(k), s));
    return sum;
}

// Slice i of dst, before a MEAN is divided, for every invocation of the workgroup.
SUM sum_of(uint i)
{
    const uint row = i / args.out_slices;
    const uint s = i % args.out_slices;

    return sum_in_workgroup(OVER_CHANNELS ? sum_over_channels(row * args.out_channels + 4u * s,
                                                              min(4u, args.out_channels - 4u * s))
                                          : sum_over_rows(row, s));
}
