// SOFTMAX and LOG_SOFTMAX of 8-bit tensors over the channels: dst [rows,C].  The host packed exp()
// of the 256 differences that an element may have to the row's maximum, in Q0.31; sums are Q12.19,
// results in units of 1/256, as i16 of 1/65536, of LOG_SOFTMAX 1/16 below the greatest byte.  A
// workgroup computes a row, or if it is short an invocation.
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/softmax_int8.args.h"
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"

WRITES_WORDS(0, dst);
READS(1, src);
layout(set = 0, binding = 2) readonly buffer Exponentials { int exponentials[]; };

layout(constant_id = SOFTMAX_INT8_SPEC_SIGNED) const bool SIGNED = false;
layout(constant_id = SOFTMAX_INT8_SPEC_LOG) const bool LOG = false;
layout(constant_id = SOFTMAX_INT8_SPEC_WIDE) const bool WIDE = false;
layout(constant_id = SOFTMAX_INT8_SPEC_ALONE) const bool ALONE = false;

REDUCE_MEMORY(uint)
#define SLICE_OF_ROW(i) src[i]
#define EXPONENTIAL(i)  exponentials[i]
#include "delegate/ops/reduce/softmax_int8.glsl"

// TensorFlow Lite's log_x_for_x_greater_than_or_equal_to_1 of a sum in Q12.19; the result in Q5.26.
// The sum is 2^p times r near 2^-1/4: of two candidates for p that with the smaller r, whose
// logarithm is a rational function of it.
int log_of_sum(int sum)
{
    const int log_2 = 1488522236, root_4_of_half = 1805811301, root_of_half = 1518500250;
    const int quarter = 1 << 23; // in Q6.25
    const int zeros = 31 - findMSB(sum);
    const int ra = fixed_saturating_shift_left(fixed_mul_high(sum << (zeros - 1), root_of_half), 1);
    const int zeros_b = 30 - findMSB(fixed_mul_high(sum, root_of_half));
    const int rb = fixed_saturating_shift_left(sum, zeros_b);
    const int r = min(ra, rb);
    const int power =
        max((int(SUM_SHIFT) - zeros << 25) + quarter, (int(SUM_SHIFT) - zeros_b << 25) - quarter);
    const int p = int((uint(r) + uint(root_4_of_half) + 1u) >> 1u);
    const int q = (r - root_4_of_half) * 2;
    const int square = fixed_mul_high(q, q);
    const int numerator =
        fixed_mul_high(q, r) + fixed_mul_high(fixed_mul_high(q, square), 117049297);
    const int denominator = fixed_mul_high(p, 1057819769 + q + fixed_mul_high(127690142, square)) +
                            fixed_mul_high(638450708, q);
    const int quotient = fixed_mul_high(fixed_rounding_shift_right(numerator, 6),
                                        fixed_one_over_one_plus(denominator));
    return fixed_saturating_shift_left(fixed_mul_high(power, log_2) + quotient, 1);
}

// 16 times the logarithm for a difference to the peak, below the greatest byte; -255 where it is
// less.
int log_of_quotient(int difference, int log_sum, int least)
{
    if (difference <= least)
        return -255;
    return max(
        fixed_rounding_shift_right(fixed_multiply(difference, args.to_q, args.to_e) - log_sum, 22),
        -255);
}

void write_logs(uint base, int peak, uint sum, int high)
{
    const int log_sum = log_of_sum(int(sum));
    const int least =
        max(fixed_multiply(log_sum ^ int(0x80000000), args.from_q, args.from_e), args.least - 1);
    for (uint s = first_slice(); s < args.slices; s += INVOCATIONS) {
        const ivec4 d = unpacked(src[base + s], SIGNED) - peak;
        dst[base + s] = packed_bytes(high + ivec4(log_of_quotient(d.x, log_sum, least),
                                                  log_of_quotient(d.y, log_sum, least),
                                                  log_of_quotient(d.z, log_sum, least),
                                                  log_of_quotient(d.w, log_sum, least)));
    }
}

void main()
{
    const uint i = ALONE ? item() : group();
    const Row row = Row(min(i, args.count - 1u) * args.slices, args.slices, args.channels);
    const int peak = peak_of(row);
    const uint sum = sum_of(row, peak);

    if (i >= args.count)
        return;
    if (LOG)
        write_logs(row.base, peak, sum, LEAST_BYTE + 255);
    else
        write_quotients(row, row.base, peak, sum);
}
