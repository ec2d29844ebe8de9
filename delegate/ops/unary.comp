// RELU, RELU6: one slice an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = 3) const uint ACTIVATION = 1u;

layout(push_constant) uniform Args { uint count; } args;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    dst[i] = STORED(activate(vec4(src[i]), ACTIVATION));
}
