/* An LSTM that spots keywords. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_KEYWORD_LSTM_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_KEYWORD_LSTM_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_keyword_lstm;

#endif
