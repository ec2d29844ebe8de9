// Elementwise ops of one input: one slice an invocation.  WORD is i32, BYTE is bool.
// Variants: f32 f16 byte word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/elementwise/elementwise.glsl"
#include "delegate/ops/elementwise/elementwise.args.h"

WRITES(0, dst);
READS(1, src);

layout(constant_id = ELEMENTWISE_SPEC_OP) const uint OP = ELEMENTWISE_TANH;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
#if ELEMENT == BYTE
    // Whatever is not 0 is true.
    const uint v = src[i];
    uint y = 0u;
    for (uint lane = 0u; lane < 4u; lane++)
        y = with_byte(y, lane, uint(byte_at(v, lane) == 0u));
    dst[i] = y;
#elif ELEMENT == WORD
    const ivec4 v = ivec4(src[i]);
    dst[i] = uvec4(OP == ELEMENTWISE_ABS ? abs(v) : OP == ELEMENTWISE_SIGN ? sign(v) : -v);
#else
    dst[i] = STORE(elementwise(vec4(src[i]), OP, args.alpha));
#endif
}
