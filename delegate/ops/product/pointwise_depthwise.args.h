/* Arguments of pointwise_depthwise.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_POINTWISE_DEPTHWISE_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_POINTWISE_DEPTHWISE_ARGS_H

#include "delegate/ops/window.args.h"

#define POINTWISE_DEPTHWISE_SPEC_TILE     9  /* rows and columns of a matrix of the device */
#define POINTWISE_DEPTHWISE_SPEC_ROWS     10 /* subgroups of a workgroup along pixels */
#define POINTWISE_DEPTHWISE_SPEC_SHARES   11 /* along the sum */
#define POINTWISE_DEPTHWISE_SPEC_CHANNELS 12 /* of src */
#define POINTWISE_DEPTHWISE_SPEC_FLAGS    13 /* POINTWISE_DEPTHWISE_... */
/* The widths of src and dst, in the lower and the upper 16 bits. */
#define POINTWISE_DEPTHWISE_SPEC_WIDTHS 14

#define POINTWISE_DEPTHWISE_FRAGMENTS 1 /* weights lie as the device spreads a matrix */
#define POINTWISE_DEPTHWISE_EVEN      2 /* an even number of slices of src */
#define POINTWISE_DEPTHWISE_TWO_ROWS  4 /* a workgroup computes two rows of dst, else one */

/* Tiles of outputs of a workgroup. */
#define POINTWISE_DEPTHWISE_BLOCK 2
/* Tiles of weights that are loaded before they are needed: more would take registers that the
 * compiler does not have. */
#define POINTWISE_DEPTHWISE_AHEAD 2u
/* 16-byte units of src that an invocation stages, at most. */
#define POINTWISE_DEPTHWISE_STAGED 8
/* Taps of a window, at most: an invocation keeps their weights. */
#define POINTWISE_DEPTHWISE_TAPS 9

PUSH_CONSTANTS(pointwise_depthwise_args)
    ARGS_STRUCT(window_args) window; /* of the depthwise; in_slices are those of src */
    uint activation;                 /* of the 1x1 convolution */
    uint last_activation;
END_PUSH_CONSTANTS
ARGS_SIZE(pointwise_depthwise_args, 40)

#endif
