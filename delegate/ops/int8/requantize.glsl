// Requantization: from 32-bit accumulators of products of bytes to 8-bit outputs.
//
// Accumulators wrap modulo 2^32 as TensorFlow Lite's do, so their terms may be added in any order.
#include "delegate/ops/int8/requantize.args.h"

// Per output slice: the initial value of the accumulators (bias and constant terms of the zero
// points), then the output multipliers, either in fixed point (q, e) or as doubles (low and high
// word of the 53-bit mantissa m, and the shift s of m * 2^-s).
layout(set = 0, binding = 3) readonly buffer Channels { ivec4 channels[]; };

// round(double(acc) * (m * 2^-s)) as the CPU computes it: the product is rounded to 53 bits, ties
// to even, then to an integer, ties away from zero, and saturates.  m has 53 bits, s is above 21.
int fixed_multiply_double(int acc, uint m_low, uint m_high, int s)
{
    const uint a = acc < 0 ? 0u - uint(acc) : uint(acc); // 2^31 too
    uint p0, p1, p2, high, middle, carry;
    umulExtended(a, m_low, high, p0);
    umulExtended(a, m_high, p2, middle);
    p1 = uaddCarry(high, middle, carry);
    p2 += carry;
    const uint drop = uint(max((p2 != 0u ? 64 + findMSB(p2) : 32 + findMSB(p1)) - 52, 0)); // 0..31
    const uint rest = p0 & (1u << drop) - 1u;
    if (drop > 0u) {
        p0 = p0 >> drop | p1 << 32u - drop;
        p1 = p1 >> drop | p2 << 32u - drop;
        // Half up will do for ties to even: the second rounding sees a difference only where this
        // one gives N + 1/2, whose mantissa is even.
        p0 = uaddCarry(p0, uint(rest >= 1u << drop - 1u), carry);
        p1 += carry;
    }
    if (s <= int(drop))
        return acc < 0 ? -0x7fffffff : 0x7fffffff;
    const uint n = uint(min(s - int(drop), 55)); // a longer shift leaves 0, too
    p0 = uaddCarry(p0, n > 32u ? 0u : 1u << n - 1u, carry);
    p1 += carry + (n > 32u ? 1u << n - 33u : 0u);
    const uint top = n < 32u ? p1 >> n : 0u;
    p0 = n < 32u ? p0 >> n | p1 << 32u - n : p1 >> n - 32u;
    const int v = top != 0u || p0 > 0x7fffffffu ? 0x7fffffff : int(p0);
    return acc < 0 ? -v : v;
}

// What `channels` has of an output slice: the initial value, then either q and e, or the words of
// the doubles.
struct Channel {
    ivec4 initial, factor[3];
};

Channel channel_of(uint slice, uint mode)
{
    if (mode == REQUANTIZE_DOUBLE) {
        const uint at = 4u * slice;
        return Channel(channels[at],
                       ivec4[3](channels[at + 1u], channels[at + 2u], channels[at + 3u]));
    }
    const uint at = 3u * slice;
    return Channel(channels[at], ivec4[3](channels[at + 1u], channels[at + 2u], ivec4(0)));
}

// fixed_multiply for REQUANTIZE_SMALL in a third of the instructions: 4 * x fits 32 bits, so that
// floor(x * q / 2^30) is the high word of a product, whose half, rounded up, is fixed_mul_high; and
// the shift to the right, of 1 to 31 bits, has a half to add, less 1 where the value is negative.
int fixed_multiply_small(int x, int q, int e)
{
    int high, low;
    imulExtended(x << 2, q, high, low);
    const int v = high + 1 >> 1;
    return v + (1 << -e - 1) + (v >> 31) >> -e;
}

// A slice of the output.
uint requantize_with(Channel c, ivec4 acc, uint mode, requantize_args y)
{
    ivec4 v;
    acc += c.initial;
    if (mode == REQUANTIZE_SMALL) {
        const ivec4 q = c.factor[0], e = c.factor[1];
        v = ivec4(fixed_multiply_small(acc.x, q.x, e.x), fixed_multiply_small(acc.y, q.y, e.y),
                  fixed_multiply_small(acc.z, q.z, e.z), fixed_multiply_small(acc.w, q.w, e.w));
    } else if (mode == REQUANTIZE_DOUBLE) {
        const uvec4 m_low = uvec4(c.factor[0]), m_high = uvec4(c.factor[1]);
        const ivec4 s = c.factor[2];
        v = ivec4(fixed_multiply_double(acc.x, m_low.x, m_high.x, s.x),
                  fixed_multiply_double(acc.y, m_low.y, m_high.y, s.y),
                  fixed_multiply_double(acc.z, m_low.z, m_high.z, s.z),
                  fixed_multiply_double(acc.w, m_low.w, m_high.w, s.w));
    } else {
        v = fixed_multiply(acc, c.factor[0], c.factor[1]);
    }
    return packed_bytes(clamp(v, y.low, y.high) + y.zero);
}

uint requantize(ivec4 acc, uint slice, uint mode, requantize_args y)
{
    return requantize_with(channel_of(slice, mode), acc, mode, y);
}
