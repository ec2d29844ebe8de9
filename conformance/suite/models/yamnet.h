/* YAMNet, a classifier of sounds. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_YAMNET_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_YAMNET_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_yamnet;

#endif
