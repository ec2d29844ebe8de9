// What reduce.comp and reduce_int8.comp share: which rows a result is made of, and how they are
// combined.  SUM is the type of a combination of 4 channels, LOWEST and HIGHEST are the numbers
// that MAX and MIN begin with; load() gives the elements of a slice.
#include "delegate/ops/reduce/reduce.args.h"
#include "delegate/shaders/reduce_in_workgroup.glsl"

layout(constant_id = REDUCE_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;
layout(constant_id = REDUCE_SPEC_OP) const uint OP = REDUCE_MEAN;
layout(constant_id = REDUCE_SPEC_STAGE) const uint STAGE = REDUCE_WHOLE;

const bool ALONE = STAGE == REDUCE_ALONE;
const uint STEP = ALONE ? 1u : gl_WorkGroupSize.x;

// [parts][slices of dst], in place of dst, or of src.
layout(set = 0, binding = 0) writeonly buffer PartsOut { SUM parts_out[]; };
layout(set = 0, binding = 1) readonly buffer PartsIn { SUM parts_in[]; };

uint in_slices() { return (args.in_channels + 3u) / 4u; }
uint out_slices() { return (args.out_channels + 3u) / 4u; }

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

// The row of src at index i over the kept (reduced) groups.  Most tensors have one group, and no
// quotients.
uint kept_row(uint i)
{
    uint row = 0u;
    int g = REDUCE_GROUPS - 1;
    for (; g > 0 && i >= args.kept_size[g]; g--) {
        row += i % args.kept_size[g] * args.kept_stride[g];
        i /= args.kept_size[g];
    }
    return row + i * args.kept_stride[g];
}

uint reduced_row(uint i)
{
    uint row = 0u;
    int g = REDUCE_GROUPS - 1;
    for (; g > 0 && i >= args.reduced_size[g]; g--) {
        row += i % args.reduced_size[g] * args.reduced_stride[g];
        i /= args.reduced_size[g];
    }
    return row + i * args.reduced_stride[g];
}

// This invocation's share of elements `from` to `to` of n elements of dst from `first` on, each
// over channels and rows.
SUM sum_over_channels(uint first, uint n, uint from, uint to)
{
    SUM sum = nothing();
    for (uint lane = 0u; lane < n; lane++) {
        const uint base = kept_row(first + lane);
        for (uint k = from; k < to; k += STEP) {
            const uint s = k % in_slices();
            SUM v = mix(nothing(), load(base + reduced_row(k / in_slices()), s),
                        lanes(s, args.in_channels));
            v = combine(v, v.yxwz);
            sum[lane] = combine(sum, combine(v, v.zwxy))[lane];
        }
    }
    return sum;
}

// This invocation's share of rows `from` to `to` of a slice of dst.
SUM sum_over_rows(uint row, uint s, uint from, uint to)
{
    const uint base = kept_row(row);
    SUM sum = nothing();
    for (uint k = from; k < to; k += STEP)
        sum = combine(sum, load(base + reduced_row(k), s));
    return sum;
}

// Slice i of dst of one part of its elements, before a MEAN is divided, for every invocation of the
// workgroup.
SUM sum_of(uint i, uint part)
{
    const uint row = i / out_slices();
    const uint s = i % out_slices();
    const uint count = OVER_CHANNELS ? args.rows * in_slices() : args.rows;
    const uint size = (count + args.parts - 1u) / args.parts;
    const uint to = min((part + 1u) * size, count);
    uint from = part * size + (ALONE ? 0u : gl_LocalInvocationID.x);
    SUM sum = nothing();

    if (STAGE == REDUCE_OF_PARTS)
        for (; from < args.rows; from += gl_WorkGroupSize.x)
            sum = combine(sum, parts_in[from * args.count + i]);
    else if (OVER_CHANNELS)
        sum = sum_over_channels(row * args.out_channels + 4u * s,
                                min(4u, args.out_channels - 4u * s), from, to);
    else
        sum = sum_over_rows(row, s, from, to);
    return ALONE ? sum : sum_in_workgroup(sum);
}

// Whether this invocation stores slice `i` of dst, of which `sum` is all.
bool is_whole(out uint i, out SUM sum)
{
    const uint groups = args.count * args.parts;
    const uint mine = ALONE ? item() : group();
    const uint g = min(mine, groups - 1u);

    i = STAGE == REDUCE_PARTS ? g % args.count : g;
    sum = sum_of(i, STAGE == REDUCE_PARTS ? g / args.count : 0u);
    if (!ALONE && gl_LocalInvocationID.x != 0u || mine >= groups)
        return false;
    if (STAGE == REDUCE_PARTS)
        parts_out[g] = sum;
    return STAGE != REDUCE_PARTS;
}
