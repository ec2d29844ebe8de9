/* ResNet-50 v1.5: a 7x7 convolution, a max pool, 16 bottleneck blocks, mean, the classes, softmax.
 *
 * Topology: He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385, table 1,
 * with the stride in the 3x3 convolution of a block (v1.5), where the published figures are from;
 * batch normalization is folded.  Strided windows are padded with zeros on both sides. */
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <stdio.h>

static const struct {
    int32_t channels, blocks, stride;
} stages[] = { { 64, 3, 1 }, { 128, 4, 2 }, { 256, 6, 2 }, { 512, 3, 2 } };

enum { EXPANSION = 4 };

static int32_t scaled(int32_t channels, double width)
{
    return zoo_divisible(channels, width);
}

/* A strided convolution whose window is centred: SAME padding has one row less above. */
static struct zoo_tensor strided(struct zoo_net *net, const char *name, struct zoo_tensor x,
                                 int32_t channels, int32_t kernel)
{
    x = zoo_pad(net, zoo_label(name, "pad").text, x, kernel / 2, kernel / 2);
    return zoo_conv(net, name, x,
                    &(struct zoo_conv){ .channels = channels,
                                        .kernel = kernel,
                                        .stride = 2,
                                        .padding = ZOO_VALID,
                                        .activation = ZOO_RELU,
                                        .gain = zoo_gain(ZOO_RELU) });
}

/* What is added passes through RELU once more, so that its mean square is halved: branches may be
 * as large as what they are added to. */
static struct zoo_tensor block(struct zoo_net *net, const char *name, struct zoo_tensor in,
                               int32_t channels, int32_t stride, bool projected)
{
    const double gain = zoo_gain(ZOO_RELU);
    struct zoo_tensor shortcut = in;
    struct zoo_tensor x =
        zoo_conv_2d(net, zoo_label(name, "reduce").text, in, channels, 1, 1, ZOO_RELU, gain);

    x = stride == 1
            ? zoo_conv_2d(net, zoo_label(name, "conv").text, x, channels, 3, 1, ZOO_RELU, gain)
            : strided(net, zoo_label(name, "conv").text, x, channels, 3);
    x = zoo_conv_2d(net, zoo_label(name, "expand").text, x, channels * EXPANSION, 1, 1, ZOO_NONE,
                    0.6);
    if (projected)
        shortcut = zoo_conv_2d(net, zoo_label(name, "shortcut").text, in, channels * EXPANSION, 1,
                               stride, ZOO_NONE, 1);
    return zoo_add(net, zoo_label(name, "add").text, shortcut, x, ZOO_RELU);
}

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_tensor x = strided(net, "conv_0", in, scaled(64, net->options.width), 7);
    int out;

    x = zoo_max_pool(net, "pool", zoo_pad(net, "pool/pad", x, 1, 1), 3, 2, ZOO_VALID);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        for (int32_t k = 0; k < stages[i].blocks; k++) {
            char name[32];

            snprintf(name, sizeof name, "stage_%zu/block_%d", i + 1, (int)k);
            x = block(net, name, x, scaled(stages[i].channels, net->options.width),
                      k == 0 ? stages[i].stride : 1, k == 0);
        }
    }
    out = zoo_mean(net, "mean", x);
    out = zoo_fully_connected(net, "logits", out, x.c, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_resnet50 =
    ZOO_ENTRY("resnet50", "ResNet-50 v1.5, image classifier", .width = 1,
              ZOO_RESOLUTION(224, 32, 32, 1024), .channels = 3, .classes = 1000, .build = build);
