/* Arguments of rms_norm.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_RMS_NORM_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_RMS_NORM_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(rms_norm_args)
    uint rows, channels, slices;
    float epsilon;
END_PUSH_CONSTANTS
ARGS_SIZE(rms_norm_args, 16)

#endif
