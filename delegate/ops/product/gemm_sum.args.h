/* Arguments of gemm_sum.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_GEMM_SUM_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_GEMM_SUM_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/shaders/args.h"

#define GEMM_SUM_SPEC_ACTIVATION 3 /* TfLiteFusedActivation */
#define GEMM_SUM_SPEC_RESIDUAL   4 /* what dst holds is added */
#define GEMM_SUM_SPEC_ROUNDED    5 /* to `steps` */
#define GEMM_SUM_SPEC_PARTS      6

PUSH_CONSTANTS(gemm_sum_args)
    uint count; /* slices of dst */
    uint out_slices;
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(gemm_sum_args, 20)

#endif
