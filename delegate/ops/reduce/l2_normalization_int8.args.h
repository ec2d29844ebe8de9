/* Arguments of l2_normalization_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_L2_NORMALIZATION_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_L2_NORMALIZATION_INT8_ARGS_H

#include "delegate/shaders/args.h"

#define L2_NORMALIZATION_INT8_SPEC_SIGNED 3 /* i8; else u8 */

PUSH_CONSTANTS(l2_normalization_int8_args)
    uint count; /* rows */
    uint channels, slices;
    int zero; /* of src */
END_PUSH_CONSTANTS
ARGS_SIZE(l2_normalization_int8_args, 16)

#endif
