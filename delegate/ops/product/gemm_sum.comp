// Adds up what gemm.comp has written of each part of the depth: src [parts][pixels][output slices],
// dst [pixels][output slices].  One slice an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/gemm_sum.args.h"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
CONSTANTS(1, src);
CONSTANTS(2, bias);

layout(constant_id = GEMM_SUM_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = GEMM_SUM_SPEC_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = GEMM_SUM_SPEC_ROUNDED) const bool ROUNDED = false;
layout(constant_id = GEMM_SUM_SPEC_PARTS) const uint PARTS = 2u;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    vec4 v = src[i];
    for (uint part = 1u; part < PARTS; part++)
        v += src[part * args.count + i];
    v += bias[i % args.out_slices];
    if (RESIDUAL)
        v = added(v, vec4(residual[i]));
    v = activate(v, ACTIVATION);
    if (ROUNDED)
        v = on_steps(v, args.steps.scale, args.steps.low, args.steps.high);
    dst[i] = STORE(v);
}
