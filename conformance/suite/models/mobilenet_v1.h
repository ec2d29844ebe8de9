/* MobileNet v1 as the backbone of other models. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V1_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V1_H

#include "conformance/suite/models/net.h"

/* All layers but the classifier.  output_stride 0: strides as in the classifier.  middle, where not
 * NULL, is set to the result of block 11, the last of stride 16. */
struct zoo_tensor zoo_mobilenet_v1_features(struct zoo_net *net, struct zoo_tensor in,
                                            int32_t output_stride, struct zoo_tensor *middle);

#endif
