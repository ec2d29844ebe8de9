/* Arguments of gemm_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_GEMM_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_GEMM_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/window.args.h"

/* The ids below are those of window.args.h. */
#define GEMM_INT8_SPEC_ROWS       9  /* pixels of an invocation */
#define GEMM_INT8_SPEC_CHUNK      10 /* quads, of 16 inputs, that are staged at once */
#define GEMM_INT8_SPEC_REQUANTIZE 11 /* REQUANTIZE_... */
#define GEMM_INT8_SPEC_SIGN_FLIP  12 /* dot_sign_flip of x */
#define GEMM_INT8_SPEC_SUM_X      13 /* the zero point of the weights is not 0 */

PUSH_CONSTANTS(gemm_int8_args)
    uint count;  /* workgroups: blocks of pixels * blocks of output slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    uint padding; /* dot_padding of x: what taps in the padding read */
    int weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
END_PUSH_CONSTANTS
ARGS_SIZE(gemm_int8_args, 64)

#endif
