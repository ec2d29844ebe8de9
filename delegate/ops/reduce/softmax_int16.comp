// SOFTMAX of i16 over the channels: dst [rows,C] in units of 2^-15.  The host packed TensorFlow
// Lite's tables of 513 entries in Q0.15: e^x over [-10, 0], then 1 / (1 + x) over [0, 1].  A
// workgroup computes a row.
//
// Variants: i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/softmax_int16.args.h"
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Tables { int tables[]; };

REDUCE_MEMORY(uint)
REDUCE_IN_WORKGROUP(uint, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(uint, sum_in_workgroup, ADD)

// Linear interpolation between two of the entries from `first` on; x is an i16.
int look_up(uint first, int x)
{
    const uint at = first + uint(256 + (x >> 7));
    return tables[at] + ((tables[at + 1u] - tables[at]) * (x & 0x7f) + 64 >> 7);
}

// Of differences to the row's maximum; those of padded lanes may be any.
ivec4 powers(ivec4 differences)
{
    const ivec4 v = fixed_multiply(differences, ivec4(args.multiplier), ivec4(args.shift));
    const ivec4 x = clamp(v, -65535, 0) + 32767;
    return ivec4(look_up(0u, x.x), look_up(0u, x.y), look_up(0u, x.z), look_up(0u, x.w));
}

void main()
{
    const bool live = group() < args.count;
    const uint base = min(group(), args.count - 1u) * args.slices;

    uint largest = 0u;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 v = unpacked(src[base + s], true) - LOWEST_INTEGER;
        const uvec4 counted = mix(uvec4(0u), uvec4(v), lanes(s, args.channels));
        largest = max(largest, max(max(counted.x, counted.y), max(counted.z, counted.w)));
    }
    const int peak = int(max_in_workgroup(largest)) + LOWEST_INTEGER;

    uint sum = 0u;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 e = powers(unpacked(src[base + s], true) - peak);
        const uvec4 counted = mix(uvec4(0u), uvec4(e), lanes(s, args.channels));
        sum += counted.x + counted.y + counted.z + counted.w;
    }
    barrier(); // every invocation has read the peak
    sum = sum_in_workgroup(sum);

    if (!live)
        return;
    // The sum is 2^down r with r in [1, 2), in Q0.15; it is below 2^31.
    const int down = findMSB(sum);
    const int r = int(((sum << uint(30 - down)) + 0x2000u) >> 14u) - 0x18000;
    const int inverse = look_up(513u, min(r, 0x7fff));
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 e = powers(unpacked(src[base + s], true) - peak);
        dst[base + s] =
            packed_slice(clamp(e * inverse + (1 << down - 1) >> down, ivec4(0), ivec4(0x7fff)));
    }
}
