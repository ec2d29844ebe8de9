// A row of softmax_int8.comp by all invocations of a workgroup, or if ALONE by one.
//
// The shader defines before it includes this: SIGNED, LOG, WIDE, ALONE, REDUCE_MEMORY(uint),
// SLICE_OF_ROW(i), which is slice i of what it is computed of, and EXPONENTIAL(i) of the table.
const uint SUM_SHIFT = 12u;
// From 512 on every quotient of 8 bits rounds to 0, so that a larger sum makes no difference; a
// logarithm, and results of 16 bits, are of 31 bits.
const uint SUM_MAX = LOG || WIDE ? 0x7fffffffu : 512u << 19u;

#define ADD_SATURATED(a, b) min((a) + (b), SUM_MAX)
REDUCE_IN_WORKGROUP(uint, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(uint, sum_in_workgroup, ADD_SATURATED)

const uint INVOCATIONS = ALONE ? 1u : REDUCERS;
uint first_slice() { return ALONE ? 0u : gl_LocalInvocationIndex; }

// Its first slice, slices, channels.
struct Row {
    uint base, slices, channels;
};

const int LEAST_BYTE = SIGNED ? -128 : 0;

// Of the channels of slice s: their differences to the peak are 0 to -255; that of a padded lane is
// masked to be inside the table.
ivec4 powers_of(Row row, uint s, int peak)
{
    const uvec4 i = uvec4(peak - unpacked(SLICE_OF_ROW(row.base + s), SIGNED)) & 0xffu;
    return ivec4(EXPONENTIAL(i.x), EXPONENTIAL(i.y), EXPONENTIAL(i.z), EXPONENTIAL(i.w));
}

int peak_of(Row row)
{
    int peak = LEAST_BYTE;
    for (uint s = first_slice(); s < row.slices; s += INVOCATIONS) {
        const ivec4 v = mix(ivec4(LEAST_BYTE), unpacked(SLICE_OF_ROW(row.base + s), SIGNED),
                            lanes(s, row.channels));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    return ALONE ? peak : int(max_in_workgroup(uint(peak - LEAST_BYTE))) + LEAST_BYTE;
}

uint sum_of(Row row, int peak)
{
    uint sum = 0u;
    for (uint s = first_slice(); s < row.slices; s += INVOCATIONS) {
        const ivec4 e = powers_of(row, s, peak);
        for (uint lane = 0u; lane < 4u; lane++)
            if (4u * s + lane < row.channels)
                sum = min(sum + uint(fixed_rounding_shift_right(e[lane], int(SUM_SHIFT))), SUM_MAX);
    }
    if (ALONE)
        return sum;
    barrier(); // every invocation has read the peak
    return sum_in_workgroup(sum);
}

// Writes the quotients to `dst` from slice `to` on.
void write_quotients(Row row, uint to, int peak, uint sum)
{
    const int zeros = 31 - findMSB(sum);
    const int inverse =
        sum < SUM_MAX ? fixed_one_over_one_plus(int(sum << zeros & 0x7fffffffu)) : 0;
    const int down = sum < SUM_MAX ? int(SUM_SHIFT) - zeros + 31 - (WIDE ? 16 : 8) : 0;
    for (uint s = first_slice(); s < row.slices; s += INVOCATIONS) {
        const ivec4 e = powers_of(row, s, peak);
        ivec4 y;
        for (uint lane = 0u; lane < 4u; lane++)
            y[lane] = fixed_rounding_shift_right(fixed_mul_high(inverse, e[lane]), down);
        if (WIDE) {
            y = min(y, ivec4(65535)) - 32768;
            dst[2u * (to + s)] = packed_shorts(y.x, y.y);
            dst[2u * (to + s) + 1u] = packed_shorts(y.z, y.w);
        } else {
            dst[to + s] = packed_bytes(min(y, ivec4(255)) + LEAST_BYTE);
        }
    }
}
