/* KWT-1, the Keyword Transformer of one head: 98 frames of 40 cepstral coefficients become tokens
 * of 64 beside a class token; 12 layers of attention and a perceptron, each added and then
 * normalized; the classes of the class token, softmax.
 *
 * Topology: Berg et al., "Keyword Transformer: A Self-Attention Model for Keyword Spotting", arXiv
 * 2104.00769, table 1: 607 thousand parameters with 12 classes.  Layer normalization is written in
 * the ops that converters write it in. */
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_transformer.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 64, LAYERS = 12, EXPANSION = 4 };

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes,
                  frames = (int32_t)net->options.resolution;
    const int32_t depth = (int32_t)net->options.channels,
                  width = zoo_divisible(WIDTH, net->options.width);
    struct zoo_tensor in = { 0, 1, frames, depth };
    struct zoo_tokens x = { 0, frames, depth };
    int out;

    in.index = zoo_activation(net, "mfcc", 3, (int32_t[]){ zoo_batch(net), frames, depth },
                              ZOO_SCALE_UNIT, -1);
    x.index = in.index;
    x = zoo_dense(net, "embedding", x, width, true, 1.7);
    x = zoo_class_token(net, "class_token", x);
    x = zoo_add_constant(net, "position", x);
    for (int i = 0; i < LAYERS; i++) {
        char name[32];

        snprintf(name, sizeof name, "layer_%d", i);
        x = zoo_attention(net, zoo_label(name, "attention").text, x);
        x = zoo_perceptron(net, zoo_label(name, "perceptron").text, x, EXPANSION * width);
    }
    out = zoo_token_at(net, "class", x, 0);
    out = zoo_fully_connected(net, "logits", out, width, classes, ZOO_NONE, 2);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_kwt1 = ZOO_ENTRY(
    "kwt1", "Keyword Transformer KWT-1, keyword spotting", .resolution_is = "frames", .no_u8 = true,
    .width = 1, ZOO_RESOLUTION(98, 8, 1, 1000), .channels = 40, .classes = 12, .build = build);
