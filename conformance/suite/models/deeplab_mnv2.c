/* DeepLab v3 on MobileNet v2, output stride 16: the blocks of the classifier, the last ones dilated
 * instead of strided; a branch of the image's mean beside a 1x1 convolution; a score for each class
 * and pixel of the input.
 *
 * Topology: Chen et al., "Rethinking Atrous Convolution for Semantic Image Segmentation", arXiv
 * 1706.05587, in the form of arXiv 1801.04381, section 6.3: without the feature maps behind the
 * last bottleneck and without atrous branches of the pyramid. */
#include "conformance/suite/models/mobilenet_v2.h"
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

enum { OUTPUT_STRIDE = 16 };

static void build(struct zoo_net *net)
{
    const int32_t depth = 256;
    const double gain = zoo_gain(ZOO_RELU);
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    const struct zoo_tensor x = zoo_mobilenet_v2_blocks(net, in, OUTPUT_STRIDE, NULL);
    struct zoo_tensor image = zoo_global_average_pool(net, "image_pooling/pool", x), branches[2], y;

    image = zoo_conv_2d(net, "image_pooling", image, depth, 1, 1, ZOO_RELU, gain);
    branches[0] = zoo_resize_bilinear(net, "image_pooling/resize", image, x.h, x.w);
    branches[1] = zoo_conv_2d(net, "aspp_0", x, depth, 1, 1, ZOO_RELU, gain);
    y = zoo_concatenate(net, "concatenation", 2, branches);
    y = zoo_conv_2d(net, "projection", y, depth, 1, 1, ZOO_RELU, gain);
    y = zoo_conv_2d(net, "logits", y, (int32_t)net->options.classes, 1, 1, ZOO_NONE,
                    ZOO_LOGIT_GAIN);
    y = zoo_resize_bilinear(net, "scores", y, in.h, in.w);
    zoo_outputs(net, in, 1, &y.index);
}

const struct zoo_entry zoo_deeplab_mnv2 =
    ZOO_ENTRY("deeplab_mnv2", "DeepLab v3 on MobileNet v2, segmentation", .width = 1,
              ZOO_RESOLUTION(257, 33, 16, 1025), .channels = 3, .classes = 21, .build = build);
