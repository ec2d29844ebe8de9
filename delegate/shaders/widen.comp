// Slices of the storage type to f32.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/count.args.h"

layout(set = 0, binding = 0) writeonly buffer Wide { vec4 dst[]; };
READS(1, src);

void main()
{
    const uint i = item();
    if (i < args.count)
        dst[i] = vec4(src[i]);
}
