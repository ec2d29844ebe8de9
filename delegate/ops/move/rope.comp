// Rotary embedding: the halves (a, b) of each row become (a cos - b sin, b cos + a sin), which
// transform `rope` makes of SLICE, MUL, SUB, ADD and CONCATENATION.  src, dst [rows][2 * slices],
// cosines and sines [positions][slices].  An invocation computes a slice of both halves.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/rope.args.h"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, cosines);
READS(3, sines);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.slices, s = i % args.slices;
    const uint first = 2u * row * args.slices + s, second = first + args.slices;
    const uint angle = row / args.inner % args.positions * args.slices + s;
    const vec4 a = vec4(src[first]), b = vec4(src[second]);
    const vec4 c = vec4(cosines[angle]), d = vec4(sines[angle]);
    dst[first] = STORE(a * c - b * d);
    dst[second] = STORE(b * c + a * d);
}
