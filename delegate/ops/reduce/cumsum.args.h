/* Arguments of cumsum.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_CUMSUM_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_CUMSUM_ARGS_H

#include "delegate/shaders/args.h"

#define CUMSUM_SPEC_OVER_CHANNELS 3 /* the axis is the channels */
#define CUMSUM_SPEC_EXCLUSIVE     4
#define CUMSUM_SPEC_REVERSE       5
#define CUMSUM_SPEC_SCAN          6 /* a workgroup adds up what else an invocation does */

PUSH_CONSTANTS(cumsum_args)
    uint count; /* of what is added up: rows, or columns of slices along the axis */
    uint channels, slices;
    uint extent; /* of the axis */
    uint inner;  /* rows between two elements along the axis; channels: unused */
END_PUSH_CONSTANTS
ARGS_SIZE(cumsum_args, 20)

#endif
