/* Arguments of conv_2d.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.args.h"

#define CONV_2D_SPEC_ACTIVATION 11 /* TfLiteFusedActivation */
#define CONV_2D_SPEC_RESIDUAL   12 /* what dst holds is added */
#define CONV_2D_SPEC_ROUNDED    13 /* to `steps` */
#define CONV_2D_SPEC_COLUMNS    14 /* output slices of an invocation */

PUSH_CONSTANTS(conv_2d_args)
    uint count;  /* workgroups: blocks of pixels * blocks of output slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(conv_2d_args, 56)

#endif
