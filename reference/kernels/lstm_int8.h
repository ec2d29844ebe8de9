/* The full LSTM in integers: x, h and weights i8, c and gates i16 ("8x8_16"), bit for bit as in the
 * runtime: reference/QUANTIZATION.md. */
#ifndef ASSAY_REFERENCE_KERNELS_LSTM_INT8_H
#define ASSAY_REFERENCE_KERNELS_LSTM_INT8_H

#include "reference/kernels/lstm_node.h"

/* Scales, zero points and intermediates. */
enum status ref_lstm_int8_check(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l);
enum status ref_lstm_int8_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l);

#endif
