/* The output of requantize() in requantize.glsl: a member of push constants. */
#ifndef ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_ARGS_H
#define ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_ARGS_H

#include "delegate/shaders/args.h"

struct requantize_args {
    int zero;      /* zero point of the output */
    int low, high; /* clamp of the type and the fused activation, less the zero point */
};

#endif
