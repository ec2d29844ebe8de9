/* Arguments of arg_max.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_ARG_MAX_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_ARG_MAX_ARGS_H

#include "delegate/shaders/args.h"

#define ARG_MAX_SPEC_OVER_CHANNELS 3 /* the axis is the channels */
#define ARG_MAX_SPEC_LEAST         4 /* ARG_MIN */
#define ARG_MAX_SPEC_SIGNED        5 /* bytes are i8; else u8 or bool */

PUSH_CONSTANTS(arg_max_args)
    uint count; /* slices of the output */
    uint out_channels, out_slices;
    uint in_slices;
    uint extent; /* of the axis */
    uint inner;  /* rows between two elements along the axis; channels: unused */
END_PUSH_CONSTANTS
ARGS_SIZE(arg_max_args, 24)

#endif
