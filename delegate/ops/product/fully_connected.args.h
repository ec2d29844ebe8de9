/* Arguments of fully_connected.comp, which FULLY_CONNECTED and LSTM use. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_FULLY_CONNECTED_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_FULLY_CONNECTED_ARGS_H

#include "delegate/shaders/args.h"

#define FULLY_CONNECTED_SPEC_ACTIVATION 3 /* TfLiteFusedActivation */
#define FULLY_CONNECTED_SPEC_WIDE       4 /* dst is f32 in both precisions */
#define FULLY_CONNECTED_SPEC_RESIDUAL   5 /* what dst holds is added */

PUSH_CONSTANTS(fully_connected_args)
    uint count; /* workgroups: rows * ceil(out_slices / workgroup size x) */
    uint in_channels, in_slices, out_slices;
END_PUSH_CONSTANTS
ARGS_SIZE(fully_connected_args, 16)

#endif
