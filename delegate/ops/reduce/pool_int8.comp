// AVERAGE_POOL_2D, MAX_POOL_2D of 8-bit and i16 tensors, as pool.comp has them.  The average of the
// integers is over the pixels inside the window, ties away from zero, whatever the zero point is.
// With ZEROS the maximum is over the zero points around the image, too, in any order.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/pool.glsl"
#include "delegate/shaders/integer.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = POOL_SPEC_SIGNED) const bool SIGNED = false;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const Window w = window_of(i);
    ivec4 v = ivec4(MAXIMUM ? LOWEST_INTEGER : 0);
    for (uint y = w.y0; y < w.y1; y++)
        for (uint x = w.x0; x < w.x1; x++) {
            const ivec4 p = unpacked(src[place_of(w, y, x)], SIGNED);
            v = MAXIMUM ? max(v, p) : v + p;
        }
    if (ZEROS && (w.before || w.right || w.below))
        v = max(v, ivec4(args.zero));
    if (!MAXIMUM) {
        const uint n = pixels_of(w);
        v = ivec4((uvec4(abs(v)) + n / 2u) / n) * sign(v);
    }
    dst[i] = packed_slice(clamp(v, ivec4(args.low), ivec4(args.high)));
}
