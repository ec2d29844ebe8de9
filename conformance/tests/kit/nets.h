/* Whole nets for tests of plans. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_NETS_H
#define ASSAY_CONFORMANCE_TESTS_KIT_NETS_H

#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/zoo.h"
#include "delegate/tests/kit/gpu_kit.h"

/* MobileNet v1, 224 x 224, f32. */
void net_mobilenet(struct model *m);
/* Like DeepLab v3+ on MobileNet v2, 257 x 257, f32. */
void net_deeplab(struct model *m);

#endif
