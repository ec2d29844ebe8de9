/* MobileNet v2 as the backbone of other models. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V2_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_MOBILENET_V2_H

#include "conformance/suite/models/net.h"

/* The blocks up to the last bottleneck.  output_stride 0: strides as in the classifier.  middle,
 * where not NULL, is set to the expansion in block 13, the last tensor of stride 16. */
struct zoo_tensor zoo_mobilenet_v2_blocks(struct zoo_net *net, struct zoo_tensor in,
                                          int32_t output_stride, struct zoo_tensor *middle);
/* The 1x1 convolution behind them, of 1280 channels. */
struct zoo_tensor zoo_mobilenet_v2_head(struct zoo_net *net, struct zoo_tensor in);

#endif
