/* Arguments of depthwise_run_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_RUN_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_RUN_INT8_ARGS_H

#include "delegate/ops/divisor.args.h"
#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/window.args.h"

/* The ids below are those of window.args.h. */
#define DEPTHWISE_RUN_INT8_SPEC_SIGN_FLIP  9  /* dot_sign_flip of x */
#define DEPTHWISE_RUN_INT8_SPEC_SUM_X      10 /* the zero point of the weights is not 0 */
#define DEPTHWISE_RUN_INT8_SPEC_REQUANTIZE 11 /* REQUANTIZE_... */

PUSH_CONSTANTS(depthwise_run_int8_args)
    uint count; /* invocations: N * OH * OW * slices */
    ARGS_STRUCT(window_args) window;
    ARGS_STRUCT(divisor_args) slices, columns, rows; /* of a pixel; OW; OH */
    uint padding; /* dot_padding of x: what taps in the padding read */
    int weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(depthwise_run_int8_args, 92)

#endif
