// FULLY_CONNECTED.  src [B,K], dst [B,U]; weights [K padded to 4][U] as vec4 of 4 outputs, bias [U].
// A workgroup computes gl_WorkGroupSize.x output slices of one row; y shares out the sum over K.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = 3) const uint ACTIVATION = 0u;
layout(constant_id = 4) const bool WIDE = false; // dst is f32 in both precisions

layout(set = 0, binding = 0) writeonly buffer WritesWide { vec4 wide[]; };

layout(push_constant) uniform Args {
    uint count; // workgroups: rows * ceil(out_slices / gl_WorkGroupSize.x)
    uint in_channels, in_slices, out_slices;
} args;

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
            const uint w = 4u * s * args.out_slices + out_slice;
            sum += x.x * vec4(weights[w]);
            sum += x.y * vec4(weights[w + args.out_slices]);
            sum += x.z * vec4(weights[w + 2u * args.out_slices]);
            sum += x.w * vec4(weights[w + 3u * args.out_slices]);
        }
    part[gl_LocalInvocationIndex] = sum;
    barrier();
    if (!live || gl_LocalInvocationID.y != 0u)
        return;
    for (uint y = 1u; y < gl_WorkGroupSize.y; y++)
        sum += part[y * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
    const vec4 v = activate(sum + bias[out_slice], ACTIVATION);
    if (WIDE)
        wide[row * args.out_slices + out_slice] = v;
    else
        dst[row * args.out_slices + out_slice] = STORED(v);
}
