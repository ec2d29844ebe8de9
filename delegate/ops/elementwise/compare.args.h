/* Arguments of compare.comp, with those of binary_grid.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_COMPARE_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_COMPARE_ARGS_H

#include "delegate/ops/elementwise/binary_grid.args.h"

/* BINARY_SPEC_OP */
#define COMPARE_EQUAL         0
#define COMPARE_NOT_EQUAL     1
#define COMPARE_GREATER       2
#define COMPARE_GREATER_EQUAL 3
#define COMPARE_LESS          4
#define COMPARE_LESS_EQUAL    5
#define COMPARE_AND           6 /* bool: LOGICAL_AND, LOGICAL_OR */
#define COMPARE_OR            7

/* Floats, 1: operand a is the f32 constant at binding 3; 2: operand b is; 0: neither. */
#define COMPARE_SPEC_CONSTANT 6
#define COMPARE_SPEC_SIGNED   7 /* bytes: i8; else u8 */
#define COMPARE_SPEC_SCALED   8 /* bytes: they are brought to units of 1/256 */

PUSH_CONSTANTS(compare_args)
    ARGS_STRUCT(binary_grid) grid;
    int zero[2], multiplier[2], shift[2]; /* COMPARE_SPEC_SCALED */
END_PUSH_CONSTANTS
ARGS_SIZE(compare_args, 92)

#endif
