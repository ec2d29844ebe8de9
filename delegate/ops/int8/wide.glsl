// fixed_multiply_wide of reference/base/fixed_point.h for a sum of 64 bits, m of 15 bits: (sum * m
// + 2^(n - 1)) >> n, of which the lower 32 bits count; n is at most 46.
int fixed_multiply_wide(uint sum_low, int sum_high, uint m, int n)
{
    uint p, above, carry;
    umulExtended(sum_low, m, above, p);
    if (n <= 0)
        return int(p << uint(-n));
    int top = int(above) + sum_high * int(m);
    const uint bit = uint(n - 1);
    p = uaddCarry(p, bit < 32u ? 1u << bit : 0u, carry);
    top += int(carry) + (bit < 32u ? 0 : 1 << bit - 32u);
    return n < 32 ? int(p >> uint(n) | uint(top) << uint(32 - n)) : top >> (n - 32);
}
