/* PoseNet on MobileNet v1, which finds keypoints of persons. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_POSENET_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_POSENET_H

#include "conformance/suite/models/zoo_entry.h"

extern const struct zoo_entry zoo_posenet;

#endif
