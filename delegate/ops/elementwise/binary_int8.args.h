/* Arguments of binary_int8.comp, with those of binary_grid.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_INT8_ARGS_H

#include "delegate/ops/elementwise/binary_grid.args.h"

#define BINARY_INT8_SPEC_SIGNED 6 /* i8; else u8 */

PUSH_CONSTANTS(binary_int8_args)
    ARGS_STRUCT(binary_grid) grid;
    int zero_a, zero_b, zero_y;
    /* Multipliers of a (ADD, SUB, PRELU), of b (ADD, SUB), and of the result. */
    int multiplier[3], shift[3];
    int low, high; /* of the result, less its zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(binary_int8_args, 112)

#endif
