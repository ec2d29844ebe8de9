// SOFTMAX of 8-bit tensors over the channels, in fixed point: dst [rows,C].  Differences to the row's
// largest element become exponents in units of 2^-26, their powers fractions in units of 2^-31, which
// are summed in units of 2^-19; results are in units of 1/256.  A workgroup computes a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "integer.glsl"

INT_WRITES(0, dst);
INT_READS(1, src);

layout(constant_id = 3) const bool SIGNED = false;

layout(push_constant) uniform Args {
    uint count; // rows
    uint channels, slices;
    int factor, shift; // from a difference to an exponent
    int least;         // differences below count as nothing
} args;

const uint SUM_SHIFT = 12u;
// From here on every quotient is less than half a step, and the sum is not counted further.
const uint MOST = 512u << 19u;

shared uint part[gl_WorkGroupSize.x];

// x * 2^n, saturated.
int shifted_left(int x, int n)
{
    return x > 0x7fffffff >> n ? 0x7fffffff : x < int(0x80000000) >> n ? int(0x80000000) : x << n;
}

int faded(int e, int rest, int bit, int power)
{
    return (rest >> bit & 1) != 0 ? high_product(e, power) : e;
}

// e^x for x <= 0: a polynomial around the middle of a quarter, times e^-(2^j) for each of the bits
// above.
int exponential(int x)
{
    const int quarter = 1 << 24, middle = 1895147668; // e^-(1/8)
    const int in_quarter = (x & (quarter - 1)) - quarter;
    const int rest = in_quarter - x;
    const int v = (in_quarter << 5) + (1 << 28);
    const int v2 = high_product(v, v), v3 = high_product(v2, v), v4 = high_product(v2, v2);
    const int sum = high_product(shifted_right(v4, 2) + v3, 715827883) + v2; // a third
    int e = middle + high_product(middle, v + shifted_right(sum, 1));
    e = faded(e, rest, 24, 1672461947);
    e = faded(e, rest, 25, 1302514674);
    e = faded(e, rest, 26, 790015084);
    e = faded(e, rest, 27, 290630308);
    e = faded(e, rest, 28, 39332535);
    e = faded(e, rest, 29, 720401);
    e = faded(e, rest, 30, 242);
    return x == 0 ? 0x7fffffff : e;
}

// 1 / (1 + x) for x in [0, 1), both in units of 2^-31, by Newton's method.
int reciprocal(int x)
{
    const int half_sum = int((uint(x) + 0x80000000u) >> 1u);
    int y = 1515870810 + high_product(half_sum, -1010580540);
    y += shifted_left(high_product(y, (1 << 29) - high_product(half_sum, y)), 2);
    y += shifted_left(high_product(y, (1 << 29) - high_product(half_sum, y)), 2);
    y += shifted_left(high_product(y, (1 << 29) - high_product(half_sum, y)), 2);
    return shifted_left(y, 1);
}

int power(int difference)
{
    if (difference < args.least)
        return 0;
    return exponential(multiplied(difference, args.factor, args.shift));
}

// Which lanes of slice s hold a channel.
bvec4 lanes(uint s)
{
    return lessThan(uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), uvec4(args.channels));
}

uint sum_of_parts(uint mine)
{
    const uint me = gl_LocalInvocationID.x;
    barrier(); // part[] may still be read
    part[me] = mine;
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        barrier();
        if (me < n)
            part[me] = min(part[me] + part[me + n], MOST);
    }
    barrier();
    return part[0];
}

uint max_of_parts(uint mine)
{
    const uint me = gl_LocalInvocationID.x;
    part[me] = mine;
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        barrier();
        if (me < n)
            part[me] = max(part[me], part[me + n]);
    }
    barrier();
    return part[0];
}

void main()
{
    const bool live = group() < args.count;
    const uint base = min(group(), args.count - 1u) * args.slices;
    const int low = SIGNED ? -128 : 0;

    int peak = low;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 v = mix(ivec4(low), unpacked(src[base + s], SIGNED), lanes(s));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    peak = int(max_of_parts(uint(peak - low))) + low;

    uint sum = 0u;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 d = unpacked(src[base + s], SIGNED) - peak;
        const uvec4 e = uvec4(shifted_right(power(d.x), int(SUM_SHIFT)),
                              shifted_right(power(d.y), int(SUM_SHIFT)),
                              shifted_right(power(d.z), int(SUM_SHIFT)),
                              shifted_right(power(d.w), int(SUM_SHIFT)));
        const uvec4 counted = mix(uvec4(0u), e, lanes(s));
        sum = min(sum + counted.x + counted.y + counted.z + counted.w, MOST);
    }
    sum = sum_of_parts(sum);

    if (!live)
        return;
    const int zeros = 31 - findMSB(sum);
    const int inverse = sum < MOST ? reciprocal(int(sum << zeros & 0x7fffffffu)) : 0;
    const int down = sum < MOST ? int(SUM_SHIFT) - zeros + 31 - 8 : 0;
    for (uint s = gl_LocalInvocationID.x; s < args.slices; s += gl_WorkGroupSize.x) {
        const ivec4 d = unpacked(src[base + s], SIGNED) - peak;
        const ivec4 y = ivec4(shifted_right(high_product(inverse, power(d.x)), down),
                              shifted_right(high_product(inverse, power(d.y)), down),
                              shifted_right(high_product(inverse, power(d.z)), down),
                              shifted_right(high_product(inverse, power(d.w)), down));
        dst[base + s] = packed_bytes(min(y, ivec4(255)) + low);
    }
}
