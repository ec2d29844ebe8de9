/* What memory of f16 gets of a number, as in_half_range() of delegate/shaders/element.glsl. */
#ifndef ASSAY_DELEGATE_BASE_STORED_HALF_H
#define ASSAY_DELEGATE_BASE_STORED_HALF_H

#include "reference/base/half.h"

#include <math.h>
#include <stdint.h>

/* A finite number beyond the range becomes the largest one; infinities and NaN stay. */
static inline uint16_t stored_half(float f)
{
    const float largest = 65504;

    return float_to_half(isfinite(f) ? fminf(fmaxf(f, -largest), largest) : f);
}

#endif
