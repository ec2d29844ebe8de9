/* What single-shot detectors have behind their backbone: smaller and smaller feature maps, anchors,
 * heads for boxes and classes, TFLite_Detection_PostProcess. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_SSD_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_SSD_H

#include "conformance/suite/models/net.h"

enum { ZOO_SSD_MAPS = 6 };

struct zoo_ssd {
    struct zoo_tensor maps[ZOO_SSD_MAPS]; /* the first two are the backbone's */
    bool lite; /* depthwise and 1x1 convolutions in the place of 3x3, in heads too */
};

/* Builds the rest of a detector of options.classes objects, and the outputs of the model: boxes,
 * classes, scores, count. */
enum status zoo_ssd(struct zoo_net *net, struct zoo_tensor in, struct zoo_ssd *ssd,
                    struct diag *diag);

#endif
