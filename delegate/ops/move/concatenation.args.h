/* Arguments of concatenation.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_ARGS_H

#include "delegate/shaders/args.h"

#define CONCATENATION_SPEC_SPLIT 3 /* along the channels, where inputs may share a slice */

/* Inputs of one dispatch. */
#define CONCATENATION_SOURCES 3

PUSH_CONSTANTS(concatenation_args)
    uint count; /* slices to write: those of the range, for each index outside the axis */
    /* The axis of the output, in slices: its whole length; where the range begins; the range's
     * length. */
    uint pitch, begin, slices;
    /* The places where inputs begin and end on the axis, in slices, or in channels with SPLIT. */
    uint first;                           /* of input a */
    uint end[CONCATENATION_SOURCES];      /* of each input, where the next begins */
    uint pitch_of[CONCATENATION_SOURCES]; /* of the inputs, in slices: whole axis */
END_PUSH_CONSTANTS
ARGS_SIZE(concatenation_args, 44)

#endif
