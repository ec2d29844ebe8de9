/* Arguments of pack_weights.comp. */
#ifndef ASSAY_DELEGATE_SHADERS_PACK_WEIGHTS_ARGS_H
#define ASSAY_DELEGATE_SHADERS_PACK_WEIGHTS_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(pack_weights_args)
    uint count; /* vec4s of the result */
    uint outputs, out_slices, taps, inputs, in_slices, depth;
END_PUSH_CONSTANTS
ARGS_SIZE(pack_weights_args, 28)

#endif
