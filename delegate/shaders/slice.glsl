// What shaders of floats share.  Storage is f32 or f16, arithmetic and sums are f32.  Lanes without
// a channel are selected away, not multiplied by 0: 0 * infinity is NaN.
#ifndef SLICE_GLSL
#define SLICE_GLSL

#include "delegate/shaders/activation.args.h"
#include "delegate/shaders/element.glsl"

// Constants are f32 in both precisions, but for weights.
#define CONSTANTS(bind, name)                                                                      \
    layout(set = 0, binding = bind) readonly buffer Constants##name { vec4 name[]; }

// v where the slice has channels, else 0.
vec4 masked(vec4 v, uint s, uint channels) { return mix(vec4(0.0), v, lanes(s, channels)); }

// Selected, not clamped: min and max of NaN are undefined in GLSL, and NaN stays NaN.
vec4 clamped(vec4 v, float low, float high)
{
    v = mix(v, vec4(low), lessThan(v, vec4(low)));
    return mix(v, vec4(high), greaterThan(v, vec4(high)));
}

const float LOWEST = -3.402823466e38;

// a + b as the runtime's ADD has it, which clamps infinities to the largest numbers.  SOFTMAX of a
// row that a mask of -infinity covers whole is 1/n with it, and NaN without.
vec4 added(vec4 a, vec4 b)
{
    const uvec4 bits = floatBitsToUint(a + b);
    return uintBitsToFloat(mix(bits, bits - 1u, equal(bits & 0x7fffffffu, uvec4(0x7f800000u))));
}

// Float view: reals rounded to the steps of an 8-bit tensor; low and high are the bounds of its
// integers less the zero point.
vec4 on_steps(vec4 v, float scale, float low, float high)
{
    return clamped(round(v / scale), low, high) * scale;
}

// 1 / (1 + e^-x).  The exponential is of a number that is not positive, so that it cannot overflow.
vec4 logistic(vec4 x)
{
    const vec4 e = exp(-abs(x));
    return mix(vec4(1.0), e, lessThan(x, vec4(0.0))) / (1.0 + e);
}

// x * min(max(x + 3, 0), 6) / 6.  The quotient first: x * 6 could overflow.
vec4 hard_swish(vec4 x) { return x * (clamped(x + 3.0, 0.0, 6.0) / 6.0); }

// TfLiteFusedActivation, and those of activation.args.h.
const uint RELU = 1u, RELU_N1_TO_1 = 2u, RELU6 = 3u;
vec4 activate(vec4 v, uint activation)
{
    if (activation == RELU)
        return mix(v, vec4(0.0), lessThan(v, vec4(0.0)));
    if (activation == RELU_N1_TO_1)
        return clamped(v, -1.0, 1.0);
    if (activation == RELU6)
        return clamped(v, 0.0, 6.0);
    if (activation == ACTIVATION_LOGISTIC)
        return logistic(v);
    if (activation == ACTIVATION_HARD_SWISH)
        return hard_swish(v);
    if (activation == ACTIVATION_HARD_SIGMOID)
        return clamped(v + 3.0, 0.0, 6.0) * 0.166666672;
    if (activation == ACTIVATION_SWISH)
        return v * logistic(v);
    return v;
}

// tanh(x), as logistic().
vec4 hyperbolic_tangent(vec4 x)
{
    const vec4 e = exp(-2.0 * abs(x));
    const vec4 t = (1.0 - e) / (1.0 + e);
    return mix(t, -t, lessThan(x, vec4(0.0)));
}

#endif
