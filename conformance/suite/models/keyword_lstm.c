/* Keyword spotting: 49 frames of 10 cepstral coefficients, an LSTM of 118 cells, the classes of its
 * last step, softmax.
 *
 * Topology: Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", arXiv 1711.07128, the
 * smallest basic LSTM: 5.9 million operations, two for each multiply-add. */
#include "conformance/suite/models/net.h"
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_transformer.h"
#include "conformance/suite/models/net_weights.h"

#include <math.h>
#include <stdio.h>

enum { GATES = 4, INPUTS = 24, W = 1, R = 5, BIAS = 12, STATE = 18, CELLS = 19, TANH = 4 };

/* The forget gate is open at first, as training begins with it. */
static const double forget_bias = 1;

/* The sums of a gate have a spread of 1 to 2, where neither its product nor its slope is lost. */
static const double gain = 1.5;

static void gates(struct zoo_net *net, const char *name, int32_t depth, int32_t cells,
                  int inputs[INPUTS], bool *scaled)
{
    static const char *const gate_names[GATES] = { "input", "forget", "cell", "output" };
    const double deviation = gain / sqrt(depth + cells);
    const size_t all = (size_t)cells * (size_t)(depth + cells);

    for (int g = 0; g < GATES; g++) {
        const struct zoo_label gate = zoo_label(name, gate_names[g]);
        const struct zoo_label recurrent = zoo_label(gate.text, "recurrent");
        struct zoo_weights w = { .name = gate.text,
                                 .rank = 2,
                                 .dims = { cells, depth },
                                 .one_scale = true,
                                 .as_large_as = all, /* the weights have one type */
                                 .deviation = deviation,
                                 .bias_mean = g == 1 ? forget_bias : 0,
                                 .inputs = { inputs[0], -1, -1 } };

        zoo_weights(net, &w);
        inputs[W + g] = w.inputs[1];
        inputs[BIAS + g] = w.inputs[2];
        w.name = recurrent.text;
        w.dims[1] = cells;
        w.no_bias = true;
        zoo_weights(net, &w);
        inputs[R + g] = w.inputs[1];
        *scaled = w.scaled;
    }
}

/* What converters record of the sums of gates is not read; the last one has the scale of the result
 * in front of a projection, which without one is the result. */
static void intermediates(struct zoo_net *net, int op, int out)
{
    const struct zoo_scale scale = zoo_scale_at(net, out);
    int tensors[GATES + 1];

    if (!zoo_in_integers(net) || net->sizes_only || op < 0)
        return;
    for (int g = 0; g <= GATES; g++)
        tensors[g] = builder_tensor(&net->builder, g < GATES ? TENSOR_FLOAT32 : TENSOR_INT8,
                                    "intermediate", 1, (int32_t[]){ 1 });
    zoo_put_scales(net, tensors[GATES], &scale, 1, 0);
    builder_intermediates(&net->builder, op, GATES + 1, tensors);
}

/* UNIDIRECTIONAL_SEQUENCE_LSTM without peepholes and projection: [batch, steps, depth] to
 * [batch, steps, cells].  Returns the tensor's index. */
static int zoo_sequence_lstm(struct zoo_net *net, const char *name, int in, int32_t steps,
                             int32_t depth, int32_t cells)
{
    const int32_t batch = zoo_batch(net), state[] = { batch, cells };
    int inputs[INPUTS], out, op;
    struct options o;
    bool scaled;

    for (int i = 0; i < INPUTS; i++)
        inputs[i] = -1;
    inputs[0] = in;
    gates(net, name, depth, cells, inputs, &scaled);
    net->facts.multiply_adds +=
        (uint64_t)steps * GATES * (uint64_t)cells * (uint64_t)(depth + cells);
    out = zoo_activation(net, name, 3, (int32_t[]){ batch, steps, cells }, ZOO_SCALE_MEASURED, -1);
    inputs[STATE] =
        zoo_activation(net, zoo_label(name, "state").text, 2, state, ZOO_SCALE_SAME, out);
    builder_variable(&net->builder, inputs[STATE]);
    /* From -16 to 16. */
    inputs[CELLS] = zoo_activation_i16(net, zoo_label(name, "cells").text, 2, state, 0x1p-11F);
    builder_variable(&net->builder, inputs[CELLS]);
    options_init(&o, OPTIONS_UnidirectionalSequenceLSTMOptions);
    options_set_int(&o, "fused_activation_function", TANH);
    options_set_float(&o, "cell_clip", 10);
    op = builder_op(&net->builder, BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM,
                    net->options.weights_only && scaled ? 2 : 1, &o, INPUTS, inputs, 1, &out);
    intermediates(net, op, out);
    return out;
}

enum { MODEL_CELLS = 118 };

static void build(struct zoo_net *net)
{
    const int32_t classes = (int32_t)net->options.classes,
                  frames = (int32_t)net->options.resolution;
    const int32_t depth = (int32_t)net->options.channels;
    const int32_t cells = (int32_t)fmax(lround(MODEL_CELLS * net->options.width), 8);
    struct zoo_tensor in = { 0, 1, frames, depth };
    int out;

    in.index = zoo_activation(net, "mfcc", 3, (int32_t[]){ zoo_batch(net), frames, depth },
                              ZOO_SCALE_UNIT, -1);
    out = zoo_sequence_lstm(net, "lstm", in.index, frames, depth, cells);
    out = zoo_token_at(net, "last", (struct zoo_tokens){ out, frames, cells }, frames - 1);
    out = zoo_fully_connected(net, "logits", out, cells, classes, ZOO_NONE, ZOO_LOGIT_GAIN);
    out = zoo_softmax(net, "probabilities", out, classes);
    zoo_outputs(net, in, 1, &out);
}

const struct zoo_entry zoo_keyword_lstm =
    ZOO_ENTRY("keyword_lstm", "LSTM on MFCC frames, keyword spotting", .resolution_is = "frames",
              .no_u8 = true, .width = 1, ZOO_RESOLUTION(49, 8, 1, 1000), .channels = 10,
              .classes = 12, .build = build);
