/* Arguments of strided_slice.comp. */
#ifndef ASSAY_DELEGATE_OPS_STRIDED_SLICE_ARGS_H
#define ASSAY_DELEGATE_OPS_STRIDED_SLICE_ARGS_H

#include "delegate/shaders/args.h"

#define STRIDED_SLICE_SPEC_WHOLE 3 /* slices of the input become slices of the output */

/* Dims but the channels. */
#define STRIDED_SLICE_OUTER 7

PUSH_CONSTANTS(strided_slice_args)
    uint count; /* slices of the output */
    uint channels, slices;
    /* Offsets count elements of the padded rows of the input.  Steps may be negative; sums wrap. */
    uint base, step; /* where channel 0 is, and from there to the next channel */
    uint dims;
    uint size_of[STRIDED_SLICE_OUTER], step_of[STRIDED_SLICE_OUTER]; /* innermost first */
END_PUSH_CONSTANTS
ARGS_SIZE(strided_slice_args, 80)

#endif
