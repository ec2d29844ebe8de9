/* Arguments of select.comp. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_SELECT_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_SELECT_ARGS_H

#include "delegate/shaders/args.h"

/* The condition, a, b: it has one channel, the result more. */
#define SELECT_SPEC_BROADCAST_C 3
#define SELECT_SPEC_BROADCAST_A 4
#define SELECT_SPEC_BROADCAST_B 5

/* Dims of the result but the channels. */
#define SELECT_OUTER 5

/* How rows of the result find theirs of the inputs: sizes of the dims, outermost first, and the
 * stride of each input in slices (0: broadcast). */
PUSH_CONSTANTS(select_args)
    uint count, slices;
    uint size[SELECT_OUTER], stride_c[SELECT_OUTER], stride_a[SELECT_OUTER], stride_b[SELECT_OUTER];
END_PUSH_CONSTANTS
ARGS_SIZE(select_args, 88)

#endif
