/* Arguments of binary.comp; ids 3 and up. */
#ifndef ASSAY_DELEGATE_OPS_BINARY_ARGS_H
#define ASSAY_DELEGATE_OPS_BINARY_ARGS_H

#include "delegate/ops/binary_grid.args.h"

#define BINARY_SPEC_ACTIVATION 4 /* TfLiteFusedActivation */
#define BINARY_SPEC_CONSTANT                                                                       \
    5 /* 0: none; 1: operand a is the constant at binding 3; 2: operand b */
#define BINARY_SPEC_BROADCAST_A 6 /* a has one channel, the result more */
#define BINARY_SPEC_BROADCAST_B 7
#define BINARY_SPEC_ROUNDED     8 /* results go to the steps of an 8-bit tensor (float view) */

PUSH_CONSTANTS(binary_args)
    ARGS_STRUCT(binary_grid) grid;
    float scale, low, high; /* BINARY_SPEC_ROUNDED; low and high: integers less the zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(binary_args, 80)

#endif
