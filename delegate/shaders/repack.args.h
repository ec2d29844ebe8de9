/* Arguments of repack.comp. */
#ifndef ASSAY_DELEGATE_SHADERS_REPACK_ARGS_H
#define ASSAY_DELEGATE_SHADERS_REPACK_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(repack_args)
    uint count; /* slices of all rows of the result */
    uint channels, slices;
    uint source_channels, source_slices;
END_PUSH_CONSTANTS
ARGS_SIZE(repack_args, 20)

#endif
