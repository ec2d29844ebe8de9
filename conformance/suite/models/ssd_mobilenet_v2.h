/* A single-shot detector on MobileNet v2. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_SSD_MOBILENET_V2_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_SSD_MOBILENET_V2_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_ssd_mobilenet_v2;

#endif
