/* MobileNet v1: a 3x3 convolution, 13 depthwise-separable blocks, average pool, a 1x1 convolution
 * to the classes, softmax.  At width 1: 4.2 million parameters, 569 million multiply-adds at
 * 224x224.
 *
 * Topology: Howard et al., "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision
 * Applications", arXiv 1704.04861, table 1; batch normalization is folded into weights and bias,
 * the activations are RELU6, and no layer has fewer than 8 channels, as in the published models. */
#include "conformance/models/mobilenet_v1.h"

#include "conformance/models/net.h"

#include <math.h>
#include <stdio.h>

/* He's gain keeps the scale of activations from layer to layer; the logits of a trained classifier
 * spread more than the pooled activations that they come from. */
#define GAIN 1.4142135623730951
static const double logit_gain = 4;

static const struct {
    int32_t channels, stride;
} blocks[] = { { 64, 1 },  { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 },  { 512, 2 }, { 512, 1 },
               { 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 1024, 2 }, { 1024, 1 } };

static int32_t scaled(int32_t channels, double width)
{
    const int32_t c = (int32_t)(channels * width + 1e-6); /* 0.7 * 10 is a little under 7 */

    return c < 8 ? 8 : c;
}

static enum status build(struct zoo_net *net, const struct zoo_options *options, struct diag *diag)
{
    const int32_t classes = (int32_t)options->classes;
    struct zoo_tensor x = zoo_input(net, "input", (int32_t)options->channels);
    const int input = x.index;
    int out;

    (void)diag;
    x = zoo_conv_2d(net, "conv_0", x, scaled(32, options->width), 3, 2, ZOO_RELU6, GAIN);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        char name[32];

        snprintf(name, sizeof name, "block_%zu/depthwise", i + 1);
        x = zoo_depthwise_conv_2d(net, name, x, 3, blocks[i].stride, ZOO_RELU6, GAIN);
        snprintf(name, sizeof name, "block_%zu/pointwise", i + 1);
        x = zoo_conv_2d(net, name, x, scaled(blocks[i].channels, options->width), 1, 1, ZOO_RELU6,
                        GAIN);
    }
    x = zoo_global_average_pool(net, "pool", x);
    x = zoo_conv_2d(net, "logits", x, classes, 1, 1, ZOO_NONE, logit_gain);
    out = zoo_softmax(net, "probabilities", zoo_flatten(net, "flat_logits", x), classes);
    builder_inputs(&net->builder, 1, &input);
    builder_outputs(&net->builder, 1, &out);
    return STATUS_OK;
}

const struct zoo_entry zoo_mobilenet_v1 = { .name = "mobilenet_v1",
                                            .summary = "MobileNet v1, image classifier",
                                            .resolution = 224,
                                            .resolution_step = 32,
                                            .resolution_max = 1024,
                                            .classes = 1001,
                                            .build = build };
