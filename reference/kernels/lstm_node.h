/* A node of the full LSTM kernel, which LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM share: its inputs and
 * sizes.
 *
 *     z_g = W_g x + R_g h + P_g * c + b_g        gates i, f, c, o; the last with the new c
 *     z_g = norm(W_g x + R_g h + P_g * c) * N_g + b_g        with layer normalization
 *     c = s(z_f) * c + s(z_i) * act(z_c)         s(v) = 1 / (1 + e^-v); without i (CIFG) 1 - s(z_f)
 *     h = s(z_o) * act(c), or P (s(z_o) * act(c)) + b with a projection
 *
 * c is clipped to +-cell_clip, a projected h to +-proj_clip, where these are above 0.  Inputs 18
 * and 19, h and c, are the state, which each step overwrites.
 * Meaning: tflite/kernels/lstm_eval.cc */
#ifndef ASSAY_REFERENCE_KERNELS_LSTM_NODE_H
#define ASSAY_REFERENCE_KERNELS_LSTM_NODE_H

#include "reference/kernels/quantized.h"

/* Gates in the order of the inputs.  Of each: weights, recurrent weights, bias, normalization. */
enum lstm_gate { LSTM_GATE_I, LSTM_GATE_F, LSTM_GATE_C, LSTM_GATE_O, LSTM_GATES };
enum lstm_full_input {
    LSTM_FULL_X,
    LSTM_FULL_W = 1,
    LSTM_FULL_R = 5,
    LSTM_FULL_PEEPHOLE = 9, /* of i, f and o */
    LSTM_FULL_BIAS = 12,
    LSTM_FULL_PROJECTION = 16,
    LSTM_FULL_PROJECTION_BIAS,
    LSTM_FULL_H,
    LSTM_FULL_C,
    LSTM_FULL_NORM = 20,
    LSTM_FULL_INPUTS_OLD = 20,
    LSTM_FULL_INPUTS = 24
};
/* Intermediates of the quantized form: one for each gate, and the result before its projection. */
enum { LSTM_FULL_HIDDEN = 4, LSTM_FULL_INTERMEDIATES = 5 };

/* The input of a gate's peephole weights; -1: the gate has none. */
static inline int ref_lstm_peephole(int gate)
{
    return gate == LSTM_GATE_C ? -1 : LSTM_FULL_PEEPHOLE + gate - (gate == LSTM_GATE_O);
}

struct ref_lstm {
    /* Of the op's parameters. */
    TfLiteFusedActivation activation;
    float cell_clip, proj_clip;
    bool sequence, time_major, diagonal;
    /* Of the tensors, set by ref_lstm_prepare and ref_lstm_open. */
    size_t batch, steps, depth, cells, outputs;
    bool cifg, peephole, projection, norm;
    bool hybrid, quantized;
};

/* The first element of step t of row b in x of D or y of O channels. */
static inline size_t ref_lstm_row(const struct ref_lstm *l, size_t b, size_t t)
{
    return l->time_major ? t * l->batch + b : b * l->steps + t;
}

#endif
