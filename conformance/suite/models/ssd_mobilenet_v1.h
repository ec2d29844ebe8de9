/* A single-shot detector on MobileNet v1. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_SSD_MOBILENET_V1_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_SSD_MOBILENET_V1_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_ssd_mobilenet_v1;

#endif
