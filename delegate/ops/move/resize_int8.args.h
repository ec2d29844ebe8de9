/* Arguments of resize_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_RESIZE_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_RESIZE_INT8_ARGS_H

#include "delegate/shaders/args.h"

#define RESIZE_INT8_SPEC_SIGNED 3 /* i8, blended in integers; else u8, in floats */

PUSH_CONSTANTS(resize_int8_args)
    uint count; /* pixels * slices of the output */
    uint in_h, in_w, out_h, out_w, slices;
END_PUSH_CONSTANTS
ARGS_SIZE(resize_int8_args, 24)

#endif
