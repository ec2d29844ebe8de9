/* Arguments of binary.comp, with those of binary_grid.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_ARGS_H

#include "delegate/ops/elementwise/binary_grid.args.h"

#define BINARY_SPEC_ACTIVATION 6 /* TfLiteFusedActivation */
/* 1: operand a is the constant at binding 3; 2: operand b is; 0: neither. */
#define BINARY_SPEC_CONSTANT 7
#define BINARY_SPEC_ROUNDED  8 /* results go to the steps of an 8-bit tensor (float view) */

PUSH_CONSTANTS(binary_args)
    ARGS_STRUCT(binary_grid) grid;
    float scale, low, high; /* BINARY_SPEC_ROUNDED; low and high: integers less the zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(binary_args, 80)

#endif
