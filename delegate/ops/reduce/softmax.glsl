// A row of softmax.comp by the first invocations of a workgroup.
//
// The shader defines before it includes this: OP, REDUCE_MEMORY(float), INVOCATIONS, which are the
// invocations that compute it, ALONE, if it is the only one, and SLICE_OF_ROW(i), slice i of what
// it is computed of.
REDUCE_IN_WORKGROUP(float, max_in_workgroup, max)
REDUCE_IN_WORKGROUP(float, sum_in_workgroup, ADD)

// A row: its first slice, slices, channels.
struct Row {
    uint base, slices, channels;
    float beta;
};

// A row of HELD slices an invocation is read once, into registers; a longer one is read twice.
const uint HELD = 4u;

// What a row is made of: the arguments of exponentials, or x.  Shifting by the row's largest
// element keeps exp() in range; the shift cancels.
vec4 shifted(Row row, vec4 v, float peak)
{
    // A driver may take another order of factors where it knows OP: a row has the same bits in each
    // shader.
    precise const vec4 t = row.beta * (v - peak);
    return OP == SOFTMAX_NORM ? v : t;
}

// What is summed up.
vec4 term(vec4 t) { return OP == SOFTMAX_NORM ? t * t : exp(t); }
float sum_of_terms(Row row, vec4 terms, uint s)
{
    return dot(masked(terms, s, row.channels), vec4(1.0));
}

// t is a term of SOFTMAX, or of LOG_SOFTMAX and L2_NORMALIZATION what it was made of.
vec4 result(vec4 t, float sum)
{
    if (OP == SOFTMAX_NORM) {
        // The bits of numbers above 0 are in their order, and those of NaN are above: max(), which
        // drivers make of a comparison of numbers, loses NaN.
        const uint norm = floatBitsToUint(sqrt(sum)), least = floatBitsToUint(1e-6);
        return t / uintBitsToFloat(max(norm, least));
    }
    // A row of -infinity and one with NaN are NaN whole: the sum is 0, or exp() of NaN, which GLSL
    // leaves undefined as it does log() of both; SwiftShader's is infinity.  Any other row has the
    // term of its peak, 1, and with beta above 0 none is larger; below 0 terms overflow as those of
    // LiteRT do, which subtracts the largest element, too.
    const float of_row = sum > 0.0 && !isinf(sum) ? (OP == SOFTMAX_LOG ? log(sum) : sum)
                                                  : uintBitsToFloat(0x7fc00000u);
    return OP == SOFTMAX_LOG ? t - of_row : t / of_row;
}

float higher_peak(Row row, float peak, vec4 x, uint s)
{
    const vec4 v = mix(vec4(LOWEST), x, lanes(s, row.channels));
    return max(peak, max(max(v.x, v.y), max(v.z, v.w)));
}

// The sum, of terms less a peak, with another peak.  That of no terms stays 0, whatever exp()
// makes of the distance.
float moved(Row row, float sum, float from, float to)
{
    return OP == SOFTMAX_NORM || sum == 0.0 ? sum : sum * exp(row.beta * (from - to));
}

// Writes the result to `dst` from slice `to` on, if `live`.
void softmax_row(Row row, uint to, bool live)
{
    // The first slice of the invocation; the others compute nothing.
    const uint me = ALONE ? 0u : gl_LocalInvocationIndex;
    const uint first = me < INVOCATIONS ? me : row.slices;
    const bool held = row.slices <= HELD * INVOCATIONS;
    vec4 t[HELD];
    float peak = LOWEST, sum = 0.0;

    [[unroll]] for (uint k = 0u; k < HELD; k++)
    {
        const uint s = first + k * INVOCATIONS;
        if (held && s < row.slices) {
            t[k] = SLICE_OF_ROW(row.base + s);
            peak = higher_peak(row, peak, t[k], s);
        }
    }
    for (uint s = first; !held && s < row.slices; s += INVOCATIONS) {
        const vec4 x = SLICE_OF_ROW(row.base + s);
        const float before = peak;
        peak = higher_peak(row, peak, x, s);
        sum = moved(row, sum, before, peak) + sum_of_terms(row, term(shifted(row, x, peak)), s);
    }

    const float mine = peak;
    if (!ALONE && OP != SOFTMAX_NORM) {
        peak = max_in_workgroup(peak);
        barrier(); // every invocation has read the peak
    }
    sum = moved(row, sum, mine, peak);
    [[unroll]] for (uint k = 0u; k < HELD; k++)
    {
        const uint s = first + k * INVOCATIONS;
        if (held && s < row.slices) {
            t[k] = shifted(row, t[k], peak);
            const vec4 e = term(t[k]);
            sum += sum_of_terms(row, e, s);
            if (OP == SOFTMAX_POWERS)
                t[k] = e;
        }
    }
    if (!ALONE)
        sum = sum_in_workgroup(sum);

    [[unroll]] for (uint k = 0u; k < HELD; k++)
    {
        const uint s = first + k * INVOCATIONS;
        if (held && live && s < row.slices)
            dst[to + s] = STORE(result(t[k], sum));
    }
    for (uint s = first; !held && live && s < row.slices; s += INVOCATIONS) {
        const vec4 x = shifted(row, SLICE_OF_ROW(row.base + s), peak);
        dst[to + s] = STORE(result(OP == SOFTMAX_POWERS ? exp(x) : x, sum));
    }
}
