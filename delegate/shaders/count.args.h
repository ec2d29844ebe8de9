/* Arguments of the shaders that compute slice i of the result from slice i of their input. */
#ifndef ASSAY_DELEGATE_SHADERS_COUNT_ARGS_H
#define ASSAY_DELEGATE_SHADERS_COUNT_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(count_args)
    uint count; /* slices */
END_PUSH_CONSTANTS
ARGS_SIZE(count_args, 4)

#endif
