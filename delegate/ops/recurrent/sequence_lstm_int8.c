/* UNIDIRECTIONAL_SEQUENCE_LSTM i8: lstm_full_int8.h. */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/recurrent/lstm_full_int8.h"

const struct gpu_exact exact_sequence_lstm = { lstm_full_int8_accept, lstm_full_int8_plan };
