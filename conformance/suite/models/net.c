/* Activations, and what layers have in common. */
#include "conformance/suite/models/net.h"

#include "reference/base/memory.h"

#include <assert.h>
#include <stdio.h>

struct zoo_label zoo_label(const char *layer, const char *part)
{
    struct zoo_label l;

    snprintf(l.text, sizeof l.text, "%s/%s", layer, part);
    return l;
}

struct zoo_scale zoo_scale_at(const struct zoo_net *net, int tensor)
{
    for (size_t i = 0; i < net->made; i++) {
        if (net->activations[i].tensor == tensor)
            return net->activations[i].scale;
    }
    return (struct zoo_scale){ 1, 0 }; /* the builder is out of memory */
}

void zoo_put_scales(struct zoo_net *net, int tensor, const struct zoo_scale *scales, size_t count,
                    int32_t dimension)
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

void zoo_tie(struct zoo_net *net, int a, int b)
{
    if (zoo_in_integers(net)) /* the float model has told */
        return;
    assert(net->tie_count < ZOO_TIES);
    net->ties[net->tie_count++] = (struct zoo_tie){ a, b };
}

int zoo_activation(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
                   enum zoo_scale_source source, int other)
{
    const bool integers = zoo_in_integers(net);
    const int32_t type = integers ? net->options.type : TENSOR_FLOAT32;
    const int index = builder_tensor(&net->builder, type, name, rank, dims);
    uint64_t elements = 1;
    struct zoo_measured *a;

    for (size_t i = 0; i < rank; i++)
        elements *= (uint64_t)dims[i];
    net->facts.activations += elements;
    if (source == ZOO_SCALE_SAME)
        zoo_tie(net, index, other);
    if (!integers || index < 0 || net->sizes_only)
        return index;
    assert(net->made < net->activation_count); /* as many as in the float model */
    a = &net->activations[net->made];
    switch (source) {
    case ZOO_SCALE_MEASURED:
    case ZOO_SCALE_SAME: a->scale = zoo_scale_of(type, a->range); break;
    case ZOO_SCALE_UNIT: a->scale = zoo_scale_of(type, (struct zoo_range){ -1, 1 }); break;
    case ZOO_SCALE_PROBABILITY:
        a->scale = (struct zoo_scale){ 1.0F / 256, type == TENSOR_INT8 ? INT8_MIN : 0 };
        break;
    }
    if (source == ZOO_SCALE_SAME)
        a->scale = zoo_scale_at(net, other);
    a->tensor = index;
    net->made++;
    zoo_put_scales(net, index, &a->scale, 1, 0);
    return index;
}

int zoo_activation_i16(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
                       float scale)
{
    struct zoo_measured *a;
    int index;

    if (!zoo_in_integers(net) || net->sizes_only)
        return zoo_activation(net, name, rank, dims, ZOO_SCALE_MEASURED, -1);
    index = builder_tensor(&net->builder, TENSOR_INT16, name, rank, dims);
    if (index < 0)
        return index;
    assert(net->made < net->activation_count);
    a = &net->activations[net->made++];
    a->tensor = index;
    a->scale = (struct zoo_scale){ scale, 0 };
    zoo_put_scales(net, index, &a->scale, 1, 0);
    return index;
}

struct zoo_tensor zoo_image(struct zoo_net *net, const char *name, struct zoo_tensor shape,
                            enum zoo_scale_source source, int other)
{
    shape.index = zoo_activation(
        net, name, 4, (int32_t[]){ zoo_batch(net), shape.h, shape.w, shape.c }, source, other);
    return shape;
}

int32_t zoo_version(const struct zoo_net *net, int32_t of_i8)
{
    return net->options.type == TENSOR_INT8 && !net->options.weights_only ? of_i8 : 1;
}

struct zoo_tensor zoo_input_of(struct zoo_net *net, const char *name, int32_t height, int32_t width,
                               int32_t channels)
{
    return zoo_image(net, name, (struct zoo_tensor){ 0, height, width, channels }, ZOO_SCALE_UNIT,
                     -1);
}

struct zoo_tensor zoo_input(struct zoo_net *net, const char *name, int32_t channels)
{
    const int32_t side = (int32_t)net->options.resolution;

    return zoo_input_of(net, name, side, side, channels);
}

void zoo_outputs(struct zoo_net *net, struct zoo_tensor input, size_t count, const int *outputs)
{
    builder_inputs(&net->builder, 1, &input.index);
    builder_outputs(&net->builder, count, outputs);
}

int32_t zoo_divisible(double channels, double width)
{
    const double wanted = channels * width;
    int32_t c = (int32_t)(wanted + 4) / 8 * 8;

    if (c < 8)
        c = 8;
    return c < 0.9 * wanted ? c + 8 : c;
}

int32_t zoo_extent(int32_t in, int32_t kernel, int32_t stride, enum zoo_padding padding)
{
    return padding == ZOO_SAME ? (in + stride - 1) / stride : (in - kernel) / stride + 1;
}
