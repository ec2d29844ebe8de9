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

int zoo_constant(struct zoo_net *net, int32_t type, const char *name, size_t rank,
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
    index = zoo_constant(net, type, half ? half_name : name, rank, dims, data, count * size);
    mem_free(data);
    return half ? widened(net, index, name, rank, dims) : index;
}

/* One scale is repeated for all channels of the bias. */
static int integer_weights(struct zoo_net *net, struct zoo_weights *w, const double *values,
                           size_t count, struct zoo_channels channels, struct zoo_scale *scales)
{
    const int32_t type = net->options.type == TENSOR_UINT8 ? TENSOR_UINT8 : TENSOR_INT8;
    const bool one = type == TENSOR_UINT8 || w->one_scale;
    void *const q = mem_alloc(count, 1);
    int tensor;

    if (!q) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    zoo_quantize_weights(type, values, count, one ? (struct zoo_channels){ 1, count } : channels, q,
                         scales);
    tensor =
        zoo_constant(net, type, zoo_label(w->name, "weights").text, w->rank, w->dims, q, count);
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
    tensor = zoo_constant(net, TENSOR_INT32, zoo_label(w->name, "bias").text, 1, &channels, q,
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
    w->inputs[1] = w->scaled ? zoo_constant(net, TENSOR_INT8, "", w->rank, w->dims, NULL, count)
                             : floats(net, "", "", w->rank, w->dims, NULL, count);
    if (w->no_bias)
        return;
    w->inputs[2] = zoo_in_integers(net) ? zoo_constant(net, TENSOR_INT32, "", 1, &channels, NULL,
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
    tensor = zoo_constant(net, type, name, rank, dims, q, count);
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
    const bool counted = net->sizes_only && !zoo_in_integers(net);
    double *const values = counted ? NULL : draw(net, count, deviation, mean);
    const int tensor =
        values || counted ? zoo_given(net, name, rank, dims, values, count, false) : -1;

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
    return zoo_constant(net, TENSOR_INT32, name, rank, dims, values, count * sizeof *values);
}

/* ---- matrices, a row after the other ---- */

/* What a matrix is stored as. */
struct packing {
    int32_t type;
    uint32_t bits;
    int32_t most;  /* the largest integer, and minus the least */
    size_t block;  /* elements of a scale */
    size_t scales; /* of a row */
};

static struct packing packing_of(const struct zoo_net *net, const struct zoo_matrix *m)
{
    const int32_t type = m->rows == 1 ? TENSOR_FLOAT32 : net->options.type;
    struct packing p = { .type = type, .bits = (uint32_t)tensor_type_bits(type) };

    if (type != TENSOR_FLOAT32 && type != TENSOR_FLOAT16) {
        p.most = (1 << (p.bits - 1)) - 1;
        p.block = net->options.block ? net->options.block : (size_t)m->width;
        p.scales = (size_t)m->width / p.block;
    }
    return p;
}

/* Symmetric; of a block it is a number in f16. */
static float scale_of_block(const struct packing *p, const double *values, bool half)
{
    double largest = 0;

    for (size_t i = 0; i < p->block; i++)
        largest = fmax(largest, fabs(values[i]));
    if (largest == 0)
        return 1;
    return half ? half_to_float(double_to_half(largest / p->most)) : (float)(largest / p->most);
}

/* Writes a row of floats at an element, and its scales. */
static void pack_row(const struct packing *p, const double *values, size_t count, size_t at,
                     uint8_t *data, float *scales)
{
    for (size_t i = 0; i < count; i++) {
        const size_t bit = (at + i) * p->bits;

        if (p->type == TENSOR_FLOAT32) {
            ((float *)(void *)data)[at + i] = (float)values[i];
        } else if (p->type == TENSOR_FLOAT16) {
            ((uint16_t *)(void *)data)[at + i] = double_to_half(values[i]);
        } else {
            int32_t q;

            if (i % p->block == 0)
                scales[i / p->block] = scale_of_block(p, values + i, p->scales > 1);
            q = (int32_t)lrint(values[i] / (double)scales[i / p->block]);
            q = q > p->most ? p->most : q < -p->most ? -p->most : q;
            data[bit / 8] |= (uint8_t)(((uint32_t)q & ((1U << p->bits) - 1)) << bit % 8);
        }
    }
}

static void put_scales(struct zoo_net *net, const char *name, struct zoo_matrix *m,
                       const struct packing *p, const float *scales)
{
    const size_t count = (size_t)m->rows * p->scales;
    int64_t *zero_points;
    uint16_t *halves;

    if (net->options.block) {
        if (!(halves = mem_alloc(count, sizeof *halves))) {
            net->status = STATUS_NO_MEMORY;
            return;
        }
        for (size_t i = 0; i < count; i++)
            halves[i] = double_to_half((double)scales[i]);
        m->scales = zoo_constant(net, TENSOR_FLOAT16, zoo_label(name, "scales").text, 2,
                                 (int32_t[]){ m->rows, (int32_t)p->scales }, halves,
                                 count * sizeof *halves);
        mem_free(halves);
        return;
    }
    if (!(zero_points = mem_alloc(count, sizeof *zero_points))) {
        net->status = STATUS_NO_MEMORY;
        return;
    }
    builder_quantization(&net->builder, m->tensor, count, scales, zero_points, 0);
    mem_free(zero_points);
}

static void draw_matrix(struct zoo_net *net, const char *name, struct zoo_matrix *m)
{
    const struct packing p = packing_of(net, m);
    const size_t width = (size_t)m->width, count = (size_t)m->rows * width;
    const size_t bytes = (count * p.bits + 7) / 8, rank = m->rows == 1 ? 1 : 2;
    const int32_t *const dims = m->rows == 1 ? &m->width : (int32_t[]){ m->rows, m->width };
    double *const row = mem_alloc(width, sizeof *row);
    float *const scales = mem_alloc((size_t)m->rows * p.scales + 1, sizeof *scales);
    uint8_t *const data = net->sizes_only ? NULL : mem_alloc(bytes, 1);
    struct random_stream s;

    net->facts.parameters += count;
    random_init(&s, net->options.seed, "zoo", 0, net->constants++, 0);
    if (!row || !scales || (!data && !net->sizes_only)) {
        net->status = STATUS_NO_MEMORY;
    } else {
        for (size_t r = 0; data && r < (size_t)m->rows; r++) {
            for (size_t i = 0; i < width; i++)
                row[i] = m->mean + m->deviation * random_normal(&s);
            pack_row(&p, row, width, r * width, data, scales + r * p.scales);
        }
        m->tensor = zoo_constant(net, p.type, name, rank, dims, data, bytes);
        if (p.scales)
            put_scales(net, name, m, &p, scales);
    }
    mem_free(row);
    mem_free(scales);
    mem_free(data);
}

int zoo_matrix(struct zoo_net *net, const char *name, struct zoo_matrix *m)
{
    const size_t graph = net->builder.graphs.count;

    if (m->uses == graph + 1)
        return m->used;
    if (m->uses == 0) {
        m->home = graph;
        draw_matrix(net, name, m);
    }
    m->used = graph > m->home ? builder_again(&net->builder, (int)m->home, m->tensor) : m->tensor;
    if (packing_of(net, m).type == TENSOR_FLOAT16)
        m->used =
            widened(net, m->used, zoo_label(name, "f32").text, 2, (int32_t[]){ m->rows, m->width });
    if (m->scales)
        builder_blockwise(&net->builder, m->used,
                          graph > m->home ? builder_again(&net->builder, (int)m->home, m->scales)
                                          : m->scales,
                          (int32_t)net->options.block);
    m->uses = graph + 1;
    return m->used;
}
