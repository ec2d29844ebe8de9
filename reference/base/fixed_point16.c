#include "reference/base/fixed_point16.h"

#include "reference/base/fixed_point.h"

int16_t fixed16_saturate(int32_t v)
{
    return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

int16_t fixed16_mul_high(int16_t a, int16_t b)
{
    const int32_t product = (int32_t)a * b;

    if (a == INT16_MIN && b == INT16_MIN)
        return INT16_MAX;
    /* C's division truncates: the smaller nudge takes negative ties toward +infinity. */
    return (int16_t)((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

int16_t fixed16_rounding_shift_right(int16_t x, int n)
{
    if (n > 15)
        return x < 0 ? -1 : 1;
    return (int16_t)fixed_rounding_shift_right(x, n);
}

int16_t fixed16_mantissa(int32_t q)
{
    return q >= INT32_MAX - (1 << 15) ? INT16_MAX : (int16_t)((q + (1 << 15)) >> 16);
}

/* A 32-bit constant rounded to 16 bits: Q0.31 to Q0.15, Q2.29 to Q2.13. */
static int16_t narrow(int32_t constant)
{
    return (int16_t)fixed_rounding_shift_right(constant, 16);
}

/* gemmlowp's exp_on_negative_values: e^x for x <= 0 with the given number of integer bits, the rest
 * of 15 being fraction; the result in Q0.15.  The same steps as fixed_exp, in 16 bits. */
static int16_t exp_on_negative(int16_t x, int integer_bits)
{
    /* e^-(2^j) for j = -2..4 in Q0.31. */
    static const int32_t powers[] = { 1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242 };
    const int fraction_bits = 15 - integer_bits, quarter = 1 << (fraction_bits - 2);
    const int16_t third = narrow(715827883), exp_eighth = narrow(1895147668);
    int16_t part, v, v2, v3, v4, result;
    int32_t remainder;

    if (x == 0)
        return INT16_MAX;
    if (integer_bits > 5 && x < -(1 << (fraction_bits + 5)))
        return 0; /* below -32 */
    part = (int16_t)((x & (quarter - 1)) - quarter);
    remainder = part - x;
    v = (int16_t)(fixed16_saturate(part * (1 << integer_bits)) + (1 << 12));
    v2 = fixed16_mul_high(v, v);
    v3 = fixed16_mul_high(v2, v);
    v4 = fixed16_mul_high(v2, v2);
    v4 = fixed16_mul_high((int16_t)(fixed_rounding_shift_right(v4, 2) + v3), third);
    result = (int16_t)(exp_eighth +
                       fixed16_mul_high(exp_eighth,
                                        (int16_t)(v + fixed_rounding_shift_right(v4 + v2, 1))));
    for (int j = -2; j < integer_bits && j < 5; j++) {
        if (remainder >> (fraction_bits + j) & 1)
            result = fixed16_mul_high(result, narrow(powers[j + 2]));
    }
    return result;
}

/* 2 / (1 + x) for x in [0, 1) in Q0.15; the result in Q2.13.  Newton-Raphson as in
 * fixed_one_over_one_plus. */
static int16_t twice_reciprocal(int16_t x)
{
    const int16_t half = (int16_t)((x + INT16_MAX + 1) / 2);
    int32_t y = 23130 + fixed16_mul_high(half, narrow(-1010580540));

    for (int i = 0; i < 3; i++) {
        const int32_t left = (1 << 13) - fixed16_mul_high(half, (int16_t)y);

        y += fixed16_saturate(4 * fixed16_mul_high((int16_t)y, (int16_t)left));
    }
    return (int16_t)y;
}

/* -|x|: unlike |x| it fits for INT16_MIN, too. */
static int16_t negative_abs(int16_t x)
{
    return (int16_t)(x > 0 ? -x : x);
}

int16_t fixed16_logistic(int16_t x)
{
    int16_t y;

    if (x == 0)
        return 1 << 14;
    y = fixed16_saturate(2 * twice_reciprocal(exp_on_negative(negative_abs(x), 3)));
    return (int16_t)(x > 0 ? y : INT16_MAX - y);
}

int16_t fixed16_tanh(int16_t x)
{
    return fixed16_tanh_of(x, 3);
}

int16_t fixed16_tanh_of(int16_t x, int integer_bits)
{
    int16_t y;

    if (x == 0)
        return 0;
    /* tanh |x| = 2 / (1 + e^(-2|x|)) - 1; reading x with one integer bit more doubles it. */
    y = fixed16_saturate(
        4 * (twice_reciprocal(exp_on_negative(negative_abs(x), integer_bits + 1)) - (1 << 13)));
    return (int16_t)(x > 0 ? y : -y);
}
