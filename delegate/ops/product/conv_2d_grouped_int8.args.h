/* Arguments of conv_2d_grouped_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_GROUPED_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_GROUPED_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.args.h"

#define CONV_2D_GROUPED_INT8_SPEC_SIGN_FLIP  9  /* dot_sign_flip of x */
#define CONV_2D_GROUPED_INT8_SPEC_REQUANTIZE 10 /* REQUANTIZE_... */

PUSH_CONSTANTS(conv_2d_grouped_int8_args)
    uint count;  /* invocations: tiles of pixels * out_slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint out_channels;
    uint group_in, group_out; /* channels of a group */
    int x_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(conv_2d_grouped_int8_args, 68)

#endif
