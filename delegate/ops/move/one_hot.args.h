/* Arguments of one_hot.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_ONE_HOT_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_ONE_HOT_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(one_hot_args)
    uint count;                       /* slices of the output */
    uint channels, slices;            /* of the output */
    uint index_channels, index_pitch; /* a row of indices, and words from one to the next */
    uint depth, inner; /* the extent of the axis, and the elements of one of its indices */
    uint on, off;      /* the bits of an element */
END_PUSH_CONSTANTS
ARGS_SIZE(one_hot_args, 36)

#endif
