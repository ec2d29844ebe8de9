/* Arguments of depthwise_conv_2d.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_CONV_2D_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_CONV_2D_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/window.args.h"

#define DEPTHWISE_CONV_2D_SPEC_MULTIPLIER 9  /* outputs of an input channel */
#define DEPTHWISE_CONV_2D_SPEC_ACTIVATION 10 /* TfLiteFusedActivation */
#define DEPTHWISE_CONV_2D_SPEC_ROUNDED    11 /* to `steps` */

PUSH_CONSTANTS(depthwise_conv_2d_args)
    uint count; /* invocations: N * OH * OW * out_slices */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(depthwise_conv_2d_args, 52)

#endif
