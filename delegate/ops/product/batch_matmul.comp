// BATCH_MATMUL of floats: src and other are rows of channels, constant or computed.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, other);

#define VEC vec4
// No function: one that returns f16 needs the capability Float16.
#define RESULT(sum) STORE(sum)
#include "delegate/ops/product/batch_matmul.glsl"

vec4 load_x(uint i) { return vec4(src[i]); }
vec4 load_y(uint i) { return vec4(other[i]); }
