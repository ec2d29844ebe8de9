#include "conformance/tests/kit/nets.h"

void net_mobilenet(struct model *m)
{
    const struct zoo_options options = { .width = 1, .type = TENSOR_FLOAT32, .seed = 1 };
    const struct zoo_entry *entry;

    KIT_OK(zoo_find(&entry, "mobilenet_v1", &err));
    KIT_OK(zoo_build(m, entry, &options, &err));
}

/* An inverted residual block of MobileNet v2. */
static struct zoo_tensor net_block(struct zoo_net *net, struct zoo_tensor x, int expansion,
                                   int32_t channels, int32_t stride)
{
    const struct zoo_tensor in = x;

    if (expansion > 1)
        x = zoo_conv_2d(net, "expand", x, x.c * expansion, 1, 1, ZOO_RELU6, 1);
    x = zoo_depthwise_conv_2d(net, "depthwise", x, 3, stride, ZOO_RELU6, 1);
    x = zoo_conv_2d(net, "project", x, channels, 1, 1, ZOO_NONE, 1);
    if (stride == 1 && in.c == channels) {
        struct options o;
        const int y = builder_tensor(&net->builder, TENSOR_FLOAT32, "add", 4,
                                     (int32_t[]){ 1, x.h, x.w, x.c });

        options_init(&o, OPTIONS_AddOptions);
        builder_op(&net->builder, BUILTIN_ADD, 1, &o, 2, (int[]){ in.index, x.index }, 1, &y);
        x.index = y;
    }
    return x;
}

static struct zoo_tensor net_resized(struct zoo_net *net, struct zoo_tensor x, int32_t side)
{
    const int32_t size[] = { side, side };
    struct options o;
    const int k =
        builder_constant(&net->builder, TENSOR_INT32, "size", 1, (int32_t[]){ 2 }, size, 8);
    const int y = builder_tensor(&net->builder, TENSOR_FLOAT32, "resized", 4,
                                 (int32_t[]){ 1, side, side, x.c });

    options_init(&o, OPTIONS_ResizeBilinearOptions);
    builder_op(&net->builder, BUILTIN_RESIZE_BILINEAR, 1, &o, 2, (int[]){ x.index, k }, 1, &y);
    return (struct zoo_tensor){ y, side, side, x.c };
}

static struct zoo_tensor net_concat(struct zoo_net *net, struct zoo_tensor a, struct zoo_tensor b)
{
    struct zoo_tensor y = { -1, a.h, a.w, a.c + b.c };
    struct options o;

    y.index =
        builder_tensor(&net->builder, TENSOR_FLOAT32, "concat", 4, (int32_t[]){ 1, y.h, y.w, y.c });
    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    builder_op(&net->builder, BUILTIN_CONCATENATION, 1, &o, 2, (int[]){ a.index, b.index }, 1,
               &y.index);
    return y;
}

/* Like DeepLab v3+ on MobileNet v2 at an output stride of 8, without its dilations, which change no
 * size: Chen et al., arXiv 1802.02611; Sandler et al., arXiv 1801.04381, table 2.  The features
 * that the decoder takes from an early stage live on over all that follow. */
static void net_build_deeplab(struct zoo_net *net)
{
    static const struct {
        int32_t channels, repeats, stride;
    } stages[] = { { 24, 2, 2 }, { 32, 3, 2 },  { 64, 4, 1 },
                   { 96, 3, 1 }, { 160, 3, 1 }, { 320, 1, 1 } };
    struct zoo_tensor x = zoo_input(net, "input", 3), pooled, low = x;
    const int input = x.index;

    x = zoo_conv_2d(net, "first", x, 32, 3, 2, ZOO_RELU6, 1);
    x = net_block(net, x, 1, 16, 1);
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
        for (int32_t i = 0; i < stages[s].repeats; i++)
            x = net_block(net, x, 6, stages[s].channels, i ? 1 : stages[s].stride);
        if (s == 0)
            low = x;
    }
    pooled = zoo_global_average_pool(net, "pool", x);
    pooled = net_resized(net, zoo_conv_2d(net, "pooled", pooled, 256, 1, 1, ZOO_RELU, 1), x.h);
    x = net_concat(net, pooled, zoo_conv_2d(net, "aspp", x, 256, 1, 1, ZOO_RELU, 1));
    x = net_resized(net, zoo_conv_2d(net, "mix", x, 256, 1, 1, ZOO_RELU, 1), low.h);
    x = net_concat(net, x, zoo_conv_2d(net, "low", low, 48, 1, 1, ZOO_RELU, 1));
    for (int i = 0; i < 2; i++)
        x = zoo_conv_2d(net, "decode", x, 256, 3, 1, ZOO_RELU, 1);
    x = net_resized(net, zoo_conv_2d(net, "logits", x, 21, 1, 1, ZOO_NONE, 1), 257);
    builder_inputs(&net->builder, 1, &input);
    builder_outputs(&net->builder, 1, &x.index);
}

void net_deeplab(struct model *m)
{
    const struct zoo_entry entry = { .name = "deeplab",
                                     .resolution = 257,
                                     .resolution_step = 1,
                                     .resolution_max = 257,
                                     .classes = 21,
                                     .build = net_build_deeplab };
    const struct zoo_options options = { .width = 1, .type = TENSOR_FLOAT32, .seed = 1 };

    KIT_OK(zoo_build(m, &entry, &options, &err));
}
