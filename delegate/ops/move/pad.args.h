/* Arguments of pad.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_PAD_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_PAD_ARGS_H

#include "delegate/shaders/args.h"

/* Dims but the channels. */
#define PAD_OUTER 5

PUSH_CONSTANTS(pad_args)
    uint count; /* slices of the output */
    uint in_channels, in_slices, out_slices, before_channels;
    /* Outermost first. */
    uint out_size[PAD_OUTER], in_size[PAD_OUTER], before[PAD_OUTER];
    uint fill; /* of bytes: the zero point in each; of floats: 0 */
END_PUSH_CONSTANTS
ARGS_SIZE(pad_args, 84)

#endif
