// SOFTMAX of 8-bit tensors over the channels: dst [rows,C].  The host packed exp() of the 256
// differences that an element may have to the row's maximum, in Q0.31; sums are Q12.19, results in
// units of 1/256.  A workgroup computes a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/softmax_int8.args.h"
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Exponentials { int exponentials[]; };

layout(constant_id = SOFTMAX_INT8_SPEC_SIGNED) const bool SIGNED = false;

const uint SUM_SHIFT = 12u;
// From this sum on every quotient rounds to 0, so that a larger one makes no difference.
const uint SUM_MAX = 512u << 19u;

// Differences of channels are 0 to -255; that of a padded lane is masked to be inside the table.
int exponential(int difference) { return exponentials[uint(-difference) & 0xffu]; }

#define ADD_SATURATED(a, b) min((a) + (b), SUM_MAX)
REDUCE_MEMORY(uint)
REDUCE_IN_WORKGROUP(uint, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(uint, sum_in_workgroup, ADD_SATURATED)

void main()
{
    const bool live = group() < args.count;
    const uint base = min(group(), args.count - 1u) * args.slices;
    const int low = SIGNED ? -128 : 0;

    int peak = low;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 v = mix(ivec4(low), unpacked(src[base + s], SIGNED), lanes(s, args.channels));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    peak = int(max_in_workgroup(uint(peak - low))) + low;

    uint sum = 0u;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 d = unpacked(src[base + s], SIGNED) - peak;
        const uvec4 e = uvec4(fixed_rounding_shift_right(exponential(d.x), int(SUM_SHIFT)),
                              fixed_rounding_shift_right(exponential(d.y), int(SUM_SHIFT)),
                              fixed_rounding_shift_right(exponential(d.z), int(SUM_SHIFT)),
                              fixed_rounding_shift_right(exponential(d.w), int(SUM_SHIFT)));
        const uvec4 counted = mix(uvec4(0u), e, lanes(s, args.channels));
        sum = min(sum + counted.x + counted.y + counted.z + counted.w, SUM_MAX);
    }
    barrier(); // every invocation has read the peak
    sum = sum_in_workgroup(sum);

    if (!live)
        return;
    const int zeros = 31 - findMSB(sum);
    const int inverse =
        sum < SUM_MAX ? fixed_one_over_one_plus(int(sum << zeros & 0x7fffffffu)) : 0;
    const int down = sum < SUM_MAX ? int(SUM_SHIFT) - zeros + 31 - 8 : 0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 d = unpacked(src[base + s], SIGNED) - peak;
        const ivec4 y =
            ivec4(fixed_rounding_shift_right(fixed_mul_high(inverse, exponential(d.x)), down),
                  fixed_rounding_shift_right(fixed_mul_high(inverse, exponential(d.y)), down),
                  fixed_rounding_shift_right(fixed_mul_high(inverse, exponential(d.z)), down),
                  fixed_rounding_shift_right(fixed_mul_high(inverse, exponential(d.w)), down));
        dst[base + s] = packed_bytes(min(y, ivec4(255)) + low);
    }
}
