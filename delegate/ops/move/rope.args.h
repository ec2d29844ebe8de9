/* Arguments of rope.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_ROPE_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_ROPE_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(rope_args)
    uint count;     /* slices of all first halves */
    uint slices;    /* of half a row */
    uint inner;     /* rows with the same angles, one after the other */
    uint positions; /* rows of angles */
END_PUSH_CONSTANTS
ARGS_SIZE(rope_args, 16)

#endif
