/* Arguments of elementwise.comp. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_ARGS_H

#include "delegate/ops/elementwise/elementwise_op.args.h"

#define ELEMENTWISE_SPEC_OP 3 /* ELEMENTWISE_TANH, ... */

PUSH_CONSTANTS(elementwise_args)
    uint count;  /* slices */
    float alpha; /* LEAKY_RELU */
END_PUSH_CONSTANTS
ARGS_SIZE(elementwise_args, 8)

#endif
