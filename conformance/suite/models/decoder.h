/* The zoo's language models. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DECODER_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DECODER_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_decoder, zoo_decoder_270m;

#endif
