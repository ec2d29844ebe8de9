// TRANSPOSE_CONV.  src [N,H,W,I], dst [N,OH,OW,O]; weights [KH,KW,I,O] as vec4 of 4 outputs, I padded
// to a multiple of 4; bias [O].  Gathers: tap k reaches output o from input (o + pad - k) / stride
// where that is whole, so of the taps only those in step with the output count.
// An invocation computes TILE pixels of one output slice, `stride` apart in a row: the same taps
// count for them, and the inputs are neighbours.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = 3) const uint ACTIVATION = 0u;

layout(push_constant) uniform Args {
    uint count; // invocations: rows of dst * tiles * out_slices
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_slices;
    uint tiles, phases; // of a row; phases: tiles that begin side by side
    uint kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
} args;

const uint TILE = 4u;

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

    vec4 sum[TILE];
    for (uint t = 0u; t < TILE; t++)
        sum[t] = bias[out_slice];
    // Above and left of the image y and x wrap to large numbers, which are outside too.
    uint y = down / args.stride_h;
    for (uint ky = down % args.stride_h; ky < args.kernel_h; ky += args.stride_h, y--) {
        if (y >= args.in_h)
            continue;
        uint x = across / args.stride_w;
        for (uint kx = across % args.stride_w; kx < args.kernel_w; kx += args.stride_w, x--) {
            const uint base = ((image * args.in_h + y) * args.in_w + x) * args.in_slices;
            uint w = (ky * args.kernel_w + kx) * 4u * args.in_slices * args.out_slices + out_slice;
            for (uint s = 0u; s < args.in_slices; s++) {
                const vec4 w0 = vec4(weights[w]);
                const vec4 w1 = vec4(weights[w + args.out_slices]);
                const vec4 w2 = vec4(weights[w + 2u * args.out_slices]);
                const vec4 w3 = vec4(weights[w + 3u * args.out_slices]);
                w += 4u * args.out_slices;
                for (uint t = 0u; t < TILE; t++) {
                    if (x + t >= args.in_w)
                        continue;
                    const vec4 v =
                        masked(vec4(src[base + t * args.in_slices + s]), s, args.in_channels);
                    sum[t] += v.x * w0;
                    sum[t] += v.y * w1;
                    sum[t] += v.z * w2;
                    sum[t] += v.w * w3;
                }
            }
        }
    }
    for (uint t = 0u; t < TILE; t++) {
        const uint x = first + t * args.stride_w;
        if (x < args.out_w)
            dst[(row * args.out_w + x) * args.out_slices + out_slice] =
                STORED(activate(sum[t], ACTIVATION));
    }
}
