/* The full LSTM kernel: checks, and the evaluation of all steps, in floats (lstm_float.c) or
 * integers (lstm_int8.c). */
#ifndef ASSAY_REFERENCE_KERNELS_LSTM_H
#define ASSAY_REFERENCE_KERNELS_LSTM_H

#include "reference/kernels/lstm_node.h"

/* Checks the node, and gives the shape of its output.  l has the parameters of the op. */
enum status ref_lstm_prepare(struct ref_call *call, struct diag *diag, struct ref_lstm *l);
enum status ref_lstm_eval(struct ref_call *call, struct diag *diag, struct ref_lstm *l);

/* ---- lstm_float.c ---- */

/* The full LSTM in floats, also with i8 weights, which are dequantized.  Beside each value its
 * error is carried from step to step, and over the state from inference to inference (struct
 * ref_carry): conformance/doc/TOLERANCES.md 3.11. */

enum status ref_lstm_float_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l);

/* ---- lstm_int8.c ---- */

/* The full LSTM in integers: x, h and weights i8, c and gates i16 ("8x8_16"), bit for bit as in the
 * runtime: reference/QUANTIZATION.md. */

/* Scales, zero points and intermediates. */
enum status ref_lstm_int8_check(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l);
enum status ref_lstm_int8_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l);

#endif
