/* EfficientNet-Lite0, an image classifier. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_EFFICIENTNET_LITE0_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_EFFICIENTNET_LITE0_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_efficientnet_lite0;

#endif
