// TRANSPOSE_CONV of bytes.  src [N,H,W,I], dst [N,OH,OW,O]; weights [KH,KW,I,O]: a word has 4
// channels I of an output, a uvec4 the 4 outputs of a slice.  What I and O are padded with is 0.
//
// As in transpose_conv.comp an invocation gathers TILE pixels of one output slice, `stride` apart in
// a row.  Which taps count differs from pixel to pixel, and with it what the zero points zx of x and
// zw of w do to a sum,
//     sum (w - zw) (x - zx) = sum w x - zx sum w - zw sum (x - zx);
// a tap that counts for some pixels of a tile is zx for the others.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"

INT_WRITES(0, dst);
INT_READS(1, src);
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };

layout(constant_id = 3) const uint FLIP = 0u;
layout(constant_id = 4) const bool SUM_X = false; // zw is not 0

layout(push_constant) uniform Args {
    uint count; // invocations: rows of dst * tiles * out_slices
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_slices;
    uint tiles, phases; // of a row; phases: tiles that begin side by side
    uint kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    int x_zero, weight_zero;
    int zero, low, high;
} args;

const uint TILE = 4u;

ivec4 dots(uvec4 w, uint x) { return ivec4(dot4(w.x, x), dot4(w.y, x), dot4(w.z, x), dot4(w.w, x)); }

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.out_slices;
    const uint tile = i / args.out_slices % args.tiles;
    const uint row = i / args.out_slices / args.tiles;
    const uint image = row / args.out_h;
    const uint first = tile / args.phases * TILE * args.stride_w + tile % args.phases;
    const uint down = row % args.out_h + args.pad_h;
    const uint across = first + args.pad_w;
    const uint outside = (uint(args.x_zero) & 0xffu) * ONES;

    ivec4 sum[TILE];
    int sum_x[TILE];
    ivec4 sum_w = ivec4(0);
    int taps = 0;
    for (uint t = 0u; t < TILE; t++) {
        sum[t] = ivec4(0);
        sum_x[t] = 0;
    }
    // Above and left of the image y and x wrap to large numbers, which are outside too.
    uint y = down / args.stride_h;
    for (uint ky = down % args.stride_h; ky < args.kernel_h; ky += args.stride_h, y--) {
        if (y >= args.in_h)
            continue;
        uint x = across / args.stride_w;
        for (uint kx = across % args.stride_w; kx < args.kernel_w; kx += args.stride_w, x--) {
            const uint base = ((image * args.in_h + y) * args.in_w + x) * args.in_slices;
            uint w = (ky * args.kernel_w + kx) * args.in_slices * args.out_slices + out_slice;
            taps++;
            for (uint s = 0u; s < args.in_slices; s++, w += args.out_slices) {
                const uvec4 weight = weights[w];
                sum_w += dots(weight, ONES);
                for (uint t = 0u; t < TILE; t++) {
                    uint v = outside;
                    if (x + t < args.in_w)
                        v = src[base + t * args.in_slices + s] ^ FLIP;
                    sum[t] += dots(weight, v);
                    if (SUM_X)
                        sum_x[t] += dot4(ones(s, args.in_channels), v);
                }
            }
        }
    }
    const int zeros = args.x_zero * taps * int(args.in_channels);
    for (uint t = 0u; t < TILE; t++) {
        const uint x = first + t * args.stride_w;
        ivec4 v = sum[t] - args.x_zero * sum_w;
        if (SUM_X)
            v -= args.weight_zero * (sum_x[t] - zeros);
        if (x < args.out_w)
            dst[(row * args.out_w + x) * args.out_slices + out_slice] =
                requantize(v, out_slice, false, args.zero, args.low, args.high);
    }
}
