/* YAMNet from the log-mel spectrogram on: the layers of MobileNet v1 on 96 frames of 64 bands,
 * mean, a score for each class of AudioSet, which may occur together.  The spectrogram itself is
 * not part of the network.
 *
 * Topology: the YAMNet of the TensorFlow model garden; 3.7 million weights, 69.2 million
 * multiplications for each 0.96 s. */
#include "conformance/suite/models/mobilenet_v1.h"
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

enum { BANDS = 64 };

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes;
    const struct zoo_tensor in = zoo_input_of(net, "log_mel", (int32_t)net->options.resolution,
                                              BANDS, (int32_t)net->options.channels);
    const struct zoo_tensor x = zoo_mobilenet_v1_features(net, in, 0, NULL);
    int out = zoo_mean(net, "mean", x);

    out = zoo_fully_connected(net, "logits", out, x.c, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_scores(net, "scores", out, 1, &classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_yamnet = ZOO_ENTRY(
    "yamnet", "YAMNet on log-mel frames, sound classifier", .resolution_is = "frames", .width = 1,
    ZOO_RESOLUTION(96, 32, 32, 1024), .channels = 1, .classes = 521, .build = build);
