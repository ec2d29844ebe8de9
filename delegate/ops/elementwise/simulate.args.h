/* Arguments of simulate.comp. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_SIMULATE_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_SIMULATE_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(simulate_args)
    uint count;             /* slices */
    float scale, low, high; /* low and high: integers less the zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(simulate_args, 16)

#endif
