/* Arguments of softmax_int8.comp: SOFTMAX and LOG_SOFTMAX. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT8_ARGS_H

#include "delegate/shaders/args.h"

#define SOFTMAX_INT8_SPEC_SIGNED 3 /* i8; else u8 */
#define SOFTMAX_INT8_SPEC_LOG    4 /* LOG_SOFTMAX */
#define SOFTMAX_INT8_SPEC_WIDE   5 /* results are i16 */
#define SOFTMAX_INT8_SPEC_ALONE  6 /* an invocation computes a row */

PUSH_CONSTANTS(softmax_int8_args)
    uint count; /* rows */
    uint channels, slices;
    /* LOG_SOFTMAX: factors from a difference of integers to its exponent in Q5.26, and back, and
     * the least difference whose power counts. */
    int to_q, to_e, from_q, from_e;
    int least;
END_PUSH_CONSTANTS
ARGS_SIZE(softmax_int8_args, 32)

#endif
