/* Arguments of transpose_conv.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_ARGS_H

#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.args.h"

#define TRANSPOSE_CONV_SPEC_ACTIVATION 9 /* TfLiteFusedActivation */

PUSH_CONSTANTS(transpose_conv_args)
    uint count; /* invocations: rows of dst * tiles * out_slices */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    ARGS_STRUCT(transpose_conv_row) row;
END_PUSH_CONSTANTS
ARGS_SIZE(transpose_conv_args, 48)

#endif
