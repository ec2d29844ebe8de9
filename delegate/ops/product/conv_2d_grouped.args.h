/* Arguments of conv_2d_grouped.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_GROUPED_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_GROUPED_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.args.h"

#define CONV_2D_GROUPED_SPEC_ACTIVATION 9  /* TfLiteFusedActivation */
#define CONV_2D_GROUPED_SPEC_ROUNDED    10 /* to `steps` */

PUSH_CONSTANTS(conv_2d_grouped_args)
    uint count;  /* invocations: tiles of pixels * out_slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint out_channels;
    uint group_in, group_out; /* channels of a group */
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(conv_2d_grouped_args, 64)

#endif
