/* Encoders of text, after BERT: embeddings of words, places and segments; layers of attention and a
 * perceptron, each added and then normalized; the first token through one more layer with TANH.
 *
 * inputs   input_ids, attention_mask (1: a token, 0: padding), token_type_ids (0 or 1) i32
 *          [batch, T]
 * outputs  last_hidden_state f32 [batch, T, width]; pooler_output f32 [batch, width]
 *
 * As BERT has it, (1 - attention_mask) * -10000 is added to the logits: a text of padding alone has
 * the attention that it has without a mask, but for roundings at 10000.
 *
 * The sizes of encoder_base are those published for BERT base, uncased (Devlin et al., arXiv
 * 1810.04805), those of encoder are small. */
#include "conformance/suite/models/net_transformer.h"

#include <math.h>

/* 0 or -10000, [batch, 1, 1, T]. */
static int add_mask(struct zoo_net *net, int mask, int32_t tokens)
{
    const struct zoo_dims s = { 4, { zoo_batch(net), 1, 1, tokens } };
    int x = zoo_to_float(net, "mask/float", mask, (struct zoo_dims){ 2, { s.of[0], tokens } });

    x = zoo_reshaped(net, "mask/row", x, s);
    x = zoo_binary(net, "mask/padding", BUILTIN_SUB, OPTIONS_SubOptions,
                   zoo_real(net, "mask/one", 1), x, s);
    return zoo_times(net, "mask", x, zoo_real(net, "mask/least", -10000), s);
}

struct sizes {
    int layers;
    struct zoo_layer layer;
};

static void build(struct zoo_net *net)
{
    const struct sizes *const z = net->sizes;
    struct zoo_layer l = z->layer;
    const int32_t T = (int32_t)net->options.resolution, B = zoo_batch(net), D = l.width;
    const struct zoo_dims ids = { 2, { B, T } }, rows = { 3, { B, T, D } };
    struct zoo_matrix words = { .rows = (int32_t)net->options.classes,
                                .width = D,
                                .deviation = 0.5 },
                      segments = { .rows = 2, .width = D, .deviation = 0.5 };
    struct zoo_signature s = { .input_count = 0 };
    const int words_of = zoo_signature_input(net, &s, TENSOR_INT32, "input_ids", ids),
              tokens = zoo_signature_input(net, &s, TENSOR_INT32, "attention_mask", ids),
              types = zoo_signature_input(net, &s, TENSOR_INT32, "token_type_ids", ids);
    const int mask = add_mask(net, tokens, T);
    int x = zoo_embedded(net, "embedding/words", words_of, &words, rows), y;

    l.tokens = T;
    l.epsilon = 1e-12;
    y = zoo_embedded(net, "embedding/segments", types, &segments, rows);
    x = zoo_plus(net, "embedding/typed", x, y, rows);
    y = zoo_drawn(net, "embedding/places", 3, (int32_t[]){ 1, T, D }, 0, 0.5);
    x = zoo_plus(net, "embedding/placed", x, y, rows);
    x = zoo_layer_norm_drawn(net, "embedding", x, &l);
    x = zoo_layers(net, z->layers, x, mask, &l);
    zoo_signature_output(&s, "last_hidden_state", x);
    y = zoo_token_at(net, "pooler/first", (struct zoo_tokens){ x, T, D }, 0);
    y = zoo_linear_drawn(net, "pooler/dense", y, D, true, (struct zoo_dims){ 2, { B, D } });
    y = zoo_unary(net, "pooler", BUILTIN_TANH, y, (struct zoo_dims){ 2, { B, D } });
    zoo_signature_output(&s, "pooler_output", y);
    zoo_signature_end(net, &s, "serving_default");
}

/* Both, but for their sizes. */
#define ENCODER(...)                                                                               \
    {                                                                                              \
        .resolution_is = "tokens of a text", .classes_are = "tokens of the vocabulary",            \
        .resolution_min = 1, .resolution_step = 1, .resolution_max = 512, .channels = 1,           \
        .weights_alone = true, .width = 1, .build = build, __VA_ARGS__                             \
    }

const struct zoo_entry zoo_encoder =
    ENCODER(.name = "encoder", .summary = "small encoder of text, with a mask", .resolution = 27,
            .classes = 256,
            .sizes = &(const struct sizes){ 2, { .width = 64, .heads = 4, .hidden = 128 } });

const struct zoo_entry zoo_encoder_base =
    ENCODER(.name = "encoder_base", .summary = "encoder of text of BERT base's sizes",
            .resolution = 128, .classes = 30522,
            .sizes = &(const struct sizes){ 12, { .width = 768, .heads = 12, .hidden = 3072 } });
