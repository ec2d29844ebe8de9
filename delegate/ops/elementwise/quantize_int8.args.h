/* Arguments of quantize_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_QUANTIZE_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_QUANTIZE_INT8_ARGS_H

#include "delegate/shaders/args.h"

#define QUANTIZE_INT8_SPEC_HALF   3 /* the input is f16; else f32 */
#define QUANTIZE_INT8_SPEC_SIGNED 4 /* i8; else u8 */

PUSH_CONSTANTS(quantize_int8_args)
    uint count; /* slices */
    uint zero;  /* what NaN becomes: the number of integers below the zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(quantize_int8_args, 8)

#endif
