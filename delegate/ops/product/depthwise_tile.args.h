/* Arguments of depthwise_tile.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_TILE_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_TILE_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/window.args.h"

#define DEPTHWISE_TILE_SPEC_ROWS       9 /* pixels of an invocation: ROWS x COLUMNS */
#define DEPTHWISE_TILE_SPEC_COLUMNS    10
#define DEPTHWISE_TILE_SPEC_ACTIVATION 11 /* TfLiteFusedActivation */
#define DEPTHWISE_TILE_SPEC_ROUNDED    12 /* to `steps` */

PUSH_CONSTANTS(depthwise_tile_args)
    ARGS_STRUCT(window_args) window;
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(depthwise_tile_args, 44)

#endif
