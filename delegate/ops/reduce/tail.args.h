/* Arguments of tail.glsl: a member of push constants. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_TAIL_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_TAIL_ARGS_H

#include "delegate/shaders/args.h"

/* Behind the weights of the product: a counter in 4 words, then the product's rows of slices, then
 * what else the step needs. */
#define TAIL_COUNTER_WORDS 4u

struct tail_args {
    uint at;       /* where binding 2 has the counter, in units of 16 bytes */
    uint channels; /* of a row */
};

#endif
