/* The full LSTM in floats, also with i8 weights, which are dequantized.  Beside each value its
 * error is carried from step to step, and over the state from inference to inference (struct
 * ref_carry): conformance/doc/TOLERANCES.md 3.11. */
#ifndef ASSAY_REFERENCE_KERNELS_LSTM_FLOAT_H
#define ASSAY_REFERENCE_KERNELS_LSTM_FLOAT_H

#include "reference/kernels/lstm_node.h"

enum status ref_lstm_float_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l);

#endif
