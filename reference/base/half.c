#include "reference/base/half.h"

#include <math.h>
#include <string.h>

float half_to_float(uint16_t h)
{
    const int exponent = h >> 10 & 31;
    const int mantissa = h & 1023;
    float f;

    if (exponent == 31)
        f = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        f = ldexpf((float)mantissa, -24);
    else
        f = ldexpf((float)(mantissa + 1024), exponent - 25);
    return h & 0x8000 ? -f : f;
}

uint16_t double_to_half(double d)
{
    const uint16_t sign = signbit(d) ? 0x8000 : 0;
    const double a = fabs(d);
    int exponent;
    double quantum;
    uint32_t steps;

    if (isnan(d))
        return sign | 0x7e00;
    if (a >= 65520.0) /* half way between the largest half and the next step */
        return sign | 0x7c00;
    if (a < 0x1p-25)
        return sign;
    /* One unit in the last place: 2^-24 for denormals, else 2^(exponent - 11) with
     * a = m * 2^exponent, m in [0.5, 1).  rint rounds half to even (the default mode), and the
     * carry of a full mantissa runs into the exponent as it should. */
    frexp(a, &exponent);
    if (exponent < -13)
        exponent = -13;
    quantum = ldexp(1.0, exponent - 11);
    steps = (uint32_t)rint(a / quantum);
    if (exponent == -13)
        return sign | (uint16_t)steps;
    return sign | (uint16_t)(((uint32_t)(exponent + 13) << 10) + steps);
}

/* The same as double_to_half, in integers: weights are millions of values. */
uint16_t float_to_half(float f)
{
    enum { MANTISSA_CUT = 13, REBIAS = (127 - 15) << 23 };
    uint32_t bits, magnitude, denormal;
    uint16_t sign;
    float shifted;

    memcpy(&bits, &f, sizeof bits);
    sign = (uint16_t)(bits >> 16 & 0x8000);
    magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (magnitude >= 0x47800000) /* 2^16 */
        return sign | 0x7c00;
    if (magnitude >= 0x38800000) { /* 2^-14: normal; the carry of a full mantissa may end at 2^16 */
        magnitude -= REBIAS;
        magnitude += (1u << (MANTISSA_CUT - 1)) - 1 + (magnitude >> MANTISSA_CUT & 1);
        return sign | (uint16_t)(magnitude >> MANTISSA_CUT);
    }
    /* One unit in the last place of a denormal half, 2^-24, is that of floats at 0.5. */
    shifted = fabsf(f) + 0.5f;
    memcpy(&denormal, &shifted, sizeof denormal);
    return sign | (uint16_t)(denormal - 0x3f000000);
}

float bfloat_to_float(uint16_t b)
{
    const uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A value of 8 bits is one of f32 too, or infinite there: only the rounding to them is needed. */
uint16_t double_to_bfloat(double d)
{
    int exponent;
    uint32_t bits;
    double quantum;
    float f;

    if (isnan(d))
        return signbit(d) ? 0xffc0 : 0x7fc0;
    frexp(d, &exponent);
    /* One unit in the last place: 2^(exponent - 8), of denormals 2^-133. */
    quantum = ldexp(1.0, exponent < -125 ? -133 : exponent - 8);
    f = (float)(isinf(d) ? d : rint(d / quantum) * quantum);
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}
