/* Arguments of lstm_product_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_PRODUCT_INT8_ARGS_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_PRODUCT_INT8_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(lstm_product_int8_args)
    uint count;               /* slices of dst */
    uint channels, in_slices; /* of a row of src */
    uint out_slices;
    int weights_zero;
    int factor, shift; /* output multiplier, a fixed_multiplier */
END_PUSH_CONSTANTS
ARGS_SIZE(lstm_product_int8_args, 28)

#endif
