/* A recurrent layer. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_LSTM_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_LSTM_H

#include "conformance/suite/models/net.h"

/* UNIDIRECTIONAL_SEQUENCE_LSTM without peepholes and projection: [batch, steps, depth] to
 * [batch, steps, cells].  Returns the tensor's index. */
int zoo_sequence_lstm(struct zoo_net *net, const char *name, int in, int32_t steps, int32_t depth,
                      int32_t cells);
/* The last step of [batch, steps, cells], as [batch, cells]. */
int zoo_last_step(struct zoo_net *net, const char *name, int in, int32_t steps, int32_t cells);

#endif
