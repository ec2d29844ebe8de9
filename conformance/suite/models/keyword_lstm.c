/* Keyword spotting: 49 frames of 10 cepstral coefficients, an LSTM of 118 cells, the classes of its
 * last step, softmax.
 *
 * Topology: Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", arXiv 1711.07128, the
 * smallest basic LSTM: 5.9 million operations, two for each multiply-add. */
#include "conformance/suite/models/keyword_lstm.h"

#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_lstm.h"
#include "conformance/suite/models/net_ops.h"

#include <math.h>

enum { CELLS = 118 };

static enum status build(struct zoo_net *net, const struct zoo_options *options, struct diag *diag)
{
    const int32_t classes = (int32_t)options->classes, frames = (int32_t)options->resolution;
    const int32_t depth = (int32_t)options->channels;
    const int32_t cells = (int32_t)fmax(lround(CELLS * options->width), 8);
    struct zoo_tensor in = { 0, 1, frames, depth };
    int out;

    (void)diag;
    in.index = zoo_activation(net, "mfcc", 3, (int32_t[]){ zoo_batch(net), frames, depth },
                              ZOO_SCALE_UNIT, -1);
    out = zoo_sequence_lstm(net, "lstm", in.index, frames, depth, cells);
    out = zoo_last_step(net, "last", out, frames, cells);
    out = zoo_fully_connected(net, "logits", out, cells, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
    return STATUS_OK;
}

const struct zoo_entry zoo_keyword_lstm = { .name = "keyword_lstm",
                                            .summary = "LSTM on MFCC frames, keyword spotting",
                                            .resolution_is = "frames",
                                            .no_u8 = true,
                                            .width = 1,
                                            .resolution = 49,
                                            .resolution_min = 8,
                                            .resolution_step = 1,
                                            .resolution_max = 1000,
                                            .channels = 10,
                                            .classes = 12,
                                            .build = build };
