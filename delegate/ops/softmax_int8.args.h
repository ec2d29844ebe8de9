/* Arguments of softmax_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_SOFTMAX_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_SOFTMAX_INT8_ARGS_H

#include "delegate/shaders/args.h"

#define SOFTMAX_INT8_SPEC_SIGNED 3 /* i8; else u8 */

PUSH_CONSTANTS(softmax_int8_args)
    uint count; /* rows */
    uint channels, slices;
END_PUSH_CONSTANTS
ARGS_SIZE(softmax_int8_args, 12)

#endif
