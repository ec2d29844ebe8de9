// CONV_2D with one group, and FULLY_CONNECTED, of bytes.  src [N,H,W,C], dst [N,OH,OW,O]; weights
// [KH,KW,I,O]: a word has 4 channels I of an output, a uvec4 the 4 outputs of a slice.  What I and O
// are padded with is 0.
//
// As in conv_2d.comp an invocation computes ROWS pixels of one output slice; x goes over output
// slices, y over runs of pixels, z shares out the input slices of a sum.  With zero points zx of x
// and zw of w a sum is
//     sum (w - zw) (x - zx) = sum w x - zx sum w - zw sum x + taps C zx zw
// of which the second and last term are the same everywhere, and in `channels` with the bias: taps
// outside of the image are zx.  Lanes of x without a channel meet weights of 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/dot.glsl"
#include "delegate/ops/int8/requantize.glsl"

INT_WRITES(0, dst);
INT_READS(1, src);
layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; }; // of slices
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };

layout(constant_id = 3) const uint KERNEL_H = 1u;
layout(constant_id = 4) const uint KERNEL_W = 1u;
layout(constant_id = 5) const uint STRIDE_H = 1u;
layout(constant_id = 6) const uint STRIDE_W = 1u;
layout(constant_id = 7) const uint DILATION_H = 1u;
layout(constant_id = 8) const uint DILATION_W = 1u;
layout(constant_id = 9) const bool IN_DOUBLE = false;
layout(constant_id = 10) const uint ROWS = 4u;
layout(constant_id = 11) const bool DENSE = false; // pixel p of dst is made of pixel p of src
layout(constant_id = 12) const uint FLIP = 0u;
layout(constant_id = 13) const bool SUM_X = false; // zw is not 0
layout(constant_id = 14) const bool WIDE = false; // in_slices is a multiple of 4

layout(push_constant) uniform Args {
    uint count;    // workgroups: blocks of pixels * blocks of output slices
    uint pixels;   // N * OH * OW
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_slices;
    int pad_h, pad_w; // before
    uint outside;     // zx four times
    int weight_zero;
    int zero, low, high;
} args;

// Invocations of a share of the sum; all sums of a share.
const uint PLANE = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
const uint SHARES = gl_WorkGroupSize.z;
shared ivec4 part[SHARES > 1u ? PLANE * SHARES * ROWS : 1u];

ivec4 sum[ROWS];
int sum_x[ROWS];

void add(uint r, uvec4 w, uint x, uint s)
{
    sum[r] += ivec4(dot4(w.x, x), dot4(w.y, x), dot4(w.z, x), dot4(w.w, x));
    if (SUM_X)
        sum_x[r] += dot4(ones(s, args.in_channels), x);
}

// What slice s of the pixels at base[] adds, its weights at w.
void add_slice(uint base[ROWS], bool inside[ROWS], uint s, uint at)
{
    const uvec4 w = weights[at];
    uint v[ROWS];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = src[base[r] + s] ^ FLIP;
    for (uint r = 0u; r < ROWS; r++)
        add(r, w, DENSE || inside[r] ? v[r] : args.outside, s);
}

// What slices s to s + 3 add.
void add_quad(uint base[ROWS], bool inside[ROWS], uint s, uint at)
{
    uvec4 w[4], v[ROWS];
    for (uint j = 0u; j < 4u; j++)
        w[j] = weights[at + j * args.out_slices];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = quads[(base[r] + s) / 4u] ^ FLIP;
    for (uint r = 0u; r < ROWS; r++) {
        const uvec4 x = DENSE || inside[r] ? v[r] : uvec4(args.outside);
        for (uint j = 0u; j < 4u; j++)
            add(r, w[j], x[j], s + j);
    }
}

void add_slices(uint base[ROWS], bool inside[ROWS], uint tap, uint out_slice)
{
    const uint first = tap * args.in_slices * args.out_slices + out_slice;
    uint s = gl_LocalInvocationID.z;
    if (WIDE) {
        for (s *= 4u; s < args.in_slices; s += 4u * SHARES)
            add_quad(base, inside, s, first + s * args.out_slices);
        return;
    }
    for (; s + SHARES < args.in_slices; s += 2u * SHARES) { // their loads wait together
        add_slice(base, inside, s, first + s * args.out_slices);
        add_slice(base, inside, s + SHARES, first + (s + SHARES) * args.out_slices);
    }
    if (s < args.in_slices)
        add_slice(base, inside, s, first + s * args.out_slices);
}

void main()
{
    const uint blocks = (args.out_slices + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    const uint block = min(group(), args.count - 1u); // what is too much repeats the last
    const uint out_slice = block % blocks * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint reading = min(out_slice, args.out_slices - 1u);
    const uint first = (block / blocks * gl_WorkGroupSize.y + gl_LocalInvocationID.y) * ROWS;
    uint base[ROWS];
    bool inside[ROWS];

    for (uint r = 0u; r < ROWS; r++) {
        sum[r] = ivec4(0);
        sum_x[r] = 0;
    }
    if (DENSE) {
        for (uint r = 0u; r < ROWS; r++)
            base[r] = min(first + r, args.pixels - 1u) * args.in_slices;
        add_slices(base, inside, 0u, reading);
    } else {
        uint image[ROWS];
        int top[ROWS], left[ROWS];
        for (uint r = 0u; r < ROWS; r++) {
            const uint p = min(first + r, args.pixels - 1u);
            const uint row = p / args.out_w;
            image[r] = row / args.out_h;
            top[r] = int((row % args.out_h) * STRIDE_H) - args.pad_h;
            left[r] = int((p % args.out_w) * STRIDE_W) - args.pad_w;
        }
        for (uint ky = 0u; ky < KERNEL_H; ky++)
            for (uint kx = 0u; kx < KERNEL_W; kx++) {
                for (uint r = 0u; r < ROWS; r++) {
                    const int y = top[r] + int(ky * DILATION_H);
                    const int x = left[r] + int(kx * DILATION_W);
                    inside[r] = y >= 0 && y < int(args.in_h) && x >= 0 && x < int(args.in_w);
                    base[r] = inside[r] ? ((image[r] * args.in_h + uint(y)) * args.in_w +
                                           uint(x)) * args.in_slices
                                        : 0u;
                }
                add_slices(base, inside, ky * KERNEL_W + kx, reading);
            }
    }

    // Each invocation finishes some of the rows of its place.
    const uint place = gl_LocalInvocationID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    for (uint r = 0u; r < ROWS; r++)
        if (SUM_X)
            sum[r] -= args.weight_zero * sum_x[r];
    if (SHARES > 1u) {
        for (uint r = 0u; r < ROWS; r++)
            part[(gl_LocalInvocationID.z * ROWS + r) * PLANE + place] = sum[r];
        barrier();
    }
    for (uint r = gl_LocalInvocationID.z; r < ROWS; r += SHARES) {
        ivec4 v = SHARES > 1u ? part[r * PLANE + place] : sum[r];
        for (uint z = 1u; z < SHARES; z++)
            v += part[(z * ROWS + r) * PLANE + place];
        if (out_slice < args.out_slices && first + r < args.pixels)
            dst[(first + r) * args.out_slices + out_slice] =
                requantize(v, out_slice, IN_DOUBLE, args.zero, args.low, args.high);
    }
}
