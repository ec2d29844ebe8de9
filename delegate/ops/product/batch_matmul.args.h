/* Arguments of batch_matmul.comp, batch_matmul_int8.comp and batch_matmul_int16.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_BATCH_MATMUL_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_BATCH_MATMUL_ARGS_H

#include "delegate/shaders/args.h"

#define BATCH_MATMUL_SPEC_ADJ_X   3 /* matrices of x are stored as columns of rows */
#define BATCH_MATMUL_SPEC_ADJ_Y   4
#define BATCH_MATMUL_SPEC_Y_BYTES 5 /* batch_matmul_int16.comp: y is i8 */

/* Dims before the last two. */
#define BATCH_MATMUL_DIMS 3
/* Rows of a result that an invocation computes, of 4 columns each. */
#define BATCH_MATMUL_ROWS 4

PUSH_CONSTANTS(batch_matmul_args)
    uint count;                /* invocations: matrices * row_tiles * out_slices; of i16 rows */
    uint rows, depth, columns; /* of the product */
    uint row_tiles, out_slices;
    uint x_slices, y_slices;
    uint x_rows, y_rows; /* of a matrix as it is stored */
    /* Outermost first; strides in matrices, 0 where the operand is stretched. */
    uint size[BATCH_MATMUL_DIMS], x_stride[BATCH_MATMUL_DIMS], y_stride[BATCH_MATMUL_DIMS];
    /* batch_matmul_int8.comp; batch_matmul_int16.comp, whose multiplier has 15 bits and whose
     * shift is to the right */
    int x_zero, y_zero, out_zero;
    int multiplier, shift;
    int low, high; /* of the output, less its zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(batch_matmul_args, 104)

#endif
