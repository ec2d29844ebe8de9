/* Arguments of transpose_conv_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.args.h"

#define TRANSPOSE_CONV_INT8_SPEC_SIGN_FLIP  9  /* dot_sign_flip of x */
#define TRANSPOSE_CONV_INT8_SPEC_SUM_X      10 /* the zero point of the weights is not 0 */
#define TRANSPOSE_CONV_INT8_SPEC_REQUANTIZE 11 /* REQUANTIZE_... */

PUSH_CONSTANTS(transpose_conv_int8_args)
    uint count; /* invocations: rows of dst * tiles * out_slices */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    ARGS_STRUCT(transpose_conv_row) row;
    int x_zero, weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(transpose_conv_int8_args, 68)

#endif
