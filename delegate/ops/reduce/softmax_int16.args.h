/* Arguments of softmax_int16.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT16_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT16_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(softmax_int16_args)
    uint count; /* rows */
    uint channels, slices;
    int multiplier, shift; /* from a difference of integers to units of 10/65535 */
END_PUSH_CONSTANTS
ARGS_SIZE(softmax_int16_args, 20)

#endif
