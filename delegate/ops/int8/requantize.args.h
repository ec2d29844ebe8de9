/* The output of requantize() in requantize.glsl: a member of push constants. */
#ifndef ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_ARGS_H
#define ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_ARGS_H

#include "delegate/shaders/args.h"

/* How sums become outputs, a specialization constant of the shaders. */
#define REQUANTIZE_FIXED  0 /* fixed-point output multipliers */
#define REQUANTIZE_SMALL  1 /* the same; sums are within +-2^29, and all multipliers below 1/2 */
#define REQUANTIZE_DOUBLE 2 /* output multipliers are doubles */

struct requantize_args {
    int zero;      /* zero point of the output */
    int low, high; /* clamp of the type and the fused activation, less the zero point */
};

#endif
