/* EfficientNet-Lite0: inverted residual blocks with 3x3 and 5x5 windows, a 1x1 convolution, mean,
 * the classes, softmax.
 *
 * Topology: Tan and Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks",
 * arXiv 1905.11946, table 1, without squeeze-and-excitation and with RELU6, as the Lite variants
 * have it; batch normalization is folded. */
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <stdio.h>

static const struct {
    int32_t expansion, channels, repeats, stride, kernel;
} stages[] = { { 1, 16, 1, 1, 3 },  { 6, 24, 2, 2, 3 },  { 6, 40, 2, 2, 5 }, { 6, 80, 3, 2, 3 },
               { 6, 112, 3, 1, 5 }, { 6, 192, 4, 2, 5 }, { 6, 320, 1, 1, 3 } };

static struct zoo_tensor blocks(struct zoo_net *net, struct zoo_tensor x)
{
    int block = 0;

    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        for (int32_t k = 0; k < stages[i].repeats; k++, block++) {
            const struct zoo_bottleneck b = { .expanded = x.c * stages[i].expansion,
                                              .channels = zoo_divisible(stages[i].channels,
                                                                        net->options.width),
                                              .kernel = stages[i].kernel,
                                              .stride = k == 0 ? stages[i].stride : 1,
                                              .activation = ZOO_RELU6 };
            char name[32];

            snprintf(name, sizeof name, "block_%d", block);
            x = zoo_bottleneck(net, name, x, &b);
        }
    }
    return x;
}

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const double gain = zoo_gain(ZOO_RELU6);
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_tensor x = zoo_conv_2d(net, "conv_0", in, 32, 3, 2, ZOO_RELU6, gain);
    int out;

    x = blocks(net, x);
    x = zoo_conv_2d(net, "conv_1", x, 1280, 1, 1, ZOO_RELU6, gain);
    out = zoo_mean(net, "mean", x);
    out = zoo_fully_connected(net, "logits", out, x.c, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_efficientnet_lite0 =
    ZOO_ENTRY("efficientnet_lite0", "EfficientNet-Lite0, image classifier", .width = 1,
              ZOO_RESOLUTION(224, 32, 32, 1024), .channels = 3, .classes = 1000, .build = build);
