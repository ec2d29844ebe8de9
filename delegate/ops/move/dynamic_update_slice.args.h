/* Arguments of dynamic_update_slice.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_DYNAMIC_UPDATE_SLICE_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_DYNAMIC_UPDATE_SLICE_ARGS_H

#include "delegate/shaders/args.h"

#define DYNAMIC_UPDATE_SLICE_SPEC_WHOLE 3 /* whole slices move */
#define DYNAMIC_UPDATE_SLICE_SPEC_DIMS  4 /* how many dims there are */

#define DYNAMIC_UPDATE_SLICE_DIMS_MAX 8

/* Elements are counted densely, without padding.  A dim of the operand that the update fills lies
 * in the one before it: its index counts `unit` elements for each step of the start. */
PUSH_CONSTANTS(dynamic_update_slice_args)
    uint slices;                                           /* of the output, in all rows */
    uint out_channels, out_slices, in_channels, in_slices; /* a row of the output, of the update */
    uint start_of; /* 4 bits for each dim: the element of the start that is its own */
    uint size[DYNAMIC_UPDATE_SLICE_DIMS_MAX], update[DYNAMIC_UPDATE_SLICE_DIMS_MAX],
        unit[DYNAMIC_UPDATE_SLICE_DIMS_MAX];
END_PUSH_CONSTANTS
ARGS_SIZE(dynamic_update_slice_args, 120)

#endif
