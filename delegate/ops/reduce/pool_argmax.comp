// MaxPoolingWithArgmax2D: the maximum of each window, and its index ky + kx * filter height.  An
// invocation computes one pixel of one slice.  Beyond the image a window repeats its border, of
// which the first place counts: the first row and column inside have ky and kx 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/pool_tiles.args.h"
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) writeonly buffer WritesIndices { uvec4 indices[]; };

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint pixel = i / args.slices, s = i % args.slices, row = pixel / args.out_w;
    const int top = int(row % args.out_h * args.filter_h) - args.pad_h;
    const int left = int(pixel % args.out_w * args.filter_w) - args.pad_w;
    const int y0 = max(top, 0), y1 = min(top + int(args.filter_h), int(args.in_h));
    const int x0 = max(left, 0), x1 = min(left + int(args.filter_w), int(args.in_w));
    const uint image = row / args.out_h * args.in_h;
    vec4 best = vec4(0.0);
    uvec4 at = uvec4(0u);
    for (int x = x0; x < x1; x++) {
        for (int y = y0; y < y1; y++) {
            const vec4 v = vec4(src[((image + uint(y)) * args.in_w + uint(x)) * args.slices + s]);
            const uint k =
                uint(x == x0 ? 0 : x - left) * args.filter_h + uint(y == y0 ? 0 : y - top);
            bvec4 larger = greaterThan(v, best);
            if (x == x0 && y == y0)
                larger = bvec4(true);
            best = mix(best, v, larger);
            at = mix(at, uvec4(k), larger);
        }
    }
    dst[i] = STORED(best);
    indices[i] = at;
}
