// f32 slices to the storage type.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
CONSTANTS(1, src);

layout(push_constant) uniform Args { uint count; } args;

void main()
{
    const uint i = item();
    if (i < args.count)
        dst[i] = STORED(src[i]);
}
