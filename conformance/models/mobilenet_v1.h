/* MobileNet v1, an image classifier. */
#ifndef ASSAY_CONFORMANCE_MODELS_MOBILENET_V1_H
#define ASSAY_CONFORMANCE_MODELS_MOBILENET_V1_H

#include "conformance/models/zoo_entry.h"

extern const struct zoo_entry zoo_mobilenet_v1;

#endif
