// MEAN.  The dims of src but the last are given as up to 4 kept and 4 reduced groups, outermost
// first, with their strides in rows; the last dim, the channels, is kept or reduced as a whole. A
// workgroup computes one slice of dst: its invocations share out the elements, then sum up.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#define SUM vec4
#include "delegate/ops/reduce_sums.glsl"

WRITES(0, dst);
READS(1, src);

vec4 load(uint row, uint s) { return vec4(src[row * args.in_slices + s]); }

void main()
{
    const uint i = min(group(), args.count - 1u);
    const vec4 sum = sum_of(i);
    if (gl_LocalInvocationID.x == 0u && group() < args.count)
        dst[i] = STORED(sum / args.terms);
}
