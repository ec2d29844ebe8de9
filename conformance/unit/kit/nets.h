/* Whole nets for tests of plans. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_NETS_H
#define ASSAY_CONFORMANCE_UNIT_KIT_NETS_H

#include "conformance/models/net.h"
#include "conformance/models/zoo.h"
#include "conformance/unit/kit/gpu_kit.h"

void net_mobilenet(struct model *m);
void net_deeplab(struct model *m);

#endif
