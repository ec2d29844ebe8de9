/* Arguments of depthwise_conv_2d_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_CONV_2D_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_CONV_2D_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/window.args.h"

#define DEPTHWISE_CONV_2D_SPEC_MULTIPLIER      9  /* outputs of an input channel */
#define DEPTHWISE_CONV_2D_INT8_SPEC_SIGN_FLIP  10 /* dot_sign_flip of x */
#define DEPTHWISE_CONV_2D_INT8_SPEC_SUM_X      11 /* the zero point of the weights is not 0 */
#define DEPTHWISE_CONV_2D_INT8_SPEC_REQUANTIZE 12 /* REQUANTIZE_... */

PUSH_CONSTANTS(depthwise_conv_2d_int8_args)
    uint count; /* invocations: N * OH * OW * out_slices */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    uint padding; /* dot_padding of x: what taps in the padding read */
    int weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(depthwise_conv_2d_int8_args, 60)

#endif
