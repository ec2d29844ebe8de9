// Functions of elementwise.comp and chain.comp.  Where Vulkan's are inexact or their results
// undefined, the function is here: polynomials near 0, a reduction of angles, cases for 0 and what
// is below.  Selections are by mix with a bvec4, which no NaN of the other operand reaches.
#ifndef ELEMENTWISE_GLSL
#define ELEMENTWISE_GLSL

#include "delegate/shaders/element.glsl"
#include "delegate/ops/elementwise/elementwise_op.args.h"

#if ELEMENT == F32 || ELEMENT == F16
#include "delegate/shaders/slice.glsl"

const uint INFINITY_BITS = 0x7f800000u, NAN_BITS = 0x7fc00000u;
vec4 infinite() { return vec4(uintBitsToFloat(INFINITY_BITS)); }
vec4 undefined() { return vec4(uintBitsToFloat(NAN_BITS)); }

// tanh(x): the quotient of exponentials loses the digits of small results.
vec4 tanh_of(vec4 x)
{
    const vec4 a = abs(x), z = a * a;
    const vec4 small =
        a + a * z *
                (-0.3333328366 +
                 z * (0.1333149076 + z * (-0.0537434854 + z * (0.0206505544 + z * -0.0057170116))));
    const vec4 e = exp(-2.0 * a);
    const vec4 y = mix(small, (1.0 - e) / (1.0 + e), greaterThan(a, vec4(0.625)));
    return mix(y, -y, lessThan(x, vec4(0.0)));
}

// e^x - 1 for x < 0, likewise; x from 0 on.
vec4 elu(vec4 x)
{
    const vec4 small =
        x + x * x *
                (0.4999998807 +
                 x * (0.1666630805 + x * (0.0416332446 + x * (0.0081961229 + x * 0.0011282298))));
    const vec4 below = mix(small, exp(x) - 1.0, lessThan(x, vec4(-0.5)));
    return mix(below, x, greaterThanEqual(x, vec4(0.0)));
}

// P(X > |x|) is e^(-x^2/2) t q(t) / 2, t = 1 / (1 + |x| / sqrt 8); q is a polynomial.
vec4 gelu(vec4 x)
{
    const vec4 a = abs(x), t = 1.0 / (1.0 + 0.3535533906 * a);
    const vec4 q =
        0.2820931972 +
        t * (0.2822434306 +
             t * (0.2441597879 +
                  t * (0.1981352121 +
                       t * (-0.0150263626 +
                            t * (0.2600823343 +
                                 t * (-0.4705482423 + t * (0.2761181295 + t * -0.0572574884)))))));
    // A product with x, not x less its tail, which is x where devices flush denormal tails to 0.
    const vec4 above = 0.5 * (t * q * exp(-0.5 * a * a));
    return x * mix(1.0 - above, above, lessThan(x, vec4(0.0)));
}

// (1 + tanh w) / 2 is the logistic function of 2 w.
vec4 gelu_tanh(vec4 x) { return x * logistic(1.5957691216 * (x + 0.044715 * x * x * x)); }

// ln(m 2^e) for m in [sqrt 1/2, sqrt 2): 2 atanh s, s = (m - 1) / (m + 1).  Normal numbers above 0.
vec4 log_of_normal(vec4 x)
{
    const ivec4 bits = floatBitsToInt(x), e = bits - 0x3f3504f3 >> 23;
    const vec4 f = intBitsToFloat(bits - (e << 23)) - 1.0, s = f / (2.0 + f), z = s * s;
    const vec4 k = vec4(e);
    // k times the upper part of ln 2 is exact.
    return k * 0.693359375 +
           (2.0 * s +
            (s * z * (0.6666677594 + z * (0.3997728527 + z * 0.2987918258)) - k * 2.12194440e-4));
}

vec4 log_of(vec4 x)
{
    const bvec4 tiny = lessThan(x, vec4(1.1754944e-38));
    vec4 y = log_of_normal(mix(x, x * 16777216.0, tiny)) - mix(vec4(0.0), vec4(16.635532), tiny);
    y = mix(x, y, lessThan(x, infinite())); // NaN and infinity stay
    y = mix(y, -infinite(), equal(x, vec4(0.0)));
    return mix(y, undefined(), lessThan(x, vec4(0.0)));
}

// sin(x + quarters pi / 2).  pi / 2 has four parts, of which the first three have 10 bits: products
// with numbers up to 2^14 are exact.  Beyond, the angle itself is known no better.
vec4 sine(vec4 x, int quarters)
{
    const vec4 n = roundEven(x * 0.6366197724);
    precise vec4 r = x - n * 1.5703125;
    r = r - n * 4.8351287841796875e-4;
    r = r - n * 3.1385570764541626e-7;
    r = r - n * 6.07710062827671e-11;
    r = mix(r, vec4(0.0), greaterThan(abs(r), vec4(1.0))); // angles of no meaning
    const vec4 z = r * r;
    const vec4 s = r + r * z * (-0.1666665524 + z * (0.0083321761 + z * -1.951697341e-4));
    const vec4 c = 1.0 - 0.5 * z + z * z * (0.0416666456 + z * (-0.0013887364 + z * 2.44380844e-5));
    const ivec4 q = ivec4(n) + quarters;
    const vec4 y = mix(s, c, notEqual(q & 1, ivec4(0)));
    return mix(y, -y, notEqual(q & 2, ivec4(0)));
}

// Of -0 it is -infinity.
vec4 rsqrt_of(vec4 x)
{
    const vec4 pole = intBitsToFloat(floatBitsToInt(x) & int(0x80000000) | int(INFINITY_BITS));
    const vec4 y = mix(inversesqrt(x), pole, equal(x, vec4(0.0)));
    return mix(y, undefined(), lessThan(x, vec4(0.0)));
}

vec4 sqrt_of(vec4 x)
{
    const vec4 y = mix(sqrt(x), x, equal(x, vec4(0.0)));
    return mix(y, undefined(), lessThan(x, vec4(0.0)));
}

vec4 sign_of(vec4 x)
{
    const vec4 y = mix(x, vec4(1.0), greaterThan(x, vec4(0.0)));
    return mix(y, vec4(-1.0), lessThan(x, vec4(0.0)));
}

vec4 elementwise(vec4 x, uint op, float alpha)
{
    switch (op) {
    case ELEMENTWISE_TANH: return tanh_of(x);
    case ELEMENTWISE_GELU: return gelu(x);
    case ELEMENTWISE_GELU_TANH: return gelu_tanh(x);
    case ELEMENTWISE_ELU: return elu(x);
    case ELEMENTWISE_LEAKY_RELU: return mix(alpha * x, x, greaterThan(x, vec4(0.0)));
    case ELEMENTWISE_RELU_N1: return clamped(x, -1.0, 1.0);
    case ELEMENTWISE_RELU_01: return clamped(x, 0.0, 1.0);
    case ELEMENTWISE_ABS: return abs(x);
    case ELEMENTWISE_NEG: return -x;
    case ELEMENTWISE_SQRT: return sqrt_of(x);
    case ELEMENTWISE_RSQRT: return rsqrt_of(x);
    case ELEMENTWISE_SQUARE: return x * x;
    case ELEMENTWISE_LOG: return log_of(x);
    // The least number of f16: the scale makes the least integer of it.
    case ELEMENTWISE_LOG_STEPS: return mix(vec4(-65504.0), log_of(x), greaterThan(x, vec4(0.0)));
    case ELEMENTWISE_SIN: return sine(x, 0);
    case ELEMENTWISE_COS: return sine(x, 1);
    case ELEMENTWISE_FLOOR: return floor(x);
    case ELEMENTWISE_CEIL: return ceil(x);
    case ELEMENTWISE_ROUND: return roundEven(x);
    default: return sign_of(x);
    }
}
#endif

#endif
