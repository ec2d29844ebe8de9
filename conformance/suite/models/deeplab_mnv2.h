/* DeepLab v3 on MobileNet v2, which segments images. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DEEPLAB_MNV2_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DEEPLAB_MNV2_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_deeplab_mnv2;

#endif
