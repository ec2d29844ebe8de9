// f32 slices to the storage type.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/count.args.h"

WRITES(0, dst);
CONSTANTS(1, src);

void main()
{
    const uint i = item();
    if (i < args.count)
        dst[i] = STORE(src[i]);
}
