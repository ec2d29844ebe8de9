/* Arguments of softmax.comp. */
#ifndef ASSAY_DELEGATE_OPS_SOFTMAX_ARGS_H
#define ASSAY_DELEGATE_OPS_SOFTMAX_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(softmax_args)
    uint count; /* rows */
    uint channels, slices;
    float beta;
END_PUSH_CONSTANTS
ARGS_SIZE(softmax_args, 16)

#endif
