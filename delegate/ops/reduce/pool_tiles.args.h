/* Arguments of pool_argmax.comp and unpool.comp: windows that do not overlap. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_POOL_TILES_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_POOL_TILES_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(pool_tiles_args)
    uint count;  /* slices of dst */
    uint slices; /* of a pixel */
    uint in_h, in_w;
    uint out_h, out_w;
    uint filter_h, filter_w;
    int pad_h, pad_w; /* pool_argmax.comp: before */
END_PUSH_CONSTANTS
ARGS_SIZE(pool_tiles_args, 40)

#endif
