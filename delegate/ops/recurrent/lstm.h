/* LSTM with the basic kernel, what its float and its quantized form share: inputs and outputs, and
 * the steps whose shaders have the same arguments. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_H

#include "delegate/plan/planner.h"

/* Inputs: x [B,D], h [B,A], weights [4A,D+A], bias [4A], c [B,A]. */
enum lstm_input { LSTM_X, LSTM_H, LSTM_WEIGHTS, LSTM_BIAS, LSTM_C, LSTM_INPUTS };
/* Outputs: h [B,A], c [B,A]; x and h concatenated [B,D+A]; the gates before their activations
 * [B,4A]. */
enum lstm_output { LSTM_OUT_H, LSTM_OUT_C, LSTM_OUT_XH, LSTM_OUT_Z, LSTM_OUTPUTS };

/* The node has the full kernel (lstm_full.h), which is another one. */
bool lstm_is_full(const struct graph_node *n);

/* The plan tensors of a node. */
struct lstm_tensors {
    int x, h_prev, c_prev;
    int h, c, xh, z;
};
enum status lstm_tensors_of(struct planner *p, const struct graph_node *n, struct lstm_tensors *t);

/* xh = x and h by concatenation.comp or its form for bytes. */
enum status lstm_plan_concat(struct planner *p, const struct graph_node *n, const char *shader,
                             const struct lstm_tensors *t);
/* c and h from the gates z, a plan tensor, by lstm.comp or lstm_int8.comp. */
enum status lstm_plan_gates(struct planner *p, const struct graph_node *n, const char *shader,
                            const struct lstm_tensors *t, int z);
/* The next inference reads the new h and c as its state. */
enum status lstm_write_back(struct planner *p, const struct graph_node *n,
                            const struct lstm_tensors *t);

#endif
