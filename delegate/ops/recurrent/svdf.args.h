/* Arguments of svdf.comp and svdf_state.comp, and of their forms for integers. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_SVDF_ARGS_H
#define ASSAY_DELEGATE_OPS_RECURRENT_SVDF_ARGS_H

#include "delegate/shaders/args.h"

#define SVDF_SPEC_ACTIVATION 3 /* TfLiteFusedActivation; svdf alone */

PUSH_CONSTANTS(svdf_args)
    uint count;           /* slices that the shader writes */
    uint depth, x_slices; /* of x */
    uint filters, memory; /* a row of the state has memory results of each filter */
    uint state_slices;
    uint units, out_slices; /* of y */
    uint terms;             /* of a sum of y: rank * memory */
    /* The rest is the integer shader's. */
    int x_zero, out_zero;
    int factor, shift; /* to steps of what the shader writes, a fixed_multiplier */
END_PUSH_CONSTANTS
ARGS_SIZE(svdf_args, 52)

#endif
