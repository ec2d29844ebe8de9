// MEAN.  The dims of src but the last are given as up to 4 kept and 4 reduced groups, outermost first,
// with their strides in rows; the last dim, the channels, is kept or reduced as a whole.
// A workgroup computes one slice of dst: its invocations share out the elements, then sum up.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/reduce.args.h"

WRITES(0, dst);
READS(1, src);

layout(constant_id = REDUCE_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;

shared vec4 part[gl_WorkGroupSize.x];

// The row of src at index i over the kept (reduced) groups.
uint kept_row(uint i)
{
    uint row = 0u;
    for (int g = 3; g >= 0; g--) {
        row += i % args.kept_size[g] * args.kept_stride[g];
        i /= args.kept_size[g];
    }
    return row;
}

uint reduced_row(uint i)
{
    uint row = 0u;
    for (int g = 3; g >= 0; g--) {
        row += i % args.reduced_size[g] * args.reduced_stride[g];
        i /= args.reduced_size[g];
    }
    return row;
}

// The 4 elements of dst from `first` on, each a sum over channels and rows.
vec4 sum_over_channels(uint first, uint n)
{
    vec4 sum = vec4(0.0);
    for (uint lane = 0u; lane < n; lane++) {
        const uint base = kept_row(first + lane);
        for (uint k = gl_LocalInvocationID.x; k < args.rows * args.in_slices;
             k += gl_WorkGroupSize.x) {
            const uint s = k % args.in_slices;
            const uint row = base + reduced_row(k / args.in_slices);
            const vec4 v = masked(vec4(src[row * args.in_slices + s]), s, args.in_channels);
            sum[lane] += (v.x + v.y) + (v.z + v.w);
        }
    }
    return sum;
}

vec4 sum_over_rows(uint row, uint s)
{
    const uint base = kept_row(row);
    vec4 sum = vec4(0.0);
    for (uint k = gl_LocalInvocationID.x; k < args.rows; k += gl_WorkGroupSize.x)
        sum += vec4(src[(base + reduced_row(k)) * args.in_slices + s]);
    return sum;
}

void main()
{
    const bool live = group() < args.count;
    const uint i = min(group(), args.count - 1u);
    const uint row = i / args.out_slices;
    const uint s = i % args.out_slices;
    const uint me = gl_LocalInvocationID.x;

    part[me] = OVER_CHANNELS ? sum_over_channels(row * args.out_channels + 4u * s,
                                                 min(4u, args.out_channels - 4u * s))
                             : sum_over_rows(row, s);
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        barrier();
        if (me < n)
            part[me] += part[me + n];
    }
    if (me == 0u && live)
        dst[i] = STORED(part[0] / args.terms);
}
