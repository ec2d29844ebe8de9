/* Layers with seeded weights. */
#include "conformance/zoo_net.h"

#include "conformance/data.h"
#include "reference/half.h"
#include "reference/memory.h"

#include <math.h>
#include <stdio.h>

enum { NAME_BYTES = 128 };

struct label {
    char text[NAME_BYTES];
};

static struct label label(const char *layer, const char *part)
{
    struct label l;

    snprintf(l.text, sizeof l.text, "%s/%s", layer, part);
    return l;
}

/* A constant of deviation times normal values; with f16 weights the output of its DEQUANTIZE. */
static int weights(struct zoo_net *net, const char *layer, const char *part, size_t rank,
                   const int32_t *dims, double deviation)
{
    const bool half = net->options.type == TENSOR_FLOAT16;
    const size_t size = half ? sizeof(uint16_t) : sizeof(float);
    size_t count = 1;
    struct stream s;
    void *data;
    int constant, real;

    for (size_t i = 0; i < rank; i++)
        count *= (size_t)dims[i]; /* the sizes of topologies are limited by zoo_build */
    stream_init(&s, net->options.seed, "zoo", 0, net->constants++, 0);
    if (!(data = mem_alloc(count, size))) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const double x = deviation * stream_normal(&s);

        if (half)
            ((uint16_t *)data)[i] = double_to_half(x);
        else
            ((float *)data)[i] = (float)x;
    }
    constant = builder_constant(
        &net->builder, net->options.type,
        label(layer, half ? (part[0] == 'b' ? "bias_f16" : "weights_f16") : part).text, rank, dims,
        data, count * size);
    mem_free(data);
    if (!half)
        return constant;
    real = builder_tensor(&net->builder, TENSOR_FLOAT32, label(layer, part).text, rank, dims);
    builder_op(&net->builder, BUILTIN_DEQUANTIZE, 3, NULL, 1, &constant, 1, &real);
    return real;
}

static int bias(struct zoo_net *net, const char *layer, int32_t channels)
{
    return weights(net, layer, "bias", 1, &channels, 0.1);
}

static int32_t same_extent(int32_t in, int32_t stride)
{
    return (in + stride - 1) / stride;
}

/* How many of the kernel's taps read inside the image, on average, along one axis with SAME. */
static double mean_taps(int32_t in, int32_t kernel, int32_t stride)
{
    const int32_t out = same_extent(in, stride);
    const int32_t pad = (out - 1) * stride + kernel - in;
    const int32_t before = pad > 0 ? pad / 2 : 0;
    int64_t taps = 0;

    for (int32_t o = 0; o < out; o++) {
        for (int32_t k = 0; k < kernel; k++) {
            const int32_t at = o * stride - before + k;

            taps += at >= 0 && at < in;
        }
    }
    return (double)taps / out;
}

static struct zoo_tensor activation_tensor(struct zoo_net *net, const char *layer,
                                           struct zoo_tensor shape)
{
    shape.index = builder_tensor(&net->builder, TENSOR_FLOAT32, layer, 4,
                                 (int32_t[]){ 1, shape.h, shape.w, shape.c });
    return shape;
}

struct zoo_tensor zoo_input(struct zoo_net *net, const char *name, int32_t channels)
{
    const int32_t side = (int32_t)net->options.resolution;

    return activation_tensor(net, name, (struct zoo_tensor){ 0, side, side, channels });
}

struct zoo_tensor zoo_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t kernel, int32_t stride,
                              enum zoo_activation activation, double gain)
{
    const double fan_in = mean_taps(in.h, kernel, stride) * mean_taps(in.w, kernel, stride) * in.c;
    struct zoo_tensor out = { 0, same_extent(in.h, stride), same_extent(in.w, stride), channels };
    struct options o;
    int inputs[3];

    inputs[0] = in.index;
    inputs[1] = weights(net, name, "weights", 4, (int32_t[]){ channels, kernel, kernel, in.c },
                        gain / sqrt(fan_in));
    inputs[2] = bias(net, name, channels);
    out = activation_tensor(net, name, out);
    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "padding", ZOO_SAME);
    options_set_int(&o, "stride_w", stride);
    options_set_int(&o, "stride_h", stride);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(&net->builder, BUILTIN_CONV_2D, 1, &o, 3, inputs, 1, &out.index);
    return out;
}

struct zoo_tensor zoo_depthwise_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                        int32_t kernel, int32_t stride,
                                        enum zoo_activation activation, double gain)
{
    const double fan_in = mean_taps(in.h, kernel, stride) * mean_taps(in.w, kernel, stride);
    struct zoo_tensor out = { 0, same_extent(in.h, stride), same_extent(in.w, stride), in.c };
    struct options o;
    int inputs[3];

    inputs[0] = in.index;
    inputs[1] = weights(net, name, "weights", 4, (int32_t[]){ 1, kernel, kernel, in.c },
                        gain / sqrt(fan_in));
    inputs[2] = bias(net, name, in.c);
    out = activation_tensor(net, name, out);
    options_init(&o, OPTIONS_DepthwiseConv2DOptions);
    options_set_int(&o, "padding", ZOO_SAME);
    options_set_int(&o, "stride_w", stride);
    options_set_int(&o, "stride_h", stride);
    options_set_int(&o, "depth_multiplier", 1);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(&net->builder, BUILTIN_DEPTHWISE_CONV_2D, 1, &o, 3, inputs, 1, &out.index);
    return out;
}

struct zoo_tensor zoo_global_average_pool(struct zoo_net *net, const char *name,
                                          struct zoo_tensor in)
{
    struct zoo_tensor out = activation_tensor(net, name, (struct zoo_tensor){ 0, 1, 1, in.c });
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", ZOO_VALID);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "filter_width", in.w);
    options_set_int(&o, "filter_height", in.h);
    builder_op(&net->builder, BUILTIN_AVERAGE_POOL_2D, 1, &o, 1, &in.index, 1, &out.index);
    return out;
}

int zoo_flatten(struct zoo_net *net, const char *name, struct zoo_tensor in)
{
    const int32_t dims[] = { 1, in.c };
    struct options o;
    int inputs[2], out;

    inputs[0] = in.index;
    inputs[1] = builder_constant(&net->builder, TENSOR_INT32, label(name, "shape").text, 1,
                                 (int32_t[]){ 2 }, dims, sizeof dims);
    out = builder_tensor(&net->builder, TENSOR_FLOAT32, name, 2, dims);
    options_init(&o, OPTIONS_ReshapeOptions);
    options_set_ints(&o, "new_shape", dims, 2);
    builder_op(&net->builder, BUILTIN_RESHAPE, 1, &o, 2, inputs, 1, &out);
    return out;
}

int zoo_softmax(struct zoo_net *net, const char *name, int in, int32_t count)
{
    const int out = builder_tensor(&net->builder, TENSOR_FLOAT32, name, 2, (int32_t[]){ 1, count });
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(&net->builder, BUILTIN_SOFTMAX, 1, &o, 1, &in, 1, &out);
    return out;
}
