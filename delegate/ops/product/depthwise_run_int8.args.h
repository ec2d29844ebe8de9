/* Arguments of depthwise_run_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_RUN_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_RUN_INT8_ARGS_H

#include "delegate/ops/divisor.args.h"
#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/window.args.h"

/* The ids below are those of window.args.h. */
#define DEPTHWISE_RUN_INT8_SPEC_RUN        9  /* pixels of an invocation */
#define DEPTHWISE_RUN_INT8_SPEC_SIGN_FLIP  10 /* dot_sign_flip of x */
#define DEPTHWISE_RUN_INT8_SPEC_SUM_X      11 /* the zero point of the weights is not 0 */
#define DEPTHWISE_RUN_INT8_SPEC_REQUANTIZE 12 /* REQUANTIZE_... */

PUSH_CONSTANTS(depthwise_run_int8_args)
    uint count; /* invocations: N * OH * runs of a row * slices */
    ARGS_STRUCT(window_args) window;
    ARGS_STRUCT(divisor_args) slices, runs, rows; /* of a pixel; of a row; of an image: OH */
    uint padding; /* dot_padding of x: what taps in the padding read */
    int weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(depthwise_run_int8_args, 92)

#endif
