// QUANTIZE of a float to 8 or 16 bits.  Vulkan's division may be off by 2.5 ULP, so that the host
// computes the least float of each result: LIMIT(i), which the includer defines, belongs to the i +
// 1-th integer of the type.  Floats are compared as integers of the same order.
const uint QUANTIZED_BITS = ELEMENT == SHORT ? 16u : 8u;

// The number of limits that are not above; `zero` for NaN.
uint quantized(uint bits, uint zero)
{
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return zero;
    const int order = int(bits) < 0 ? int(0x80000000u - bits) : int(bits); // -0 is 0
    uint n = 0u;
    for (uint step = 1u << QUANTIZED_BITS - 1u; step > 0u; step /= 2u)
        if (LIMIT(n + step - 1u) <= order)
            n += step;
    return n;
}
