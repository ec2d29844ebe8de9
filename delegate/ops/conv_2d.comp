// CONV_2D with one group.  src [N,H,W,C], dst [N,OH,OW,O]; weights [KH,KW,I,O] as vec4 of 4 outputs, I
// padded to a multiple of 4; bias [O].
//
// A matrix product: pixels of dst by taps and channels by outputs.  An invocation computes ROWS
// pixels, side by side, of one output slice; x goes over output slices, y over runs of pixels, and
// z shares out the input slices of a sum, whose parts are added up in a fixed order at the end.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = 3) const uint KERNEL_H = 1u;
layout(constant_id = 4) const uint KERNEL_W = 1u;
layout(constant_id = 5) const uint STRIDE_H = 1u;
layout(constant_id = 6) const uint STRIDE_W = 1u;
layout(constant_id = 7) const uint DILATION_H = 1u;
layout(constant_id = 8) const uint DILATION_W = 1u;
layout(constant_id = 9) const uint ACTIVATION = 0u;
layout(constant_id = 10) const uint ROWS = 4u;
layout(constant_id = 11) const bool DENSE = false; // pixel p of dst is made of pixel p of src
layout(constant_id = 12) const bool RESIDUAL = false; // what dst holds is added

layout(constant_id = 13) const bool ROUNDED = false; // to the steps of an 8-bit tensor

layout(push_constant) uniform Args {
    uint count;               // workgroups: blocks of pixels * blocks of output slices
    uint pixels;              // N * OH * OW
    uint in_h, in_w, in_channels, in_slices;
    uint out_h, out_w, out_channels, out_slices;
    int pad_h, pad_w;         // before
    uint group_in, group_out; // of conv_2d_grouped.comp
    float scale, low, high;   // ROUNDED
} args;

// Invocations of a share of the sum; all sums of a share.
const uint PLANE = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
const uint SHARES = gl_WorkGroupSize.z;
shared vec4 part[SHARES > 1u ? PLANE * SHARES * ROWS : 1u];

vec4 sum[ROWS];

struct Weights {
    vec4 x, y, z, w; // of the channels of a slice
};

Weights weights_at(uint at)
{
    return Weights(vec4(weights[at]), vec4(weights[at + args.out_slices]),
                   vec4(weights[at + 2u * args.out_slices]),
                   vec4(weights[at + 3u * args.out_slices]));
}

void add(uint r, vec4 v, Weights w)
{
    sum[r] += v.x * w.x;
    sum[r] += v.y * w.y;
    sum[r] += v.z * w.z;
    sum[r] += v.w * w.w;
}

// What slice s of the pixels at base[] adds, its weights at w.  Only the last slice may have lanes
// without a channel.
void add_slice(uint base[ROWS], bool inside[ROWS], uint s, uint at, bool last)
{
    const Weights w = weights_at(at);
    vec4 v[ROWS];
    for (uint r = 0u; r < ROWS; r++)
        v[r] = vec4(src[base[r] + s]);
    for (uint r = 0u; r < ROWS; r++) {
        if (last)
            v[r] = masked(v[r], s, args.in_channels);
        add(r, DENSE || inside[r] ? v[r] : vec4(0.0), w);
    }
}

void add_slices(uint base[ROWS], bool inside[ROWS], uint tap, uint out_slice)
{
    const uint whole = args.in_channels / 4u, step = 4u * args.out_slices;
    const uint first = tap * args.in_slices * step + out_slice;
    uint s = gl_LocalInvocationID.z;
    for (; s + SHARES < whole; s += 2u * SHARES) { // two at once: their loads wait together
        add_slice(base, inside, s, first + s * step, false);
        add_slice(base, inside, s + SHARES, first + (s + SHARES) * step, false);
    }
    if (s < whole) {
        add_slice(base, inside, s, first + s * step, false);
        s += SHARES;
    }
    if (s < args.in_slices)
        add_slice(base, inside, s, first + s * step, true);
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

    for (uint r = 0u; r < ROWS; r++)
        sum[r] = vec4(0.0);
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
    if (SHARES > 1u) {
        for (uint r = 0u; r < ROWS; r++)
            part[(gl_LocalInvocationID.z * ROWS + r) * PLANE + place] = sum[r];
        barrier();
    }
    for (uint r = gl_LocalInvocationID.z; r < ROWS; r += SHARES) {
        vec4 v = SHARES > 1u ? part[r * PLANE + place] : sum[r];
        for (uint z = 1u; z < SHARES; z++)
            v += part[(z * ROWS + r) * PLANE + place];
        if (out_slice >= args.out_slices || first + r >= args.pixels)
            continue;
        const uint at = (first + r) * args.out_slices + out_slice;
        v += bias[out_slice];
        if (RESIDUAL) {
            if (group() >= args.count)
                continue; // a repeated block has been added, or will be
            v += vec4(residual[at]);
        }
        v = activate(v, ACTIVATION);
        if (ROUNDED)
            v = on_steps(v, args.scale, args.low, args.high);
        dst[at] = STORED(v);
    }
}
