/* Arguments of dot_int16.comp. */
#ifndef ASSAY_DELEGATE_OPS_INT8_DOT_INT16_ARGS_H
#define ASSAY_DELEGATE_OPS_INT8_DOT_INT16_ARGS_H

#include "delegate/ops/window.args.h"

/* The ids below are those of window.args.h. */
#define DOT_INT16_SPEC_TILE       9  /* neighbouring pixels of an invocation */
#define DOT_INT16_SPEC_GROUPED    10 /* a result has some of the input channels, else all */
#define DOT_INT16_SPEC_TRANSPOSED 11 /* the window takes dst to src, as in TRANSPOSE_CONV */
#define DOT_INT16_SPEC_IN_DOUBLE  12 /* output multipliers are doubles, else fixed-point */
#define DOT_INT16_SPEC_NARROW     13 /* sums have 32 bits, since the bias has, else 64 */

PUSH_CONSTANTS(dot_int16_args)
    uint count;  /* invocations: tiles of pixels * output slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint out_channels;
    uint group_in, group_out; /* channels of a group; group_in in whole slices unless GROUPED */
    int low, high;            /* of the output */
END_PUSH_CONSTANTS
ARGS_SIZE(dot_int16_args, 60)

#endif
