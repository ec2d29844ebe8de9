/* The full LSTM kernel, of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM: f32, with f32, f16 or i8 weights.
 * Weights are constants.  One dispatch runs all steps where one workgroup has the cells of a row,
 * else each step is a dispatch; two more move the state.  Meaning: reference/kernels/lstm_node.h */
#ifndef ASSAY_DELEGATE_OPS_LSTM_FULL_H
#define ASSAY_DELEGATE_OPS_LSTM_FULL_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

enum lstm_full_input {
    LSTM_FULL_X,
    LSTM_FULL_W = 1, /* of gates i, f, c, o; so R and bias */
    LSTM_FULL_R = 5,
    LSTM_FULL_PEEPHOLE = 9, /* of i, f, o */
    LSTM_FULL_BIAS = 12,
    LSTM_FULL_PROJECTION = 16,
    LSTM_FULL_PROJECTION_BIAS,
    LSTM_FULL_H,
    LSTM_FULL_C,
    LSTM_FULL_NORM = 20,
    LSTM_FULL_INPUTS = 24,
    LSTM_FULL_GATES = 4
};

/* What the parameters of both ops have. */
struct lstm_full {
    int activation;
    float cell_clip, proj_clip;
    bool sequence, time_major, diagonal;
};
bool lstm_full_accept(struct check *c, const struct lstm_full *l);
enum status lstm_full_plan(struct planner *p, const struct graph_node *n,
                           const struct lstm_full *l);
bool lstm_full_shape(const struct graph *g, const struct graph_node *n, struct graph_shape *s);

/* Input `input` is a state that the node may read and write once an inference. */
bool lstm_check_state(struct check *c, int input);

#endif
