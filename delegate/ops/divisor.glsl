// n / d.divisor, rounded down, for all n.
uint quotient(uint n, divisor_args d)
{
    uint high, low;
    umulExtended(n, d.multiplier, high, low);
    return high + (n - high >> min(d.shift, 1u)) >> max(d.shift, 1u) - 1u;
}
