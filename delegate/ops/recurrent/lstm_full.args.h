/* Arguments of lstm_full.comp and lstm_state.comp. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_ARGS_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_ARGS_H

#include "delegate/ops/recurrent/lstm_full_spec.h"

#define LSTM_STATE_SPEC_OUT 3 /* from the state to the tensors, not to it */

/* The state of a row, in f32: h before a step, h behind it (the two take turns), cells, results
 * before the projection; each padded to whole slices. */
PUSH_CONSTANTS(lstm_full_args)
    uint count;                 /* workgroups: rows * parts; lstm_state: invocations */
    uint parts;                 /* workgroups that share the cells of a row */
    uint first, last;           /* steps */
    uint row_pitch, step_pitch; /* of x and y, in rows */
    uint depth, in_slices;      /* of x */
    uint cells, cell_slices;
    uint outputs, out_slices;   /* of h and y */
    float cell_clip, proj_clip; /* 0: none */
END_PUSH_CONSTANTS
ARGS_SIZE(lstm_full_args, 56)

#endif
