/* Arguments of lstm_full_int8.comp, which has the specialization constants of lstm_full.comp. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_INT8_ARGS_H

#include "delegate/ops/recurrent/lstm_full_spec.h"

PUSH_CONSTANTS(lstm_full_int8_args)
    uint count; /* these are the members of lstm_full_args */
    uint parts;
    uint first, last;
    uint row_pitch, step_pitch;
    uint in_slices;
    uint cells, cell_slices;
    uint outputs, out_slices;
    int hidden_factor, hidden_shift; /* fixed_multipliers */
    int hidden_zero;                 /* added to the hidden result */
    int projection_factor, projection_shift;
    int out_zero;             /* of a projected result */
    int cell_bits;            /* integer bits of a cell */
    int cell_clip, proj_clip; /* in steps; 0: none */
END_PUSH_CONSTANTS
ARGS_SIZE(lstm_full_int8_args, 80)

#endif
