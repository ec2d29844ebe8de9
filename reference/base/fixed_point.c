#include "reference/base/fixed_point.h"

#include <assert.h>
#include <math.h>

bool fixed_quantize_multiplier(double real, struct fixed_multiplier *m)
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
        *m = (struct fixed_multiplier){ 0, 0 };
        return true;
    }
    *m = (struct fixed_multiplier){ (int32_t)q, e };
    return e <= 31;
}

int32_t fixed_mul_high(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;

    if (a == INT32_MIN && b == INT32_MIN)
        return INT32_MAX;
    /* C's division truncates: the smaller nudge takes negative ties toward +infinity. */
    return (int32_t)((product + (product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30))) /
                     (INT64_C(1) << 31));
}

int32_t fixed_rounding_shift_right(int32_t x, int n)
{
    const int64_t half = n > 0 ? INT64_C(1) << (n - 1) : 0;

    assert(n >= 0 && n <= 31);
    /* The magnitude is shifted: a division by 2^n, which is no constant, takes far longer. */
    return (int32_t)(x >= 0 ? (x + half) >> n : -((half - x) >> n));
}

int32_t fixed_saturating_shift_left(int32_t x, int n)
{
    const int64_t shifted = x * (INT64_C(1) << n);

    assert(n >= 0 && n <= 31);
    return shifted > INT32_MAX ? INT32_MAX : shifted < INT32_MIN ? INT32_MIN : (int32_t)shifted;
}

int32_t fixed_wrap(int64_t sum)
{
    return (int32_t)(uint32_t)(uint64_t)sum;
}

int32_t fixed_multiply(int32_t x, struct fixed_multiplier m)
{
    const int left = m.e > 0 ? m.e : 0, right = m.e < 0 ? -m.e : 0;

    return fixed_rounding_shift_right(fixed_mul_high(fixed_wrap(x * (INT64_C(1) << left)), m.q),
                                      right);
}

int32_t fixed_multiply_wide(int64_t x, struct fixed_multiplier m)
{
    const int64_t q = m.q < 0x7fff0000 ? (m.q + (1 << 15)) >> 16 : 0x7fff;
    const int shift = 15 - m.e;
    /* Shifts of unsigned numbers: a product beyond 64 bits wraps, as it may in the runtime. */
    const uint64_t product = (uint64_t)x * (uint64_t)q;

    if (shift <= 0)
        return fixed_wrap((int64_t)(product << -shift));
    return fixed_wrap((int64_t)(product + (UINT64_C(1) << (shift - 1))) >> shift);
}

int32_t fixed_round(double v)
{
    v = round(v);
    if (isnan(v))
        return 0;
    return v <= INT32_MIN ? INT32_MIN : v >= INT32_MAX ? INT32_MAX : (int32_t)v;
}

int32_t fixed_exp(int32_t x)
{
    /* e^-(2^j) for j = -2..4 in Q0.31. */
    static const int32_t powers[] = { 1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242 };
    const int32_t quarter = 1 << 24;       /* 1/4 in Q5.26 */
    const int32_t third = 715827883;       /* 1/3 in Q0.31 */
    const int32_t exp_eighth = 1895147668; /* e^-(1/8) in Q0.31 */
    int32_t part, v, v2, v3, v4, polynomial, result;
    uint32_t remainder;

    assert(x <= 0);
    if (x == 0)
        return INT32_MAX;
    /* x = part - remainder with part in [-1/4, 0).  e^part is e^-(1/8) times the Taylor polynomial
     * of degree 4 in v = part + 1/8; the bits of the remainder select the factors e^-(2^j). */
    part = (int32_t)((uint32_t)x & (uint32_t)(quarter - 1)) - quarter;
    remainder = (uint32_t)((int64_t)part - x);
    v = fixed_saturating_shift_left(part, 5) + (1 << 28);
    v2 = fixed_mul_high(v, v);
    v3 = fixed_mul_high(v2, v);
    v4 = fixed_mul_high(v2, v2);
    polynomial = fixed_rounding_shift_right(
        fixed_mul_high(fixed_rounding_shift_right(v4, 2) + v3, third) + v2, 1);
    result = exp_eighth + fixed_mul_high(exp_eighth, v + polynomial);
    for (int j = 0; j < 7; j++) {
        if (remainder >> (24 + j) & 1)
            result = fixed_mul_high(result, powers[j]);
    }
    return result;
}

int32_t fixed_one_over_one_plus(int32_t x)
{
    const int32_t one = 1 << 29;
    /* (1 + x) / 2 in Q0.31, rounded up. */
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    /* Newton-Raphson for 1 / half, starting from 48/17 - 32/17 * half; y in Q2.29. */
    int32_t y = 1515870810 + fixed_mul_high(half, -1010580540);

    assert(x >= 0);
    for (int i = 0; i < 3; i++)
        y += fixed_saturating_shift_left(fixed_mul_high(y, one - fixed_mul_high(half, y)), 2);
    return fixed_saturating_shift_left(y, 1);
}

/* Newton's x (3 - v x^2) / 2 in Q3.28, of v in [1/4, 1) with its factors of 4 taken out. */
struct fixed_multiplier fixed_inverse_sqrt(int32_t v)
{
    enum { ONE = 1 << 28, THREE_HALVES = ONE + ONE / 2, SQRT_HALF = 1518500250, STEPS = 5 };
    int32_t x = ONE, half;
    int shift = 11;

    if (v <= 1)
        return (struct fixed_multiplier){ INT32_MAX, 0 };
    for (; v >= 1 << 29; v /= 4)
        shift++;
    for (; v < 1 << 27; v *= 4)
        shift--;
    half = fixed_rounding_shift_right(v >> 1, 1);
    for (int i = 0; i < STEPS; i++) {
        const int32_t cube =
            fixed_saturating_shift_left(fixed_mul_high(fixed_mul_high(x, x), x), 6);

        x = fixed_saturating_shift_left(
            fixed_mul_high(THREE_HALVES, x) - fixed_mul_high(half, cube), 3);
    }
    x = fixed_mul_high(x, SQRT_HALF);
    if (shift < 0) {
        x = fixed_wrap((int64_t)x * (INT64_C(1) << -shift));
        shift = 0;
    }
    return (struct fixed_multiplier){ x, -shift };
}
