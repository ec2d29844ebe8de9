/* Arguments of take.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_TAKE_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_TAKE_ARGS_H

#include "delegate/shaders/args.h"

#define TAKE_SPEC_DIMS     3 /* how many of out_size are used, the last ones */
#define TAKE_SPEC_CHANNELS 4 /* whether channels have indices, too */

/* Dims but the channels. */
#define TAKE_OUTER 7
/* An index outside of the source: the element is `fill`. */
#define TAKE_OUTSIDE 0xffffffffu

PUSH_CONSTANTS(take_args)
    uint count;                           /* slices of the output */
    uint channels, in_slices, out_slices; /* channels: of the output */
    uint fill; /* the bits of an f32 or i32, of an f16 twice, or of a byte four times */
    uint out_size[TAKE_OUTER];
END_PUSH_CONSTANTS
ARGS_SIZE(take_args, 48)

#endif
