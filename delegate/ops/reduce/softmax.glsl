// A row of softmax.comp by the first invocations of a workgroup.
//
// The shader defines before it includes this: OP, REDUCE_MEMORY(float), INVOCATIONS, which are the
// invocations that compute it, ALONE, if it is the only one, and SLICE_OF_ROW(i), slice i of what
// it is computed of.
const float LOWEST = -3.402823466e38;

REDUCE_IN_WORKGROUP(float, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

// A row: its first slice, slices, channels.
struct Row {
    uint base, slices, channels;
    float beta;
};

// Shifting by the row's largest element keeps exp() in range; the shift cancels.
vec4 exponent(Row row, uint s, float peak)
{
    return row.beta * (SLICE_OF_ROW(row.base + s) - peak);
}

// What is summed up.
vec4 term(Row row, uint s, float peak)
{
    if (OP == SOFTMAX_NORM)
        return SLICE_OF_ROW(row.base + s) * SLICE_OF_ROW(row.base + s);
    return exp(exponent(row, s, peak));
}

vec4 result(Row row, uint s, float peak, float sum)
{
    if (OP == SOFTMAX_NORM) {
        // The bits of numbers above 0 are in their order, and those of NaN are above: max(), which
        // drivers make of a comparison of numbers, loses NaN.
        const uint norm = floatBitsToUint(sqrt(sum)), least = floatBitsToUint(1e-6);
        return SLICE_OF_ROW(row.base + s) / uintBitsToFloat(max(norm, least));
    }
    if (OP == SOFTMAX_LOG)
        return exponent(row, s, peak) - log(sum);
    return exp(exponent(row, s, peak)) / sum;
}

// Writes the result to `dst` from slice `to` on, if `live`.
void softmax_row(Row row, uint to, bool live)
{
    // The first slice of the invocation; the others compute nothing.
    const uint me = ALONE ? 0u : gl_LocalInvocationIndex;
    const uint first = me < INVOCATIONS ? me : row.slices;

    float peak = LOWEST;
    for (uint s = first; OP != SOFTMAX_NORM && s < row.slices; s += INVOCATIONS) {
        const vec4 v = mix(vec4(LOWEST), SLICE_OF_ROW(row.base + s), lanes(s, row.channels));
        peak = max(peak, max(max(v.x, v.y), max(v.z, v.w)));
    }
    if (!ALONE)
        peak = max_in_workgroup(peak);

    float sum = 0.0;
    for (uint s = first; s < row.slices; s += INVOCATIONS)
        sum += dot(masked(term(row, s, peak), s, row.channels), vec4(1.0));
    if (!ALONE) {
        barrier(); // every invocation has read the peak
        sum = sum_in_workgroup(sum);
    }

    for (uint s = first; live && s < row.slices; s += INVOCATIONS)
        dst[to + s] = STORE(result(row, s, peak, sum));
}
