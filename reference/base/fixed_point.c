#include "reference/base/fixed_point.h"

#include <assert.h>
#include <math.h>

bool quant_multiplier_of(double real, struct quant_multiplier *m)
{
    int64_t q;
    int e;

    if (!(real >= 0) || isinf(real))
        return false;
    q = (int64_t)round(ldexp(frexp(real, &e), 31));
    if (q == INT64_C(1) << 31) {
        q /= 2;
        e++;
    }
    if (q == 0 || e < -31) {
        *m = (struct quant_multiplier){ 0, 0 };
        return true;
    }
    *m = (struct quant_multiplier){ (int32_t)q, e };
    return e <= 31;
}

int32_t quant_high_product(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;

    if (a == INT32_MIN && b == INT32_MIN)
        return INT32_MAX;
    /* Division drops towards zero, so a negative tie goes to the larger number. */
    return (int32_t)((product + (product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30))) /
                     (INT64_C(1) << 31));
}

int32_t quant_shift_right(int32_t x, int n)
{
    const int64_t half = n > 0 ? INT64_C(1) << (n - 1) : 0;

    assert(n >= 0 && n <= 31);
    return (int32_t)((x >= 0 ? x + half : x - half) / (INT64_C(1) << n));
}

int32_t quant_shift_left(int32_t x, int n)
{
    const int64_t shifted = x * (INT64_C(1) << n);

    assert(n >= 0 && n <= 31);
    return shifted > INT32_MAX ? INT32_MAX : shifted < INT32_MIN ? INT32_MIN : (int32_t)shifted;
}

int32_t quant_wrap(int64_t sum)
{
    return (int32_t)(uint32_t)(uint64_t)sum;
}

int32_t quant_multiply(int32_t x, struct quant_multiplier m)
{
    const int left = m.e > 0 ? m.e : 0, right = m.e < 0 ? -m.e : 0;

    return quant_shift_right(quant_high_product(quant_wrap(x * (INT64_C(1) << left)), m.q), right);
}

int32_t quant_round(double v)
{
    v = round(v);
    if (isnan(v))
        return 0;
    return v <= INT32_MIN ? INT32_MIN : v >= INT32_MAX ? INT32_MAX : (int32_t)v;
}

int32_t quant_exp(int32_t x)
{
    /* e^-(2^j) for j = -2..4, in units of 2^-31. */
    static const int32_t powers[] = { 1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242 };
    const int32_t quarter = 1 << 24;                      /* of 2^26 */
    const int32_t third = 715827883, middle = 1895147668; /* 1/3, e^-(1/8) */
    int32_t part, v, v2, v3, v4, polynomial, result;
    uint32_t rest;

    assert(x <= 0);
    if (x == 0)
        return INT32_MAX;
    /* x = part - rest with part in [-1/4, 0); e^part around the interval's middle. */
    part = (int32_t)((uint32_t)x & (uint32_t)(quarter - 1)) - quarter;
    rest = (uint32_t)((int64_t)part - x);
    v = quant_shift_left(part, 5) + (1 << 28);
    v2 = quant_high_product(v, v);
    v3 = quant_high_product(v2, v);
    v4 = quant_high_product(v2, v2);
    polynomial =
        quant_shift_right(quant_high_product(quant_shift_right(v4, 2) + v3, third) + v2, 1);
    result = middle + quant_high_product(middle, v + polynomial);
    for (int j = 0; j < 7; j++) {
        if (rest >> (24 + j) & 1)
            result = quant_high_product(result, powers[j]);
    }
    return result;
}

int32_t quant_reciprocal(int32_t x)
{
    const int32_t one = 1 << 29;
    /* (1 + x) / 2, in units of 2^-31. */
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    /* Newton's method from 48/17 - 32/17 * half, in units of 2^-29. */
    int32_t y = 1515870810 + quant_high_product(half, -1010580540);

    assert(x >= 0);
    for (int i = 0; i < 3; i++)
        y += quant_shift_left(quant_high_product(y, one - quant_high_product(half, y)), 2);
    return quant_shift_left(y, 1);
}
