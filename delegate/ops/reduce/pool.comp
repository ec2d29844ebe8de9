// AVERAGE_POOL_2D, MAX_POOL_2D.  src [N,H,W,C], dst [N,OH,OW,C].  The window is clipped to the
// image; the average divides by the number of pixels inside it.  An invocation computes one pixel
// of one slice.
//
// With ZEROS a PAD became part of the node: the maximum is over the zeros around the image, too.
// It keeps the first of -0.0 and 0.0, and is never NaN, so the zeros are taken in the order of the
// padded image, and the result has its bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/pool.glsl"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);

layout(constant_id = POOL_SPEC_ACTIVATION) const uint ACTIVATION = 0u;

vec4 larger(vec4 v, vec4 p) { return mix(v, p, greaterThan(p, v)); }

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const Window w = window_of(i);
    vec4 v = MAXIMUM && !(ZEROS && w.before) ? vec4(LOWEST) : vec4(0.0);
    for (uint y = w.y0; y < w.y1; y++) {
        for (uint x = w.x0; x < w.x1; x++) {
            const vec4 p = vec4(src[place_of(w, y, x)]);
            v = MAXIMUM ? larger(v, p) : v + p;
        }
        if (ZEROS && w.right)
            v = larger(v, vec4(0.0));
    }
    if (ZEROS && w.below)
        v = larger(v, vec4(0.0));
    if (!MAXIMUM)
        v /= float(pixels_of(w));
    dst[i] = STORE(activate(v, ACTIVATION));
}
