/* Arguments of norm.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_NORM_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_NORM_ARGS_H

#include "delegate/shaders/args.h"

#define NORM_SPEC_CENTERED 3 /* the mean is subtracted first */

PUSH_CONSTANTS(norm_args)
    uint rows, channels, slices;
    float epsilon;
END_PUSH_CONSTANTS
ARGS_SIZE(norm_args, 16)

#endif
