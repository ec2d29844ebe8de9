/* MobileNet v3 large: inverted residual blocks with squeeze-and-excitation and HARD_SWISH, the last
 * layer behind the pooling.
 *
 * Topology: Howard et al., "Searching for MobileNetV3", arXiv 1905.02244, table 1; batch
 * normalization is folded.  The gate of squeeze-and-excitation is ADD, RELU6 and MUL, as
 * converters write it. */
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <stdio.h>

static const struct {
    int32_t kernel, expanded, channels;
    bool excited;
    enum zoo_activation activation;
    int32_t stride;
} blocks[] = {
    { 3, 16, 16, false, ZOO_RELU, 1 },        { 3, 64, 24, false, ZOO_RELU, 2 },
    { 3, 72, 24, false, ZOO_RELU, 1 },        { 5, 72, 40, true, ZOO_RELU, 2 },
    { 5, 120, 40, true, ZOO_RELU, 1 },        { 5, 120, 40, true, ZOO_RELU, 1 },
    { 3, 240, 80, false, ZOO_HARD_SWISH, 2 }, { 3, 200, 80, false, ZOO_HARD_SWISH, 1 },
    { 3, 184, 80, false, ZOO_HARD_SWISH, 1 }, { 3, 184, 80, false, ZOO_HARD_SWISH, 1 },
    { 3, 480, 112, true, ZOO_HARD_SWISH, 1 }, { 3, 672, 112, true, ZOO_HARD_SWISH, 1 },
    { 5, 672, 160, true, ZOO_HARD_SWISH, 2 }, { 5, 960, 160, true, ZOO_HARD_SWISH, 1 },
    { 5, 960, 160, true, ZOO_HARD_SWISH, 1 },
};

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const double width = net->options.width, gain = zoo_gain(ZOO_HARD_SWISH);
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_tensor x =
        zoo_conv_2d(net, "conv_0", in, zoo_divisible(16, width), 3, 2, ZOO_HARD_SWISH, gain);
    int out;

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const int32_t expanded = zoo_divisible(blocks[i].expanded, width);
        const struct zoo_bottleneck b = { .expanded = expanded,
                                          .channels = zoo_divisible(blocks[i].channels, width),
                                          .kernel = blocks[i].kernel,
                                          .stride = blocks[i].stride,
                                          .squeezed =
                                              blocks[i].excited ? zoo_divisible(expanded, 0.25) : 0,
                                          .activation = blocks[i].activation };
        char name[32];

        snprintf(name, sizeof name, "block_%zu", i);
        x = zoo_bottleneck(net, name, x, &b);
    }
    x = zoo_conv_2d(net, "conv_1", x, zoo_divisible(960, width), 1, 1, ZOO_HARD_SWISH, gain);
    x = zoo_global_average_pool(net, "pool", x);
    x = zoo_conv_2d(net, "conv_2", x, zoo_divisible(1280, width > 1 ? width : 1), 1, 1,
                    ZOO_HARD_SWISH, gain);
    x = zoo_conv_2d(net, "logits", x, classes, 1, 1, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", zoo_flatten(net, "flat_logits", x), classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_mobilenet_v3 =
    ZOO_ENTRY("mobilenet_v3", "MobileNet v3 large, image classifier", .width = 1,
              ZOO_RESOLUTION(224, 32, 32, 1024), .channels = 3, .classes = 1000, .build = build);
