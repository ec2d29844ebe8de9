/* Draws weights, and writes them in the types of the model. */
#include "conformance/suite/models/net_weights.h"

#include "conformance/util/random.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

enum { ZOO_LARGE = 1024 /* elements */ };

/* Normal values times deviation, from a random stream of their own; NULL when out of memory. */
static double *draw(struct zoo_net *net, size_t count, double deviation, double mean)
{
    double *const values = mem_alloc(count, sizeof *values);
    struct random_stream s;

    random_init(&s, net->options.seed, "zoo", 0, net->constants++, 0);
    if (!values) {
        net->status = STATUS_NO_MEMORY;
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = mean + deviation * random_normal(&s);
    return values;
}

/* data NULL: sizes only. */
static int constant(struct zoo_net *net, int32_t type, const char *name, size_t rank,
                    const int32_t *dims, const void *data, size_t bytes)
{
    net->facts.constant_bytes += bytes;
    return data ? builder_constant(&net->builder, type, name, rank, dims, data, bytes)
                : builder_tensor(&net->builder, type, name, rank, dims);
}

/* The output of a DEQUANTIZE of a constant in f16. */
static int widened(struct zoo_net *net, int half, const char *name, size_t rank,
                   const int32_t *dims)
{
    const int real = builder_tensor(&net->builder, TENSOR_FLOAT32, name, rank, dims);

    builder_op(&net->builder, BUILTIN_DEQUANTIZE, 3, NULL, 1, &half, 1, &real);
    return real;
}

/* Adds a constant of f32 values; with f16 weights returns the output of its DEQUANTIZE.  values
 * NULL: sizes only. */
static int floats(struct zoo_net *net, const char *name, const char *half_name, size_t rank,
                  const int32_t *dims, const double *values, size_t count)
{
    const bool half = net->options.type == TENSOR_FLOAT16;
    const int32_t type = half ? TENSOR_FLOAT16 : TENSOR_FLOAT32;
    const size_t size = half ? sizeof(uint16_t) : sizeof(float);
    void *data = NULL;
    int index;

    if (values && !(data = mem_alloc(count, size))) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (size_t i = 0; values && i < count; i++) {
        if (half)
            ((uint16_t *)data)[i] = double_to_half(values[i]);
        else
            ((float *)data)[i] = (float)values[i];
    }
    index = constant(net, type, half ? half_name : name, rank, dims, data, count * size);
    mem_free(data);
    return half ? widened(net, index, name, rank, dims) : index;
}

/* One scale is repeated for all channels of the bias. */
static int integer_weights(struct zoo_net *net, struct zoo_weights *w, const double *values,
                           size_t count, struct zoo_channels channels, struct zoo_scale *scales)
{
    const int32_t type = net->options.type;
    const bool one = type == TENSOR_UINT8 || w->one_scale;
    void *const q = mem_alloc(count, 1);
    int tensor;

    if (!q) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    zoo_quantize_weights(type, values, count, one ? (struct zoo_channels){ 1, count } : channels, q,
                         scales);
    tensor = constant(net, type, zoo_label(w->name, "weights").text, w->rank, w->dims, q, count);
    mem_free(q);
    zoo_put_scales(net, tensor, scales, one ? 1 : channels.count, w->dimension);
    for (size_t c = 1; one && c < channels.count; c++)
        scales[c] = scales[0];
    w->scaled = true;
    return tensor;
}

/* scales of the weights become those of the bias. */
static int integer_bias(struct zoo_net *net, const struct zoo_weights *w, const double *values,
                        int32_t channels, struct zoo_scale *scales)
{
    const bool one = net->options.type == TENSOR_UINT8 || w->one_scale;
    const float in = zoo_scale_at(net, w->inputs[0]).scale;
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
    tensor = constant(net, TENSOR_INT32, zoo_label(w->name, "bias").text, 1, &channels, q,
                      (size_t)channels * sizeof *q);
    mem_free(q);
    zoo_put_scales(net, tensor, scales, one ? 1 : (size_t)channels, 0);
    return tensor;
}

static bool in_8_bits(const struct zoo_net *net, const struct zoo_weights *w, size_t count)
{
    return zoo_in_integers(net) ||
           (net->options.weights_only && (w->as_large_as ? w->as_large_as : count) >= ZOO_LARGE);
}

static void sizes(struct zoo_net *net, struct zoo_weights *w, size_t count, int32_t channels)
{
    w->scaled = in_8_bits(net, w, count);
    w->inputs[1] = w->scaled ? constant(net, net->options.type, "", w->rank, w->dims, NULL, count)
                             : floats(net, "", "", w->rank, w->dims, NULL, count);
    if (w->no_bias)
        return;
    w->inputs[2] = zoo_in_integers(net) ? constant(net, TENSOR_INT32, "", 1, &channels, NULL,
                                                   (size_t)channels * sizeof(int32_t))
                                        : floats(net, "", "", 1, &channels, NULL, (size_t)channels);
}

/* Adds the two constants; scales has room for one a channel. */
static void add(struct zoo_net *net, struct zoo_weights *w, const double *values,
                const double *bias, size_t count, struct zoo_scale *scales)
{
    const int32_t channels = w->dims[w->dimension];
    struct zoo_channels c = { (size_t)channels, 1 };

    for (size_t i = (size_t)w->dimension + 1; i < w->rank; i++)
        c.inner *= (size_t)w->dims[i];
    w->inputs[1] = in_8_bits(net, w, count) ? integer_weights(net, w, values, count, c, scales)
                                            : floats(net, zoo_label(w->name, "weights").text,
                                                     zoo_label(w->name, "weights_f16").text,
                                                     w->rank, w->dims, values, count);
    if (w->no_bias)
        return;
    w->inputs[2] = zoo_in_integers(net) ? integer_bias(net, w, bias, channels, scales)
                                        : floats(net, zoo_label(w->name, "bias").text,
                                                 zoo_label(w->name, "bias_f16").text, 1, &channels,
                                                 bias, (size_t)channels);
}

void zoo_weights(struct zoo_net *net, struct zoo_weights *w)
{
    const int32_t channels = w->dims[w->dimension];
    struct zoo_scale *scales;
    double *values, *bias;
    size_t count = 1;

    for (size_t i = 0; i < w->rank; i++) /* the sizes of topologies are limited by zoo_build */
        count *= (size_t)w->dims[i];
    net->facts.parameters += count + (w->no_bias ? 0 : (size_t)channels);
    if (net->sizes_only) {
        sizes(net, w, count, channels);
        return;
    }
    scales = mem_alloc((size_t)channels, sizeof *scales);
    values = draw(net, count, w->deviation, 0);
    bias = draw(net, (size_t)channels, 0.1, w->bias_mean);
    if (scales && values && bias)
        add(net, w, values, bias, count, scales);
    else
        net->status = STATUS_NO_MEMORY;
    mem_free(scales);
    mem_free(values);
    mem_free(bias);
}

int zoo_given(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
              const double *values, size_t count, bool real)
{
    const int32_t type = net->options.type;
    struct zoo_range range = { 0, 0 };
    struct zoo_scale scale;
    uint8_t *q;
    int tensor;

    if (real || !zoo_in_integers(net))
        return floats(net, name, zoo_label(name, "f16").text, rank, dims, values, count);
    if (!(q = mem_alloc(count, 1))) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        range.low = fminf(range.low, (float)values[i]);
        range.high = fmaxf(range.high, (float)values[i]);
    }
    scale = zoo_scale_of(type, range);
    for (size_t i = 0; i < count; i++) {
        const int32_t v = zoo_quantize_value(type, values[i], scale);

        q[i] = (uint8_t)v;
    }
    tensor = constant(net, type, name, rank, dims, q, count);
    mem_free(q);
    zoo_put_scales(net, tensor, &scale, 1, 0);
    return tensor;
}

static size_t elements(size_t rank, const int32_t *dims)
{
    size_t count = 1;

    for (size_t i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    return count;
}

int zoo_drawn(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims, double mean,
              double deviation)
{
    const size_t count = elements(rank, dims);
    double *const values = draw(net, count, deviation, mean);
    const int tensor = values ? zoo_given(net, name, rank, dims, values, count, false) : -1;

    net->facts.parameters += count;
    mem_free(values);
    return tensor;
}

int zoo_zeros(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims)
{
    const size_t count = elements(rank, dims);
    double *const values = mem_alloc(count, sizeof *values);
    int tensor = -1;

    if (values) {
        memset(values, 0, count * sizeof *values);
        tensor = zoo_given(net, name, rank, dims, values, count, false);
    } else {
        net->status = STATUS_NO_MEMORY;
    }
    mem_free(values);
    return tensor;
}

int zoo_scalar(struct zoo_net *net, const char *name, double value)
{
    return zoo_given(net, name, 1, (int32_t[]){ 1 }, &value, 1, false);
}

int zoo_shape(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
              const int32_t *values, size_t count)
{
    return constant(net, TENSOR_INT32, name, rank, dims, values, count * sizeof *values);
}
