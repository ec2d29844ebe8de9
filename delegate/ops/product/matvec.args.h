/* Arguments of matvec.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATVEC_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATVEC_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/reduce/tail.args.h"
#include "delegate/shaders/args.h"

#define MATVEC_SPEC_ACTIVATION 3 /* TfLiteFusedActivation */
#define MATVEC_SPEC_RESIDUAL   4 /* what dst holds is added */
#define MATVEC_SPEC_ROUNDED    5 /* to `steps` */
#define MATVEC_SPEC_COLUMNS    6 /* output slices of a workgroup, a power of two */
#define MATVEC_SPEC_TURNS      7 /* input slices that an invocation loads at once */
#define MATVEC_SPEC_PLANES     8 /* a power of two; a tail may have more invocations */
#define MATVEC_SPEC_TAIL       9 /* invocations that compute the SOFTMAX of a row; 0: there is none */

PUSH_CONSTANTS(matvec_args)
    uint count;  /* workgroups: rows * blocks */
    uint blocks; /* of output slices */
    uint in_channels, in_slices, out_slices;
    ARGS_STRUCT(graph_steps) steps;
    ARGS_STRUCT(tail_args) tail;
    float beta; /* of the SOFTMAX */
END_PUSH_CONSTANTS
ARGS_SIZE(matvec_args, 44)

#endif
