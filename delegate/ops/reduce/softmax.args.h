/* Arguments of softmax.comp: SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_ARGS_H

#include "delegate/ops/reduce/softmax_op.args.h"
#include "delegate/shaders/args.h"

#define SOFTMAX_SPEC_OP    3
#define SOFTMAX_SPEC_ALONE 4 /* an invocation computes a row */

PUSH_CONSTANTS(softmax_args)
    uint count; /* rows */
    uint channels, slices;
    float beta;
END_PUSH_CONSTANTS
ARGS_SIZE(softmax_args, 16)

#endif
