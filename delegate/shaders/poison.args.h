/* Arguments of poison.comp. */
#ifndef ASSAY_DELEGATE_SHADERS_POISON_ARGS_H
#define ASSAY_DELEGATE_SHADERS_POISON_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(poison_args)
    uint count; /* rows */
    uint channels, slices;
    uint pattern; /* a word of elements */
END_PUSH_CONSTANTS
ARGS_SIZE(poison_args, 16)

#endif
