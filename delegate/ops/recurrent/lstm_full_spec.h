/* Specialization constants of lstm_full.comp and, but for the last, lstm_full_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_SPEC_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_SPEC_H

#include "delegate/shaders/args.h"

#define LSTM_FULL_SPEC_CIFG       3 /* 1 - f stands for the input gate */
#define LSTM_FULL_SPEC_PEEPHOLE   4 /* i, f and o see the cells */
#define LSTM_FULL_SPEC_PROJECTION 5
#define LSTM_FULL_SPEC_ACTIVATION 6 /* TfLiteFusedActivation: tanh, logistic or a clamp */

#endif
