// MEAN of 8-bit tensors, and AVERAGE_POOL_2D over a whole image.  The dims of src but the last are given as up to 4 kept and 4 reduced groups,
// outermost first, with their strides in rows; the last dim, the channels, is kept or reduced as a
// whole.  In a MEAN one factor divides and requantizes; an AVERAGE of the integers, as they are, has ties
// away from zero.  A workgroup computes one slice of dst: its invocations
// share out the elements, then sum up.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/reduce.args.h"

INT_WRITES(0, dst);
INT_READS(1, src);

layout(constant_id = REDUCE_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;
layout(constant_id = REDUCE_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = REDUCE_SPEC_AVERAGE) const bool AVERAGE = false;

shared ivec4 part[gl_WorkGroupSize.x];

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

ivec4 load(uint row, uint s) { return unpacked(src[row * args.in_slices + s], SIGNED) - args.in_zero; }

// The 4 elements of dst from `first` on, each a sum over channels and rows.
ivec4 sum_over_channels(uint first, uint n)
{
    ivec4 sum = ivec4(0);
    for (uint lane = 0u; lane < n; lane++) {
        const uint base = kept_row(first + lane);
        for (uint k = gl_LocalInvocationID.x; k < args.rows * args.in_slices;
             k += gl_WorkGroupSize.x) {
            const uint s = k % args.in_slices;
            const uvec4 c = uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u);
            const ivec4 v = mix(ivec4(0), load(base + reduced_row(k / args.in_slices), s),
                                lessThan(c, uvec4(args.in_channels)));
            sum[lane] += v.x + v.y + v.z + v.w;
        }
    }
    return sum;
}

ivec4 sum_over_rows(uint row, uint s)
{
    const uint base = kept_row(row);
    ivec4 sum = ivec4(0);
    for (uint k = gl_LocalInvocationID.x; k < args.rows; k += gl_WorkGroupSize.x)
        sum += load(base + reduced_row(k), s);
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
    if (me != 0u || !live)
        return;
    const ivec4 sum = part[0];
    const uint n = uint(args.factor);
    const ivec4 y = AVERAGE ? ivec4((uvec4(abs(sum)) + n / 2u) / n) * sign(sum)
                            : fixed_multiply(sum, ivec4(args.factor), ivec4(args.shift));
    dst[i] = packed_bytes(clamp(y, ivec4(args.low), ivec4(args.high)) + args.out_zero);
}
