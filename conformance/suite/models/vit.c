/* Vision transformers: patches of the image become tokens by a convolution, a learnt token comes in
 * front, learnt places are added; layers that normalize before attention and before the perceptron,
 * whose GELU is the approximation by TANH; the classes of the first token.
 *
 * inputs   pixel_values f32 [batch, side, side, channels]
 * outputs  logits f32 [batch, classes]
 *
 * The sizes of vit_base are those published for ViT-B/16 (Dosovitskiy et al., arXiv 2010.11929), at
 * 224 x 224 it has 197 tokens; those of vit are small. */
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_transformer.h"

struct sizes {
    int layers;
    int32_t patch; /* its side */
    struct zoo_layer layer;
};

static void build(struct zoo_net *net)
{
    const struct sizes *const z = net->sizes;
    const int32_t patch = z->patch;
    struct zoo_layer l = z->layer;
    const int32_t side = (int32_t)net->options.resolution, depth = (int32_t)net->options.channels;
    const int32_t B = zoo_batch(net), D = l.width, classes = (int32_t)net->options.classes;
    const struct zoo_conv conv = {
        .channels = D, .kernel = patch, .stride = patch, .padding = ZOO_VALID, .gain = 1
    };
    struct zoo_signature s = { .input_count = 0 };
    struct zoo_tensor image = { 0, side, side, depth };
    struct zoo_tokens x = { 0, side / patch * (side / patch), D };
    int y;

    image.index = zoo_signature_input(net, &s, TENSOR_FLOAT32, "pixel_values",
                                      (struct zoo_dims){ 4, { B, side, side, depth } });
    image = zoo_conv(net, "patches", image, &conv);
    x.index = zoo_reshape(net, "tokens", image.index, 2, (int32_t[]){ x.count, D });
    x = zoo_class_token(net, "class_token", x);
    x = zoo_add_constant(net, "places", x);
    l.tokens = x.count;
    l.norm_first = true;
    l.approximate = true;
    l.epsilon = 1e-6;
    y = x.index;
    y = zoo_layers(net, z->layers, y, -1, &l);
    x.index = zoo_layer_norm_drawn(net, "norm", y, &l);
    y = zoo_token_at(net, "class", x, 0);
    y = zoo_linear_drawn(net, "logits", y, D, true, (struct zoo_dims){ 2, { B, classes } });
    zoo_signature_output(&s, "logits", y);
    zoo_signature_end(net, &s, "serving_default");
}

/* Both, but for their sizes. */
#define VIT(...)                                                                                   \
    {                                                                                              \
        .resolution_max = 1024, .channels = 3, .weights_alone = true, .width = 1, .build = build,  \
        __VA_ARGS__                                                                                \
    }

const struct zoo_entry zoo_vit =
    VIT(.name = "vit", .summary = "small vision transformer", .resolution = 32, .resolution_min = 8,
        .resolution_step = 8, .classes = 10,
        .sizes = &(const struct sizes){ 2, 8, { .width = 64, .heads = 4, .hidden = 128 } });

const struct zoo_entry zoo_vit_base =
    VIT(.name = "vit_base", .summary = "vision transformer ViT-B/16", .resolution = 224,
        .resolution_min = 16, .resolution_step = 16, .classes = 1000,
        .sizes = &(const struct sizes){ 12, 16, { .width = 768, .heads = 12, .hidden = 3072 } });
