/* Arguments of conv_2d_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_2D_INT8_ARGS_H

#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/reduce/tail.args.h"
#include "delegate/ops/window.args.h"

#define CONV_2D_INT8_SPEC_REQUANTIZE 11 /* REQUANTIZE_... */
#define CONV_2D_INT8_SPEC_SIGN_FLIP  12 /* dot_sign_flip of x */
#define CONV_2D_INT8_SPEC_SUM_X      13 /* the zero point of the weights is not 0 */
#define CONV_2D_INT8_SPEC_QUADS      14 /* in_slices is a multiple of 4: they are loaded by fours */
#define CONV_2D_INT8_SPEC_TAIL       15 /* the last workgroup computes the SOFTMAX: CONV_2D_INT8_... */

#define CONV_2D_INT8_NO_TAIL       0
#define CONV_2D_INT8_SIGNED_TAIL   1 /* of i8 */
#define CONV_2D_INT8_UNSIGNED_TAIL 2 /* of u8 */

PUSH_CONSTANTS(conv_2d_int8_args)
    uint count;  /* workgroups: blocks of pixels * blocks of output slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    uint padding; /* dot_padding of x: what taps in the padding read */
    int weight_zero;
    ARGS_STRUCT(requantize_args) output_range;
    ARGS_STRUCT(tail_args) tail;
END_PUSH_CONSTANTS
ARGS_SIZE(conv_2d_int8_args, 72)

#endif
