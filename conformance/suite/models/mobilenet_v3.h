/* MobileNet v3 large, an image classifier. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V3_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V3_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_mobilenet_v3;

#endif
