/* Arguments of lstm.comp and lstm_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_ARGS_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(lstm_args)
    uint count;         /* invocations: rows * slices */
    uint units, slices; /* of a row of the state */
END_PUSH_CONSTANTS
ARGS_SIZE(lstm_args, 12)

#endif
