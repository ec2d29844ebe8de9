// FLOOR_DIV, FLOOR_MOD, POW and ATAN2 of floats.
#ifndef ARITHMETIC_GLSL
#define ARITHMETIC_GLSL

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool is_infinite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
float nan() { return uintBitsToFloat(0x7fc00000u); }

// |x| = mantissa * 2^exponent, with a mantissa of 24 bits; x is finite and not 0.
uint mantissa_of(float x, out int exponent)
{
    const uint bits = floatBitsToUint(x) & 0x7fffffffu;
    uint mantissa = bits & 0x7fffffu;
    exponent = int(bits >> 23u);
    if (exponent > 0) {
        exponent -= 150;
        return mantissa | 0x800000u;
    }
    const int zeros = 23 - findMSB(mantissa);
    exponent = -149 - zeros;
    return mantissa << uint(zeros);
}

// mantissa * 2^exponent, where the result has at most 24 bits; of a denormal one they are cut off.
float scaled_by(uint mantissa, int exponent)
{
    if (mantissa == 0u)
        return 0.0;
    const int top = findMSB(mantissa);
    exponent += top; // of the leading bit
    mantissa = top > 23 ? mantissa >> uint(top - 23) : mantissa << uint(23 - top);
    if (exponent < -126)
        return uintBitsToFloat(exponent < -149 ? 0u : mantissa >> uint(-126 - exponent));
    return uintBitsToFloat(uint(exponent + 127) << 23u | (mantissa & 0x7fffffu));
}

// floor(a / b), or with the remainder a - b * floor(a / b), by a long division of mantissas: a
// quotient of floats that is rounded up to an integer would have another floor.
float floor_divided(float a, float b, bool wants_remainder)
{
    const bool opposite = (floatBitsToUint(a) ^ floatBitsToUint(b)) >> 31u != 0u;
    if (is_nan(a) || is_nan(b) || is_infinite(a) || b == 0.0)
        return wants_remainder ? nan() : floor(a / b);
    if (a == 0.0)
        return wants_remainder ? a : a / b;
    if (is_infinite(b))
        return wants_remainder ? (opposite ? b : a) : (opposite ? -1.0 : 0.0);
    int of_a, of_b;
    uint rest = mantissa_of(a, of_a);
    const uint divisor = mantissa_of(b, of_b);
    int left = of_a - of_b; // bits of the quotient that are to come
    // All quotients from 2^23 on are integers.
    if (left > 25 && !wants_remainder)
        return a / b;
    uint quotient = 0u;
    if (left >= 0) {
        quotient = rest / divisor;
        rest = rest % divisor;
    } else { // |a| < |b|
        of_b = of_a;
    }
    for (; left > 0; left -= 8) {
        const uint n = uint(min(left, 8));
        rest <<= n;
        quotient = quotient << n | rest / divisor;
        rest = rest % divisor;
    }
    if (!wants_remainder) {
        const float q = float(quotient) + (opposite && rest != 0u ? 1.0 : 0.0);
        return opposite ? -q : q;
    }
    const float r = scaled_by(rest, of_b);
    const float of_sign_a = a < 0.0 ? -r : r;
    return opposite && rest != 0u ? of_sign_a + b : of_sign_a;
}

// a * b = the result + error, but for what is below 2^-44 of it: Dekker's product.
float product(float a, float b, out float error)
{
    precise const float p = a * b;
    precise const float ta = 4097.0 * a, tb = 4097.0 * b;
    precise const float a_high = ta - (ta - a), b_high = tb - (tb - b);
    precise const float a_low = a - a_high, b_low = b - b_high;
    precise const float e =
        ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
    error = e;
    return p;
}

// a + b = the result + error, where |a| >= |b| or a is 0.
float sum(float a, float b, out float error)
{
    precise const float s = a + b;
    precise const float e = b - (s - a);
    error = e;
    return s;
}

// log2(x) = the result + low, for x > 0: about 40 bits.  x = m * 2^e with m around 1, and
// ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), |s| < 0.172.
float logarithm(float x, out float low)
{
    int e;
    uint mantissa = mantissa_of(x, e);
    float m = float(mantissa) * (1.0 / 8388608.0);
    e += 23;
    if (m > 1.4142135) {
        m *= 0.5;
        e++;
    }
    float error, rest;
    const float d = sum(max(m, 1.0), min(m, 1.0), rest);
    precise const float f = m - 1.0;
    precise const float s = f / d;
    const float sd = product(s, d, error);
    precise const float s_low = (((f - sd) - error) - s * rest) / d;

    const float z = product(s, s, error);
    precise const float z_low = error + 2.0 * s * s_low;
    const float cube = product(z, s, error);
    precise const float cube_low = error + z * s_low + z_low * s;
    // 1 / 3 in two parts.
    const float third = product(cube, 0.33333334, error);
    precise const float third_low = error + cube * -9.934108e-9 + cube_low * 0.33333334;
    precise const float tail =
        cube * z * (0.2 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0)))));
    const float t = sum(s, third, error);
    precise const float t_low = error + (third_low + tail + s_low);
    // 2 / ln 2 in two parts.
    const float l = product(t, 2.88539, error);
    precise const float l_low = error + t * 3.851926e-8 + t_low * 2.88539;
    const float of_e = float(e);
    const float result = abs(of_e) >= abs(l) ? sum(of_e, l, error) : sum(l, of_e, error);
    low = error + l_low;
    return result;
}

// x^y as C's pow() has it; GLSL's leaves negative x undefined, and its error grows with y log2(x).
float power(float x, float y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (is_nan(x) || is_nan(y))
        return nan();
    const float infinite = uintBitsToFloat(0x7f800000u);
    const bool whole = abs(y) >= 8388608.0 || floor(y) == y;
    const bool odd = whole && abs(y) < 16777216.0 && (uint(abs(y)) & 1u) == 1u;
    const float sign = odd && floatBitsToUint(x) >> 31u != 0u ? -1.0 : 1.0;
    const float base = abs(x);
    if (is_infinite(y))
        return base == 1.0 ? 1.0 : (base > 1.0) == (y > 0.0) ? infinite : 0.0;
    if (base == 0.0 || is_infinite(x))
        return sign * ((base == 0.0) == (y < 0.0) ? infinite : 0.0);
    if (x < 0.0 && !whole)
        return nan();
    if (base == 1.0)
        return sign;
    float low, error;
    const float l = logarithm(base, low);
    precise const float estimate = y * l;
    if (estimate >= 129.0)
        return sign * infinite;
    if (estimate <= -151.0)
        return sign * 0.0;
    const float p = product(y, l, error);
    const float n = roundEven(p);
    precise const float f = (p - n) + (error + y * low);
    precise const float t =
        f *
        (0.6931472 +
         f * (0.24022651 +
              f * (0.05550411 + f * (0.009618129 +
                                     f * (0.0013333558 + f * (0.0001540353 + f * 1.5252734e-5))))));
    // In two factors, since 2^n itself may be infinite or denormal.
    const int half_n = int(n) / 2;
    return sign * (1.0 + t) * uintBitsToFloat(uint(half_n + 127) << 23u) *
           uintBitsToFloat(uint(int(n) - half_n + 127) << 23u);
}

// The angle of the point (x, y), as C's atan2() has it; GLSL's atan(y, x) may be off by 4,096 ulp.
// atan(t) = t + t^3 p(t^2), |t| <= tan(pi / 8), to 2^-28: larger quotients b / a are pi / 4 +
// atan((b - a) / (b + a)).
float angle(float y, float x)
{
    if (is_nan(x) || is_nan(y))
        return nan();
    const bool left = floatBitsToUint(x) >> 31u != 0u, below = floatBitsToUint(y) >> 31u != 0u;
    float a = max(abs(x), abs(y)), b = min(abs(x), abs(y));
    float r = 0.0;
    if (is_infinite(b)) {
        r = 0.78539816;
    } else if (b > 0.0 && !is_infinite(a)) {
        // Neither b + a is infinite nor a quotient of denormals.
        const float factor = a > 1e37 ? 0.125 : a < 1e-20 ? 1.8446744e19 : 1.0;
        a *= factor;
        b *= factor;
        const bool far = b > 0.41421357 * a;
        precise const float t = far ? (b - a) / (b + a) : b / a;
        precise const float z = t * t;
        precise const float p =
            z * (-0.33333331 +
                 z * (0.1999955 + z * (-0.14264232 + z * (0.10746298 + z * -0.06459376))));
        precise const float s = t + t * p;
        r = far ? 0.78539816 + s : s;
    }
    // pi / 2 and pi in two parts.
    precise const float up = abs(y) > abs(x) ? 1.5707964 - (r + 4.371139e-8) : r;
    precise const float over = left ? 3.1415927 - (up + 8.742278e-8) : up;
    return below ? -over : over;
}

#endif
