/* ResNet-50, an image classifier. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_RESNET50_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_RESNET50_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_resnet50;

#endif
