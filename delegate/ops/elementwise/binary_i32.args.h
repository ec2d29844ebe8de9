/* Arguments of binary_i32.comp, with those of binary_grid.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_I32_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_I32_ARGS_H

#include "delegate/ops/elementwise/binary_grid.args.h"

#define BINARY_I32_SPEC_ACTIVATION 6 /* TfLiteFusedActivation */

PUSH_CONSTANTS(binary_i32_args)
    ARGS_STRUCT(binary_grid) grid;
END_PUSH_CONSTANTS
ARGS_SIZE(binary_i32_args, 68)

#endif
