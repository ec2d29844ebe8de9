#include "reference/base/fixed_point16.h"

#include "reference/base/fixed_point.h"

int16_t quant16_saturate(int32_t v)
{
    return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

int16_t quant16_high_product(int16_t a, int16_t b)
{
    const int32_t product = (int32_t)a * b;

    if (a == INT16_MIN && b == INT16_MIN)
        return INT16_MAX;
    /* Division drops towards zero, so a negative tie goes to the larger number. */
    return (int16_t)((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* A constant in units of 2^-31, or another of 32 bits, in 16. */
static int16_t narrowed(int32_t constant)
{
    return (int16_t)quant_shift_right(constant, 16);
}

/* e^x for x <= 0 with the given number of bits in front of the point; in units of 2^-15.  The same
 * steps as quant_exp, in 16 bits. */
static int16_t power_of(int16_t x, int integer_bits)
{
    /* e^-(2^j) for j = -2, -1, ... */
    static const int32_t powers[] = {
        1672461947, 1302514674, 790015084, 290630308, 39332535, 720401
    };
    const int fraction_bits = 15 - integer_bits, quarter = 1 << (fraction_bits - 2);
    const int16_t third = narrowed(715827883), middle = narrowed(1895147668);
    int16_t part, v, v2, v3, v4, result;
    int32_t rest;

    if (x == 0)
        return INT16_MAX;
    part = (int16_t)((x & (quarter - 1)) - quarter);
    rest = part - x;
    v = (int16_t)(quant16_saturate(part * (1 << integer_bits)) + (1 << 12));
    v2 = quant16_high_product(v, v);
    v3 = quant16_high_product(v2, v);
    v4 = quant16_high_product(v2, v2);
    v4 = quant16_high_product((int16_t)(quant_shift_right(v4, 2) + v3), third);
    result = (int16_t)(middle +
                       quant16_high_product(middle, (int16_t)(v + quant_shift_right(v4 + v2, 1))));
    for (int j = -2; j < integer_bits; j++) {
        if (rest >> (fraction_bits + j) & 1)
            result = quant16_high_product(result, narrowed(powers[j + 2]));
    }
    return result;
}

/* 2 / (1 + x) for x in [0, 1) in units of 2^-15; in units of 2^-13. */
static int16_t twice_reciprocal(int16_t x)
{
    const int16_t half = (int16_t)((x + INT16_MAX + 1) / 2);
    int32_t y = 23130 + quant16_high_product(half, narrowed(-1010580540));

    for (int i = 0; i < 3; i++) {
        const int32_t left = (1 << 13) - quant16_high_product(half, (int16_t)y);

        y += quant16_saturate(4 * quant16_high_product((int16_t)y, (int16_t)left));
    }
    return (int16_t)y;
}

/* -|x|, which 16 bits have for every x. */
static int16_t negative(int16_t x)
{
    return (int16_t)(x > 0 ? -x : x);
}

int16_t quant16_logistic(int16_t x)
{
    int16_t y;

    if (x == 0)
        return 1 << 14;
    y = quant16_saturate(2 * twice_reciprocal(power_of(negative(x), 3)));
    return (int16_t)(x > 0 ? y : INT16_MAX - y);
}

int16_t quant16_tanh(int16_t x)
{
    int16_t y;

    if (x == 0)
        return 0;
    /* One bit more in front of the point: e^-2|x|. */
    y = quant16_saturate(4 * (twice_reciprocal(power_of(negative(x), 4)) - (1 << 13)));
    return (int16_t)(x > 0 ? y : -y);
}
