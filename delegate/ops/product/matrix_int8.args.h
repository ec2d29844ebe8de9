/* Arguments of matrix.comp for bytes (matrix_int8.c).  The ids of its specialization constants are
 * those of matrix.args.h. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/window.args.h"

PUSH_CONSTANTS(matrix_int8_args)
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint stride_h, stride_w;
    uint padding; /* dot_padding of x: what taps in the padding read */
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(matrix_int8_args, 60)

#endif
