/* Convolutions and fully connected layers. */
#include "conformance/suite/models/net_conv.h"

#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_weights.h"

#include <math.h>

/* Returns how many of the kernel's taps read inside the image along one axis, on average over all
 * outputs. */
static double mean_taps(int32_t in, const struct zoo_conv *conv)
{
    const int32_t out = zoo_extent(in, conv->kernel, conv->stride, conv->padding);
    const int32_t dilation = conv->dilation ? conv->dilation : 1;
    const int32_t pad = (out - 1) * conv->stride + (conv->kernel - 1) * dilation + 1 - in;
    const int32_t before = pad > 0 ? pad / 2 : 0;
    int64_t taps = 0;

    for (int32_t o = 0; o < out; o++) {
        for (int32_t k = 0; k < conv->kernel; k++) {
            const int32_t at = o * conv->stride - before + k * dilation;

            taps += at >= 0 && at < in;
        }
    }
    return (double)taps / out;
}

static double taps(struct zoo_tensor in, const struct zoo_conv *conv)
{
    return (conv->flat ? 1 : mean_taps(in.h, conv)) * mean_taps(in.w, conv);
}

static struct zoo_tensor extents(struct zoo_tensor in, const struct zoo_conv *conv,
                                 int32_t channels)
{
    return (struct zoo_tensor){
        0, conv->flat ? in.h : zoo_extent(in.h, conv->kernel, conv->stride, conv->padding),
        zoo_extent(in.w, conv->kernel, conv->stride, conv->padding), channels
    };
}

static void set_window(struct options *o, const struct zoo_conv *conv)
{
    const int32_t dilation = conv->dilation ? conv->dilation : 1;

    options_set_int(o, "padding", conv->padding);
    options_set_int(o, "stride_w", conv->stride);
    options_set_int(o, "stride_h", conv->flat ? 1 : conv->stride);
    options_set_int(o, "dilation_w_factor", dilation);
    options_set_int(o, "dilation_h_factor", dilation);
}

/* What the op itself clamps; HARD_SWISH is an op of its own. */
static enum zoo_activation fused(enum zoo_activation activation)
{
    return activation == ZOO_HARD_SWISH ? ZOO_NONE : activation;
}

static struct zoo_tensor activated(struct zoo_net *net, const char *name, struct zoo_tensor x,
                                   enum zoo_activation activation)
{
    if (activation == ZOO_HARD_SWISH)
        x.index = zoo_hard_swish(net, zoo_label(name, "hard_swish").text, x).index;
    return x;
}

struct zoo_tensor zoo_conv(struct zoo_net *net, const char *name, struct zoo_tensor in,
                           const struct zoo_conv *conv)
{
    const int32_t channels = conv->channels, kernel = conv->kernel, rows = conv->flat ? 1 : kernel;
    struct zoo_weights w = { .name = name,
                             .rank = 4,
                             .dims = { channels, rows, kernel, in.c },
                             .deviation = conv->gain / sqrt(taps(in, conv) * in.c),
                             .bias_mean = conv->bias,
                             .inputs = { in.index, -1, -1 } };
    struct zoo_tensor out = extents(in, conv, channels);
    struct options o;

    zoo_weights(net, &w);
    net->facts.multiply_adds +=
        (uint64_t)out.h * (uint64_t)out.w * (uint64_t)channels * (uint64_t)(rows * kernel * in.c);
    out = zoo_image(net, name, out, ZOO_SCALE_MEASURED, -1);
    options_init(&o, OPTIONS_Conv2DOptions);
    set_window(&o, conv);
    options_set_int(&o, "fused_activation_function", fused(conv->activation));
    builder_op(&net->builder, BUILTIN_CONV_2D,
               net->options.weights_only && w.scaled ? 5 : zoo_version(net, 3), &o, 3, w.inputs, 1,
               &out.index);
    return activated(net, name, out, conv->activation);
}

struct zoo_tensor zoo_depthwise(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                const struct zoo_conv *conv)
{
    const int32_t kernel = conv->kernel;
    struct zoo_weights w = { .name = name,
                             .rank = 4,
                             .dims = { 1, kernel, kernel, in.c },
                             .dimension = 3,
                             .deviation = conv->gain / sqrt(taps(in, conv)),
                             .bias_mean = conv->bias,
                             .inputs = { in.index, -1, -1 } };
    struct zoo_tensor out = extents(in, conv, in.c);
    const int32_t plain = conv->dilation > 1 ? 2 : 1;
    struct options o;

    zoo_weights(net, &w);
    net->facts.multiply_adds +=
        (uint64_t)out.h * (uint64_t)out.w * (uint64_t)in.c * (uint64_t)(kernel * kernel);
    out = zoo_image(net, name, out, ZOO_SCALE_MEASURED, -1);
    options_init(&o, OPTIONS_DepthwiseConv2DOptions);
    set_window(&o, conv);
    options_set_int(&o, "depth_multiplier", 1);
    options_set_int(&o, "fused_activation_function", fused(conv->activation));
    builder_op(&net->builder, BUILTIN_DEPTHWISE_CONV_2D,
               net->options.weights_only && w.scaled                      ? 6
               : net->options.type == TENSOR_INT8 && zoo_in_integers(net) ? 3
                                                                          : plain,
               &o, 3, w.inputs, 1, &out.index);
    return activated(net, name, out, conv->activation);
}

struct zoo_tensor zoo_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t kernel, int32_t stride,
                              enum zoo_activation activation, double gain)
{
    return zoo_conv(net, name, in,
                    &(struct zoo_conv){ .channels = channels,
                                        .kernel = kernel,
                                        .stride = stride,
                                        .activation = activation,
                                        .gain = gain });
}

struct zoo_tensor zoo_depthwise_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                        int32_t kernel, int32_t stride,
                                        enum zoo_activation activation, double gain)
{
    return zoo_depthwise(
        net, name, in,
        &(struct zoo_conv){
            .kernel = kernel, .stride = stride, .activation = activation, .gain = gain });
}

int zoo_fully_connected(struct zoo_net *net, const char *name, int in, int32_t in_count,
                        int32_t units, enum zoo_activation activation, double gain)
{
    struct zoo_weights w = { .name = name,
                             .rank = 2,
                             .dims = { units, in_count },
                             .one_scale = true,
                             .deviation = gain / sqrt(in_count),
                             .inputs = { in, -1, -1 } };
    struct options o;
    int out;

    zoo_weights(net, &w);
    net->facts.multiply_adds += (uint64_t)units * (uint64_t)in_count;
    out =
        zoo_activation(net, name, 2, (int32_t[]){ zoo_batch(net), units }, ZOO_SCALE_MEASURED, -1);
    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "fused_activation_function", fused(activation));
    builder_op(&net->builder, BUILTIN_FULLY_CONNECTED,
               net->options.weights_only && w.scaled ? 3 : zoo_version(net, 4), &o, 3, w.inputs, 1,
               &out);
    return out;
}
