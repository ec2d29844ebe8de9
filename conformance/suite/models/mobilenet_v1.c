/* MobileNet v1: a 3x3 convolution, 13 depthwise-separable blocks, average pool, a 1x1 convolution
 * to the classes, softmax.  At width 1: 4.2 million parameters, 569 million multiply-adds at
 * 224x224.
 *
 * Topology: Howard et al., "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision
 * Applications", arXiv 1704.04861, table 1; batch normalization is folded into weights and bias,
 * the activations are RELU6, and no layer has fewer than 8 channels, as in the published models. */
#include "conformance/suite/models/mobilenet_v1.h"

#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <stdio.h>

static const struct {
    int32_t channels, stride;
} blocks[] = { { 64, 1 },  { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 },  { 512, 2 }, { 512, 1 },
               { 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 1024, 2 }, { 1024, 1 } };

enum { MIDDLE = 11 };

static int32_t scaled(int32_t channels, double width)
{
    const int32_t c = (int32_t)(channels * width + 1e-6); /* 0.7 * 10 is a little under 7 */

    return c < 8 ? 8 : c;
}

struct zoo_tensor zoo_mobilenet_v1_features(struct zoo_net *net, struct zoo_tensor in,
                                            int32_t output_stride, struct zoo_tensor *middle)
{
    const double width = net->options.width;
    struct zoo_tensor x =
        zoo_conv_2d(net, "conv_0", in, scaled(32, width), 3, 2, ZOO_RELU6, zoo_gain(ZOO_RELU6));
    struct zoo_stride strides;

    zoo_stride_begin(&strides, output_stride ? output_stride / 2 : 0);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        char name[32];
        int32_t dilation;
        const int32_t stride = zoo_stride_next(&strides, blocks[i].stride, &dilation);

        snprintf(name, sizeof name, "block_%zu", i + 1);
        x = zoo_separable(net, name, x, scaled(blocks[i].channels, width), stride, dilation);
        if (middle && i + 1 == MIDDLE)
            *middle = x;
    }
    return x;
}

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_tensor x = zoo_mobilenet_v1_features(net, in, 0, NULL);
    int out;

    x = zoo_global_average_pool(net, "pool", x);
    x = zoo_conv_2d(net, "logits", x, classes, 1, 1, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", zoo_flatten(net, "flat_logits", x), classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_mobilenet_v1 =
    ZOO_ENTRY("mobilenet_v1", "MobileNet v1, image classifier", .width = 1,
              ZOO_RESOLUTION(224, 32, 32, 1024), .channels = 3, .classes = 1001, .build = build);
