/* MobileNet v2: a 3x3 convolution, 17 inverted residual blocks with linear bottlenecks, a 1x1
 * convolution, mean, the classes, softmax.
 *
 * Topology: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", arXiv
 * 1801.04381, table 2; batch normalization is folded. */
#include "conformance/suite/models/mobilenet_v2.h"

#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <stdio.h>

static const struct {
    int32_t expansion, channels, repeats, stride;
} stages[] = { { 1, 16, 1, 1 }, { 6, 24, 2, 2 },  { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
               { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 } };

enum { MIDDLE = 13 };

struct zoo_tensor zoo_mobilenet_v2_blocks(struct zoo_net *net, struct zoo_tensor in,
                                          int32_t output_stride, struct zoo_tensor *middle)
{
    const double width = net->options.width;
    struct zoo_tensor x = zoo_conv_2d(net, "conv_0", in, zoo_divisible(32, width), 3, 2, ZOO_RELU6,
                                      zoo_gain(ZOO_RELU6));
    struct zoo_stride strides;
    int block = 0;

    zoo_stride_begin(&strides, output_stride ? output_stride / 2 : 0);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        for (int32_t k = 0; k < stages[i].repeats; k++, block++) {
            struct zoo_bottleneck b = { .expanded = x.c * stages[i].expansion,
                                        .channels = zoo_divisible(stages[i].channels, width),
                                        .kernel = 3,
                                        .activation = ZOO_RELU6,
                                        .expansion = block == MIDDLE ? middle : NULL };
            char name[32];

            b.stride = zoo_stride_next(&strides, k == 0 ? stages[i].stride : 1, &b.dilation);
            snprintf(name, sizeof name, "block_%d", block);
            x = zoo_bottleneck(net, name, x, &b);
        }
    }
    return x;
}

struct zoo_tensor zoo_mobilenet_v2_head(struct zoo_net *net, struct zoo_tensor in)
{
    const double width = net->options.width;

    return zoo_conv_2d(net, "conv_1", in, zoo_divisible(1280, width > 1 ? width : 1), 1, 1,
                       ZOO_RELU6, zoo_gain(ZOO_RELU6));
}

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    const struct zoo_tensor x =
        zoo_mobilenet_v2_head(net, zoo_mobilenet_v2_blocks(net, in, 0, NULL));
    int out = zoo_mean(net, "mean", x);

    out = zoo_fully_connected(net, "logits", out, x.c, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_mobilenet_v2 =
    ZOO_ENTRY("mobilenet_v2", "MobileNet v2, image classifier", .width = 1,
              ZOO_RESOLUTION(224, 32, 32, 1024), .channels = 3, .classes = 1000, .build = build);
