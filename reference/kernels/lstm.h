/* The full LSTM kernel: checks, and the evaluation of all steps, in floats (lstm_float.h) or
 * integers (lstm_int8.h). */
#ifndef ASSAY_REFERENCE_KERNELS_LSTM_H
#define ASSAY_REFERENCE_KERNELS_LSTM_H

#include "reference/kernels/lstm_node.h"

/* Checks the node, and gives the shape of its output.  l has the parameters of the op. */
enum status ref_lstm_prepare(struct ref_call *call, struct diag *diag, struct ref_lstm *l);
enum status ref_lstm_eval(struct ref_call *call, struct diag *diag, struct ref_lstm *l);

#endif
