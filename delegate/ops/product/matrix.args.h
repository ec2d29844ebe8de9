/* Arguments of matrix.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_ARGS_H

#include "delegate/ops/window.args.h"

#define MATRIX_SPEC_TILE 9 /* rows and columns of a matrix of the device: 8 or 16 */
#define MATRIX_SPEC_SUBGROUPS                                                                      \
    10                          /* of a workgroup along pixels, outputs (<< 8), the sum (<< 16)    \
                                 */
#define MATRIX_SPEC_CHUNK    11 /* tiles of the sum that are staged at once */
#define MATRIX_SPEC_AHEAD    12 /* tiles of the sum whose weights a subgroup loads at once */
#define MATRIX_SPEC_PART     13 /* MATRIX_PARTED: tiles of the sum of a workgroup */
#define MATRIX_SPEC_CHANNELS 14 /* of src */
#define MATRIX_SPEC_FLAGS    15 /* MATRIX_... */

#define MATRIX_DENSE            1 /* 1x1, stride 1, no padding: pixel p of dst is made of pixel p of src */
#define MATRIX_FRAGMENTS        2 /* weights lie as the device spreads a matrix over a subgroup */
#define MATRIX_EVEN             4 /* the slices of src are whole units of 16 bytes */
#define MATRIX_CURVED           8 /* the activation is none that only clamps */
#define MATRIX_PARTED           16 /* the workgroups along z have parts of the sum: dst is [parts] f32 */
#define MATRIX_REQUANTIZE_SHIFT 5 /* bytes: REQUANTIZE_... is in the bits from this one on */

/* 16-byte units of src that an invocation stages at once. */
#define MATRIX_STAGED 12
/* Most tiles of weights that a subgroup loads at once, of all its columns. */
#define MATRIX_AHEAD 16

#if !defined(BYTES) || !BYTES
PUSH_CONSTANTS(matrix_args)
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint stride_h, stride_w;
    uint has_residual; /* 1: what dst holds is added */
    uint activation;
END_PUSH_CONSTANTS
ARGS_SIZE(matrix_args, 52)
#endif

#endif
