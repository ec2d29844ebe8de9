/* Models that write down speech, after Whisper: an encoder of sound, and a decoder of text that
 * looks at what the encoder gives, as two signatures.
 *
 * encode   input_features f32 [1, mels, frames], a log-mel spectrogram -> encoder_output f32
 *          [1, frames / 2, width]
 * decode   tokens i32 [1, 1]; input_pos i32 [1]; mask f32 [1, 1, 1, slots], 0 or -infinity;
 *          encoder_output; kv_cache_k_<layer> and kv_cache_v_<layer> f32 [1, slots, heads, width]
 *          -> logits f32 [1, 1, vocabulary]; the caches
 *
 * The encoder: two convolutions along time, each with GELU, as CONV_2D of height 1; sines and
 * cosines of the place; layers that normalize first.  The decoder: learnt places; layers of
 * attention to the text so far, over the caches, of attention to the encoder's output, and a
 * perceptron; the table of embeddings is the weights of the last layer, too.
 *
 * The sizes of whisper_tiny are those published (Radford et al., arXiv 2212.04356), those of
 * whisper are small. */
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_transformer.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>

struct sizes {
    int layers; /* of each half */
    int32_t slots;
    struct zoo_layer layer;
};

/* ---- encode ---- */

/* A convolution of three frames, and GELU. */
static struct zoo_tensor stem(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t stride)
{
    const struct zoo_conv conv = { .channels = channels,
                                   .kernel = 3,
                                   .flat = true,
                                   .stride = stride,
                                   .padding = ZOO_VALID,
                                   .gain = 1.5 };
    const int32_t around[] = { 0, 0, 0, 0, 1, 1, 0, 0 };
    const int inputs[] = { in.index, zoo_shape(net, zoo_label(name, "around").text, 2,
                                               (int32_t[]){ 4, 2 }, around, 8) };
    struct options o;

    options_init(&o, OPTIONS_PadOptions);
    in.w += 2;
    in.index = zoo_node(net, zoo_label(name, "pad").text, BUILTIN_PAD, 1, &o, 2, inputs,
                        (struct zoo_dims){ 4, { 1, 1, in.w, in.c } });
    in = zoo_conv(net, name, in, &conv);
    in.index = zoo_gelu(net, zoo_label(name, "gelu").text, in.index, false,
                        (struct zoo_dims){ 4, { 1, 1, in.w, in.c } });
    return in;
}

/* sin(t * f) and cos(t * f), f from 1 to 1/10000 in equal factors. */
static int places(struct zoo_net *net, int32_t tokens, int32_t width)
{
    const struct zoo_dims s = { 3, { 1, tokens, width } };
    const int32_t half = width / 2;
    double *const values = mem_alloc((size_t)tokens * (size_t)width, sizeof *values);
    int tensor;

    if (!values) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (int32_t t = 0; t < tokens; t++) {
        for (int32_t j = 0; j < half; j++) {
            const double angle = t * pow(10000, -(double)j / (half - 1));

            values[t * width + j] = sin(angle);
            values[t * width + half + j] = cos(angle);
        }
    }
    tensor = zoo_reals(net, "places/values", s, values);
    mem_free(values);
    return tensor;
}

static void build_encode(struct zoo_net *net, const struct sizes *z, struct zoo_layer l)
{
    const int32_t mels = (int32_t)net->options.channels, frames = (int32_t)net->options.resolution;
    const int32_t order[] = { 0, 2, 1 };
    struct zoo_signature s = { .input_count = 0 };
    struct zoo_tensor sound = { 0, 1, frames, mels };
    struct zoo_dims rows = { 3, { 1, frames, mels } };
    struct options o;
    int x = zoo_signature_input(net, &s, TENSOR_FLOAT32, "input_features",
                                (struct zoo_dims){ 3, { 1, mels, frames } });

    options_init(&o, OPTIONS_TransposeOptions);
    x = zoo_node(net, "frames", BUILTIN_TRANSPOSE, 1, &o, 2,
                 (int[]){ x, zoo_numbers(net, "frames/order", 3, order) }, rows);
    sound.index = zoo_reshaped(net, "sound", x, (struct zoo_dims){ 4, { 1, 1, frames, mels } });
    sound = stem(net, "stem_0", sound, l.width, 1);
    sound = stem(net, "stem_1", sound, l.width, 2);
    l.tokens = sound.w;
    rows = (struct zoo_dims){ 3, { 1, sound.w, l.width } };
    x = zoo_reshaped(net, "tokens", sound.index, rows);
    x = zoo_plus(net, "places", x, places(net, sound.w, l.width), rows);
    x = zoo_layers(net, z->layers, x, -1, &l);
    zoo_signature_output(&s, "encoder_output", zoo_layer_norm_drawn(net, "norm", x, &l));
    zoo_signature_end(net, &s, "encode");
}

/* ---- decode ---- */

struct decode {
    struct zoo_net *net;
    const struct sizes *z;
    struct zoo_layer layer;
    struct zoo_signature signature;
    int start, mask, memory;
    int32_t heard; /* rows of memory, the encoder's output */
};

static int attend_to_text(struct decode *d, const char *name, int layer, int in)
{
    const struct zoo_layer *const l = &d->layer;
    const struct zoo_dims cache = { 4, { 1, d->z->slots, l->heads, l->width / l->heads } };
    const int q = zoo_projected(d->net, zoo_label(name, "query").text, in, l, 1, true);
    int k = zoo_projected(d->net, zoo_label(name, "key").text, in, l, 1, false);
    int v = zoo_projected(d->net, zoo_label(name, "value").text, in, l, 1, true);

    k = zoo_cache(d->net, &d->signature, 'k', layer, k, d->start, cache);
    v = zoo_cache(d->net, &d->signature, 'v', layer, v, d->start, cache);
    return zoo_attention_out(d->net, name, l, q, k, v, d->z->slots, d->mask);
}

static int decode_layer(struct decode *d, int i, int x)
{
    const struct zoo_dims row = { 3, { 1, 1, d->layer.width } };
    struct zoo_label part;
    char name[32];
    int y;

    snprintf(name, sizeof name, "text_%d", i);
    part = zoo_label(name, "attention");
    y = zoo_layer_norm_drawn(d->net, zoo_label(part.text, "norm").text, x, &d->layer);
    y = attend_to_text(d, part.text, i, y);
    x = zoo_plus(d->net, zoo_label(part.text, "sum").text, x, y, row);
    part = zoo_label(name, "hearing");
    y = zoo_layer_norm_drawn(d->net, zoo_label(part.text, "norm").text, x, &d->layer);
    y = zoo_attention_to(d->net, part.text, y, d->memory, d->heard, -1, &d->layer);
    x = zoo_plus(d->net, zoo_label(part.text, "sum").text, x, y, row);
    return zoo_feed_forward(d->net, zoo_label(name, "hidden").text, x, &d->layer);
}

static void build_decode(struct decode *d)
{
    struct zoo_net *const net = d->net;
    struct zoo_signature *const s = &d->signature;
    const int32_t D = d->layer.width, slots = d->z->slots;
    const struct zoo_dims row = { 3, { 1, 1, D } };
    struct zoo_matrix words = { .rows = (int32_t)net->options.classes, .width = D },
                      texts = { .rows = slots, .width = D, .deviation = 0.5 };
    const int token = zoo_signature_input(net, s, TENSOR_INT32, "tokens",
                                          (struct zoo_dims){ 2, { 1, 1 } }),
              place = zoo_signature_input(net, s, TENSOR_INT32, "input_pos",
                                          (struct zoo_dims){ 1, { 1 } });
    int x;

    words.deviation = 2 / sqrt((double)D); /* as in the decoder of text alone */
    d->mask = zoo_signature_input(net, s, TENSOR_FLOAT32, "mask",
                                  (struct zoo_dims){ 4, { 1, 1, 1, slots } });
    d->memory = zoo_signature_input(net, s, TENSOR_FLOAT32, "encoder_output",
                                    (struct zoo_dims){ 3, { 1, d->heard, D } });
    zoo_signature_output(s, "logits", -1); /* made last */
    d->start = zoo_cache_start(net, place);
    x = zoo_embedded(net, "embedding", token, &words, row);
    x = zoo_plus(net, "placed", x, zoo_embedded(net, "text_places", place, &texts, row), row);
    for (int i = 0; i < d->z->layers; i++)
        x = decode_layer(d, i, x);
    x = zoo_layer_norm_drawn(net, "text_norm", x, &d->layer);
    s->outputs[0] = zoo_linear(net, "logits", x, &words, -1,
                               (struct zoo_dims){ 3, { 1, 1, (int32_t)net->options.classes } });
    zoo_signature_end(net, s, "decode");
}

static void build(struct zoo_net *net)
{
    const struct sizes *const z = net->sizes;
    struct decode d = {
        .net = net, .z = z, .layer = z->layer, .heard = (int32_t)net->options.resolution / 2
    };

    d.layer.norm_first = true;
    d.layer.plain_keys = true;
    d.layer.epsilon = 1e-5;
    build_encode(net, z, d.layer);
    builder_subgraph(&net->builder);
    d.layer.tokens = 1;
    build_decode(&d);
}

/* Both, but for their sizes. */
#define WHISPER(...)                                                                               \
    {                                                                                              \
        .resolution_is = "frames of sound", .classes_are = "tokens of the vocabulary",             \
        .resolution_min = 2, .resolution_step = 2, .resolution_max = 3000, .batch_max = 1,         \
        .weights_alone = true, .width = 1, .build = build, __VA_ARGS__                             \
    }

const struct zoo_entry zoo_whisper =
    WHISPER(.name = "whisper", .summary = "small model of speech, encode and decode",
            .resolution = 50, .channels = 20, .classes = 256,
            .sizes = &(const struct sizes){ 2, 64, { .width = 64, .heads = 4, .hidden = 128 } });

const struct zoo_entry zoo_whisper_tiny =
    WHISPER(.name = "whisper_tiny", .summary = "model of speech of Whisper tiny's sizes",
            .resolution = 3000, .channels = 80, .classes = 51865,
            .sizes = &(const struct sizes){ 4, 448, { .width = 384, .heads = 6, .hidden = 1536 } });
