// FULLY_CONNECTED.  src [B,K], dst [B,U]; weights [K padded to 4][U] as vec4 of 4 outputs, bias
// [U]. A workgroup computes gl_WorkGroupSize.x output slices of one row; invocation y adds up input
// slices y, y + gl_WorkGroupSize.y, ..., and the shares are added in the order of y.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/fully_connected.args.h"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = FULLY_CONNECTED_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = FULLY_CONNECTED_SPEC_WIDE) const bool WIDE = false;
layout(constant_id = FULLY_CONNECTED_SPEC_RESIDUAL) const bool RESIDUAL = false;

layout(set = 0, binding = 0) writeonly buffer WritesWide { vec4 wide[]; };

#include "delegate/ops/product/matmul.glsl"

shared vec4 part[gl_WorkGroupSize.x * gl_WorkGroupSize.y];

void main()
{
    const uint blocks = (args.out_slices + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    const uint row = group() / blocks;
    const uint out_slice = (group() % blocks) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const bool live = group() < args.count && out_slice < args.out_slices;

    vec4 sum = vec4(0.0);
    if (live)
        for (uint s = gl_LocalInvocationID.y; s < args.in_slices; s += gl_WorkGroupSize.y) {
            const vec4 x = masked(vec4(src[row * args.in_slices + s]), s, args.in_channels);
            sum = add_products(sum, x,
                               weights_at(4u * s * args.out_slices + out_slice, args.out_slices));
        }
    part[gl_LocalInvocationIndex] = sum;
    barrier();
    if (!live || gl_LocalInvocationID.y != 0u)
        return;
    for (uint y = 1u; y < gl_WorkGroupSize.y; y++)
        sum += part[y * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
    const uint at = row * args.out_slices + out_slice;
    sum += bias[out_slice];
    if (RESIDUAL)
        sum = added(sum, vec4(residual[at]));
    const vec4 v = activate(sum, ACTIVATION);
    if (WIDE)
        wide[at] = v;
    else
        dst[at] = STORE(v);
}
