/* Arguments of pool.comp and pool_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_POOL_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_POOL_ARGS_H

#include "delegate/shaders/args.h"

#define POOL_SPEC_STRIDE_H   3
#define POOL_SPEC_STRIDE_W   4
#define POOL_SPEC_ACTIVATION 5 /* pool.comp: TfLiteFusedActivation */
#define POOL_SPEC_SIGNED     5 /* pool_int8.comp: i8; else u8 */
#define POOL_SPEC_MAXIMUM    6 /* MAX_POOL_2D; else AVERAGE_POOL_2D */
#define POOL_SPEC_ZEROS      7 /* what surrounds the image counts: zeros, or args.zero */

PUSH_CONSTANTS(pool_args)
    uint count; /* pixels * slices of the output */
    uint in_h, in_w, slices;
    uint out_h, out_w;
    uint filter_h, filter_w;
    int pad_h, pad_w; /* before */
    int low, high;    /* pool_int8.comp: of the output */
    int zero;         /* pool_int8.comp: the zero point of both tensors */
END_PUSH_CONSTANTS
ARGS_SIZE(pool_args, 52)

#endif
