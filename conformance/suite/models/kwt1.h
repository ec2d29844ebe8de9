/* Keyword Transformer, a small transformer that spots keywords. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_KWT1_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_KWT1_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_kwt1;

#endif
