// Sums of products of i16 and constant weights of i8: CONV_2D, DEPTHWISE_CONV_2D, which has a group
// for each input channel, FULLY_CONNECTED, which is a convolution of 1x1, and TRANSPOSE_CONV.  src
// [N,H,W,C], dst [N,OH,OW,O]; weights [KH,KW,I,O]: a word has one input channel I of a group and
// the 4 outputs of a slice.  An invocation computes TILE neighbouring pixels of one output slice.
//
// Products are below 2^22, and sums have up to 48 bits: their lower 16 bits and the bits above are
// summed for themselves, since not every device has integers of 64 bits.
//
// Variants: i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/int8/dot_int16.args.h"
#include "delegate/ops/int8/wide.glsl"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
READS_WORDS(2, weights);
// Per output slice: low and high word of the bias, then the multiplier: 16 bits and a shift to the
// right; where NARROW q and e; or low and high word of a double's 53-bit mantissa m, and the shift
// s of m * 2^-s.
layout(set = 0, binding = 3) readonly buffer Channels { ivec4 channels[]; };

layout(constant_id = DOT_INT16_SPEC_TILE) const uint TILE = 4u;
layout(constant_id = DOT_INT16_SPEC_GROUPED) const bool GROUPED = false;
layout(constant_id = DOT_INT16_SPEC_TRANSPOSED) const bool TRANSPOSED = false;
layout(constant_id = DOT_INT16_SPEC_IN_DOUBLE) const bool IN_DOUBLE = false;
layout(constant_id = DOT_INT16_SPEC_NARROW) const bool NARROW = false;

uvec4 low[TILE];
ivec4 high[TILE];

void add(uint t, ivec4 products)
{
    low[t] += uvec4(products) & 0xffffu;
    high[t] += products >> 16;
}

// Where the window of a pixel begins; where TRANSPOSED, the pixel itself in the padded image.
Window window_at(uint pixel)
{
    if (!TRANSPOSED)
        return window_of(pixel);
    const uint row = pixel / args.window.out_w;
    return Window(row / args.window.out_h, int(row % args.window.out_h) + args.window.pad_h,
                  int(pixel % args.window.out_w) + args.window.pad_w);
}

// Whether tap [ky,kx] has a pixel of src, and its first slice.
bool tap_reaches(Window w, uint ky, uint kx, out uint base)
{
    if (!TRANSPOSED)
        return tap_inside(w, ky, kx, base);
    // Above and left of the image they wrap to large numbers, which are outside, too.
    const uint down = uint(w.top) - ky, across = uint(w.left) - kx;
    const uint y = down / STRIDE_H, x = across / STRIDE_W;
    const bool inside = y * STRIDE_H == down && x * STRIDE_W == across && y < args.window.in_h &&
                        x < args.window.in_w;
    base = inside
               ? ((w.image * args.window.in_h + y) * args.window.in_w + x) * args.window.in_slices
               : 0u;
    return inside;
}

int channel(uint base, uint c)
{
    return bitfieldExtract(int(src[base + c / 4u][c / 2u % 2u]), int(16u * (c % 2u)), 16);
}

void add_taps(uint first, uint out_slice)
{
    Window window[TILE];
    for (uint t = 0u; t < TILE; t++)
        window[t] = window_at(min(first + t, args.pixels - 1u));
    // First input channel of the group of each of the 4 outputs.
    const uvec4 o =
        min(uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u), uvec4(args.out_channels - 1u));
    const uvec4 group_first = GROUPED ? o / args.group_out * args.group_in : uvec4(0u);
    uint w = out_slice;
    for (uint ky = 0u; ky < KERNEL_H; ky++)
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            uint base[TILE];
            bool inside[TILE];
            for (uint t = 0u; t < TILE; t++)
                inside[t] = tap_reaches(window[t], ky, kx, base[t]);
            for (uint c = 0u; c < args.group_in; c += GROUPED ? 1u : 4u) {
                ivec4 weight[4];
                for (uint j = 0u; j < (GROUPED ? 1u : 4u); j++, w += args.window.out_slices)
                    weight[j] = unpacked(weights[w], true);
                for (uint t = 0u; t < TILE; t++) {
                    ivec4 products;
                    if (GROUPED) {
                        const uvec4 at = group_first + c;
                        products =
                            weight[0] * ivec4(channel(base[t], at.x), channel(base[t], at.y),
                                              channel(base[t], at.z), channel(base[t], at.w));
                    } else {
                        const ivec4 x = unpacked(src[base[t] + c / 4u], true);
                        products =
                            weight[0] * x.x + weight[1] * x.y + weight[2] * x.z + weight[3] * x.w;
                    }
                    add(t, inside[t] ? products : ivec4(0));
                }
            }
        }
}

// Adds a power of two to a number of 4 words.
void add_power(inout uvec4 p, uint bit)
{
    uint carry = 1u << bit % 32u;
    for (uint word = bit / 32u; word < 4u; word++)
        p[word] = uaddCarry(p[word], carry, carry);
}

// round(double(sum) * (m * 2^-s)), saturated, as the CPU computes it: the product is rounded to 53
// bits, and then to an integer, ties away from zero.  Both roundings are additions: that to 53 bits
// makes a difference only where it gives N + 1/2.  s is above 21, the sum has at most 48 bits.
int fixed_multiply_double(uint sum_low, int sum_high, uint m_low, uint m_high, int s)
{
    const bool negative = sum_high < 0;
    uint a0 = sum_low, a1 = uint(sum_high), carry, x, y, z;
    uvec4 p;
    if (negative) {
        a0 = uaddCarry(~a0, 1u, carry);
        a1 = ~a1 + carry;
    }
    umulExtended(a0, m_low, p.y, p.x);
    umulExtended(a0, m_high, p.z, y);
    p.y = uaddCarry(p.y, y, carry);
    p.z += carry; // p.z was below 2^21, a1 is below 2^16
    umulExtended(a1, m_low, x, y);
    p.y = uaddCarry(p.y, y, carry);
    p.z += carry + x;
    umulExtended(a1, m_high, p.w, y);
    p.z = uaddCarry(p.z, y, carry);
    p.w += carry;
    int top = -1;
    for (int word = 0; word < 4; word++)
        if (p[word] != 0u)
            top = 32 * word + findMSB(p[word]);
    if (top + 2 < s) // less than 1/2
        return 0;
    z = 0x7fffffu;
    if (top < s + 20) {
        if (top >= 53)
            add_power(p, uint(top - 53));
        add_power(p, uint(s - 1));
        const uint word = uint(s) / 32u, down = uint(s) % 32u;
        z = p[word] >> down;
        if (down > 0u && word < 3u)
            z |= p[word + 1u] << 32u - down;
    }
    return negative ? -int(z) : int(z);
}

int requantized(uint low_sum, int high_sum, ivec2 bias, ivec3 m)
{
    uint carry;
    uint sum = uaddCarry(uint(high_sum) << 16u, low_sum, carry);
    int above = (high_sum >> 16) + int(carry);
    sum = uaddCarry(sum, uint(bias.x), carry);
    above = NARROW ? int(sum) >> 31 : above + bias.y + int(carry);
    if (IN_DOUBLE)
        return fixed_multiply_double(sum, above, uint(m.x), uint(m.y), m.z);
    return NARROW ? fixed_multiply(int(sum), m.x, m.y)
                  : fixed_multiply_wide(sum, above, uint(m.x), m.y);
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint out_slice = i % args.window.out_slices;
    const uint first = i / args.window.out_slices * TILE;
    for (uint t = 0u; t < TILE; t++) {
        low[t] = uvec4(0u);
        high[t] = ivec4(0);
    }
    add_taps(first, out_slice);
    for (uint t = 0u; t < TILE; t++) {
        if (first + t >= args.pixels)
            return;
        ivec4 y;
        for (uint k = 0u; k < 4u; k++) {
            const uint at = 5u * out_slice;
            y[k] = requantized(
                low[t][k], high[t][k], ivec2(channels[at][k], channels[at + 1u][k]),
                ivec3(channels[at + 2u][k], channels[at + 3u][k], channels[at + 4u][k]));
        }
        dst[(first + t) * args.window.out_slices + out_slice] =
            packed_slice(clamp(y, ivec4(args.low), ivec4(args.high)));
    }
}
