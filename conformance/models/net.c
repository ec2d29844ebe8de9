/* Layers with seeded weights. */
#include "conformance/models/net.h"

#include "conformance/util/random.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { NAME_BYTES = 128, ZOO_LARGE = 1024 /* elements */ };

struct label {
    char text[NAME_BYTES];
};

static struct label label(const char *layer, const char *part)
{
    struct label l;

    snprintf(l.text, sizeof l.text, "%s/%s", layer, part);
    return l;
}

/* ---- constants ---- */

/* Normal values times deviation, from a random stream of their own; NULL when out of memory. */
static double *draw(struct zoo_net *net, size_t count, double deviation)
{
    double *const values = mem_alloc(count, sizeof *values);
    struct random_stream s;

    random_init(&s, net->options.seed, "zoo", 0, net->constants++, 0);
    if (!values) {
        net->status = STATUS_NO_MEMORY;
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = deviation * random_normal(&s);
    return values;
}

/* Adds a constant of f32 values; with f16 weights returns the output of its DEQUANTIZE. */
static int floats(struct zoo_net *net, const char *layer, const char *part, size_t rank,
                  const int32_t *dims, const double *values, size_t count)
{
    const bool half = net->options.type == TENSOR_FLOAT16;
    const size_t size = half ? sizeof(uint16_t) : sizeof(float);
    void *const data = mem_alloc(count, size);
    int constant, real;

    if (!data) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (half)
            ((uint16_t *)data)[i] = double_to_half(values[i]);
        else
            ((float *)data)[i] = (float)values[i];
    }
    constant = builder_constant(
        &net->builder, half ? TENSOR_FLOAT16 : TENSOR_FLOAT32,
        label(layer, half ? (part[0] == 'b' ? "bias_f16" : "weights_f16") : part).text, rank, dims,
        data, count * size);
    mem_free(data);
    if (!half)
        return constant;
    real = builder_tensor(&net->builder, TENSOR_FLOAT32, label(layer, part).text, rank, dims);
    builder_op(&net->builder, BUILTIN_DEQUANTIZE, 3, NULL, 1, &constant, 1, &real);
    return real;
}

static void put_scales(struct zoo_net *net, int tensor, const struct zoo_scale *scales,
                       size_t count, int32_t dimension)
{
    float *const scale = mem_alloc(count, sizeof *scale);
    int64_t *const zero_point = mem_alloc(count, sizeof *zero_point);

    if (scale && zero_point) {
        for (size_t i = 0; i < count; i++) {
            scale[i] = scales[i].scale;
            zero_point[i] = scales[i].zero_point;
        }
        builder_quantization(&net->builder, tensor, count, scale, zero_point, dimension);
    } else {
        net->status = STATUS_NO_MEMORY;
    }
    mem_free(scale);
    mem_free(zero_point);
}

/* The inputs of a layer: its activation, weights [dims], a bias for each of channels. */
struct layer {
    const char *name;
    int32_t dims[4];
    int32_t dimension; /* of the weights, along which lie the channels */
    double deviation;
    int inputs[3];
    bool scaled; /* the weights are in 8 bits */
};

/* Per-tensor scales are repeated for all channels. */
static int integer_weights(struct zoo_net *net, struct layer *l, const double *values, size_t count,
                           struct zoo_channels channels, struct zoo_scale *scales)
{
    const int32_t type = net->options.type;
    void *const q = mem_alloc(count, 1);
    int tensor;

    if (!q) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    zoo_quantize_weights(type, values, count, channels, q, scales);
    tensor =
        builder_constant(&net->builder, type, label(l->name, "weights").text, 4, l->dims, q, count);
    mem_free(q);
    put_scales(net, tensor, scales, type == TENSOR_INT8 ? channels.count : 1, l->dimension);
    for (size_t c = 1; type == TENSOR_UINT8 && c < channels.count; c++)
        scales[c] = scales[0];
    l->scaled = true;
    return tensor;
}

static struct zoo_scale scale_of(const struct zoo_net *net, int tensor)
{
    for (size_t i = 0; i < net->made; i++) {
        if (net->activations[i].tensor == tensor)
            return net->activations[i].scale;
    }
    return (struct zoo_scale){ 1, 0 }; /* the builder is out of memory */
}

/* scales of the weights become those of the bias. */
static int integer_bias(struct zoo_net *net, const struct layer *l, const double *values,
                        int32_t channels, struct zoo_scale *scales)
{
    const float in = scale_of(net, l->inputs[0]).scale;
    int32_t *const q = mem_alloc((size_t)channels, sizeof *q);
    int tensor;

    if (!q) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (int32_t c = 0; c < channels; c++) {
        scales[c] = (struct zoo_scale){ in * scales[c].scale, 0 };
        q[c] = zoo_quantize_bias(values[c], scales[c].scale);
    }
    tensor = builder_constant(&net->builder, TENSOR_INT32, label(l->name, "bias").text, 1,
                              &channels, q, (size_t)channels * sizeof *q);
    mem_free(q);
    put_scales(net, tensor, scales, net->options.type == TENSOR_INT8 ? (size_t)channels : 1, 0);
    return tensor;
}

static void weights(struct zoo_net *net, struct layer *l)
{
    const int32_t channels = l->dims[l->dimension];
    struct zoo_scale *const scales = mem_alloc((size_t)channels, sizeof *scales);
    size_t count = 1, inner = 1;
    double *values, *bias;

    for (int i = 0; i < 4; i++) /* the sizes of topologies are limited by zoo_build */
        count *= (size_t)l->dims[i];
    for (int i = l->dimension + 1; i < 4; i++)
        inner *= (size_t)l->dims[i];
    values = draw(net, count, l->deviation);
    bias = draw(net, (size_t)channels, 0.1);
    if (scales && values && bias) {
        const struct zoo_channels c = { (size_t)channels, inner };

        l->inputs[1] = zoo_in_integers(net) || (net->options.weights_only && count >= ZOO_LARGE)
                           ? integer_weights(net, l, values, count, c, scales)
                           : floats(net, l->name, "weights", 4, l->dims, values, count);
        l->inputs[2] = zoo_in_integers(net)
                           ? integer_bias(net, l, bias, channels, scales)
                           : floats(net, l->name, "bias", 1, &channels, bias, (size_t)channels);
    } else {
        net->status = STATUS_NO_MEMORY;
    }
    mem_free(scales);
    mem_free(values);
    mem_free(bias);
}

/* ---- activations ---- */

/* Where the scale of a quantized activation comes from. */
enum scale_source {
    SCALE_MEASURED,
    SCALE_UNIT,       /* an image, from -1 to 1 */
    SCALE_SAME,       /* that of another tensor: the op moves or averages integers */
    SCALE_PROBABILITY /* the output of SOFTMAX: 1/256, from 0 to 1 */
};

static int activation(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
                      enum scale_source source, int other)
{
    const bool integers = zoo_in_integers(net);
    const int32_t type = integers ? net->options.type : TENSOR_FLOAT32;
    const int index = builder_tensor(&net->builder, type, name, rank, dims);
    struct zoo_measured *a;

    if (!integers || index < 0)
        return index;
    assert(net->made < net->activation_count); /* as many as in the float model */
    a = &net->activations[net->made];
    switch (source) {
    case SCALE_MEASURED: a->scale = zoo_scale_of(type, a->range); break;
    case SCALE_UNIT: a->scale = zoo_scale_of(type, (struct zoo_range){ -1, 1 }); break;
    case SCALE_SAME: a->scale = scale_of(net, other); break;
    case SCALE_PROBABILITY:
        a->scale = (struct zoo_scale){ 1.0F / 256, type == TENSOR_INT8 ? INT8_MIN : 0 };
        break;
    }
    a->tensor = index;
    net->made++;
    put_scales(net, index, &a->scale, 1, 0);
    return index;
}

/* Returns the version of an op: of_i8 in i8 models, else 1. */
static int32_t version(const struct zoo_net *net, int32_t of_i8)
{
    return net->options.type == TENSOR_INT8 && !net->options.weights_only ? of_i8 : 1;
}

static int32_t same_extent(int32_t in, int32_t stride)
{
    return (in + stride - 1) / stride;
}

/* Returns how many of the kernel's taps read inside the image along one axis with SAME padding, on
 * average over all outputs. */
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

static struct zoo_tensor activation_image(struct zoo_net *net, const char *layer,
                                          struct zoo_tensor shape, enum scale_source source,
                                          int other)
{
    shape.index =
        activation(net, layer, 4, (int32_t[]){ 1, shape.h, shape.w, shape.c }, source, other);
    return shape;
}

/* ---- layers ---- */

struct zoo_tensor zoo_input(struct zoo_net *net, const char *name, int32_t channels)
{
    const int32_t side = (int32_t)net->options.resolution;

    return activation_image(net, name, (struct zoo_tensor){ 0, side, side, channels }, SCALE_UNIT,
                            -1);
}

struct zoo_tensor zoo_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t kernel, int32_t stride,
                              enum zoo_activation activation, double gain)
{
    const double fan_in = mean_taps(in.h, kernel, stride) * mean_taps(in.w, kernel, stride) * in.c;
    struct zoo_tensor out = { 0, same_extent(in.h, stride), same_extent(in.w, stride), channels };
    struct layer layer = { .name = name,
                           .dims = { channels, kernel, kernel, in.c },
                           .deviation = gain / sqrt(fan_in),
                           .inputs = { in.index, -1, -1 } };
    struct options o;

    weights(net, &layer);
    out = activation_image(net, name, out, SCALE_MEASURED, -1);
    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "padding", ZOO_SAME);
    options_set_int(&o, "stride_w", stride);
    options_set_int(&o, "stride_h", stride);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(&net->builder, BUILTIN_CONV_2D,
               net->options.weights_only && layer.scaled ? 5 : version(net, 3), &o, 3, layer.inputs,
               1, &out.index);
    return out;
}

struct zoo_tensor zoo_depthwise_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                        int32_t kernel, int32_t stride,
                                        enum zoo_activation activation, double gain)
{
    const double fan_in = mean_taps(in.h, kernel, stride) * mean_taps(in.w, kernel, stride);
    struct zoo_tensor out = { 0, same_extent(in.h, stride), same_extent(in.w, stride), in.c };
    struct layer layer = { .name = name,
                           .dims = { 1, kernel, kernel, in.c },
                           .dimension = 3,
                           .deviation = gain / sqrt(fan_in),
                           .inputs = { in.index, -1, -1 } };
    struct options o;

    weights(net, &layer);
    out = activation_image(net, name, out, SCALE_MEASURED, -1);
    options_init(&o, OPTIONS_DepthwiseConv2DOptions);
    options_set_int(&o, "padding", ZOO_SAME);
    options_set_int(&o, "stride_w", stride);
    options_set_int(&o, "stride_h", stride);
    options_set_int(&o, "depth_multiplier", 1);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(&net->builder, BUILTIN_DEPTHWISE_CONV_2D,
               net->options.weights_only && layer.scaled ? 6 : version(net, 3), &o, 3, layer.inputs,
               1, &out.index);
    return out;
}

struct zoo_tensor zoo_global_average_pool(struct zoo_net *net, const char *name,
                                          struct zoo_tensor in)
{
    struct zoo_tensor out =
        activation_image(net, name, (struct zoo_tensor){ 0, 1, 1, in.c }, SCALE_SAME, in.index);
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", ZOO_VALID);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "filter_width", in.w);
    options_set_int(&o, "filter_height", in.h);
    builder_op(&net->builder, BUILTIN_AVERAGE_POOL_2D, version(net, 2), &o, 1, &in.index, 1,
               &out.index);
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
    out = activation(net, name, 2, dims, SCALE_SAME, in.index);
    options_init(&o, OPTIONS_ReshapeOptions);
    options_set_ints(&o, "new_shape", dims, 2);
    builder_op(&net->builder, BUILTIN_RESHAPE, 1, &o, 2, inputs, 1, &out);
    return out;
}

int zoo_softmax(struct zoo_net *net, const char *name, int in, int32_t count)
{
    const int out = activation(net, name, 2, (int32_t[]){ 1, count }, SCALE_PROBABILITY, -1);
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(&net->builder, BUILTIN_SOFTMAX, version(net, 2), &o, 1, &in, 1, &out);
    return out;
}
