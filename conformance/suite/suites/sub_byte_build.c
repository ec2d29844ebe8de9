#include "conformance/suite/suites/sub_byte_build.h"

#include "conformance/suite/cases/window.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/base/packed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct row *row_of(const struct case_builder *m)
{
    return (const struct row *)m->c->row;
}

static void begin(struct case_builder *m, struct random_stream *s, unsigned frame)
{
    random_init(s, m->request->seed, m->c->name, (uint64_t)m->request->set, m->filled, frame);
}

/* Uniform in [low, high], with 24 random bits. */
static double between(struct random_stream *s, double low, double high)
{
    return low + (high - low) * ((double)random_below(s, 1 << 24) * 0x1p-24);
}

static struct model_tensor *tensor_of(struct case_builder *m, int tensor)
{
    return m->status == STATUS_OK && m->builder.status == STATUS_OK && tensor >= 0
               ? (struct model_tensor *)m->builder.tensors.items + tensor
               : NULL;
}

/* ---- activations ---- */

static float element(struct random_stream *s, enum row_kind kind, bool spike)
{
    const double v = random_normal(s);

    switch (kind) {
    case ROW_ZERO: return v < 0 ? -0.f : 0.f;
    case ROW_POSITIVE: return (float)(fabs(v) + 0.01);
    case ROW_NEGATIVE: return (float)(-fabs(v) - 0.01);
    case ROW_SPIKE: return (float)(spike ? 100 * v : v);
    default: return (float)v;
    }
}

/* Rows of normal numbers, of one sign, with an element 100 times as large, of zeros. */
static void fill_rows(struct case_builder *m, float *x, size_t rows, size_t depth, unsigned frame)
{
    struct random_stream s;

    begin(m, &s, frame);
    for (size_t r = 0; r < rows; r++) {
        const enum row_kind kind =
            (enum row_kind)(((size_t)row_of(m)->first + r + frame) % ROW_KINDS);
        const size_t spike = (size_t)random_below(&s, depth);

        for (size_t k = 0; k < depth; k++) {
            const float v = element(&s, kind, k == spike);

            x[r * depth + k] = m->request->half ? data_half(v) : v;
        }
    }
}

static int input_floats(struct case_builder *m, const struct shape *shape, size_t depth)
{
    const int x = case_declare_input(m, "x", shape, TENSOR_FLOAT32, sizeof(float));
    const size_t count = shape_elements(shape);

    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++) {
        float *const data = mem_alloc(count, sizeof *data);

        m->out->inputs[m->out->input_count - 1].data[frame] = data;
        if (!data) {
            case_fail_memory(m);
            break;
        }
        fill_rows(m, data, count / depth, depth, frame);
    }
    m->filled++;
    return x;
}

static int input_integers(struct case_builder *m, const struct shape *shape, float scale,
                          int64_t zero)
{
    const bool wide = m->c->type == TENSOR_INT16;
    const size_t count = shape_elements(shape), bytes = wide ? 2 : 1;
    const int x = case_declare_input(m, "x", shape, m->c->type, bytes);

    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++) {
        void *const data = mem_alloc(count, bytes);
        struct random_stream s;

        m->out->inputs[m->out->input_count - 1].data[frame] = data;
        begin(m, &s, frame);
        for (size_t i = 0; data && i < count; i++) {
            const int32_t q = (int32_t)random_below(&s, wide ? 65536 : 256) - (wide ? 32768 : 128);

            if (wide)
                ((int16_t *)data)[i] = (int16_t)q;
            else
                ((int8_t *)data)[i] = (int8_t)q;
        }
        if (!data)
            case_fail_memory(m);
    }
    m->filled++;
    if (m->status == STATUS_OK)
        builder_quantization(&m->builder, x, 1, &scale, &zero, 0);
    return x;
}

/* ---- weights ---- */

struct packed_type {
    int32_t type;
    unsigned bits;
    int32_t low, high;
};

static struct packed_type packed_of(const struct case_builder *m)
{
    const char *const name = m->c->type_name;

    if (strcmp(name, "u4") == 0)
        return (struct packed_type){ TENSOR_UINT4, 4, 0, 15 };
    return name[strlen(name) - 1] == '2' ? (struct packed_type){ TENSOR_INT2, 2, -2, 1 }
                                         : (struct packed_type){ TENSOR_INT4, 4, -8, 7 };
}

/* A scale with a full significand; for class fp16 one of so few bits that its products with
 * integers are exact in f16. */
static double draw_scale(const struct case_builder *m, struct random_stream *s, double size)
{
    const double v = size * between(s, 0.5, 1.5);
    int e;

    frexp(v, &e);
    return m->request->half ? ldexp(rint(ldexp(v, 6 - e)), e - 6) : v;
}

/* The f16 scales of blocks: tensor [units, blocks]. */
static int block_scales(struct case_builder *m, const struct shape *w, int32_t block, double size)
{
    const int32_t dims[2] = { w->d[0], w->d[1] / block };
    const size_t count = (size_t)(dims[0] * dims[1]);
    uint16_t *const halves = mem_alloc(count, sizeof *halves);
    struct random_stream s;
    int tensor;

    if (!halves) {
        case_fail_memory(m);
        return -1;
    }
    begin(m, &s, 1);
    for (size_t i = 0; i < count; i++) {
        halves[i] = float_to_half((float)draw_scale(m, &s, size));
        if (row_of(m)->flags & DENORMAL && i < (size_t)dims[1])
            halves[i] = (uint16_t)(1 + random_below(&s, m->request->half ? 255 : 1023));
    }
    tensor = builder_constant(&m->builder, TENSOR_FLOAT16, "scales", 2, dims, halves,
                              count * sizeof *halves);
    mem_free(halves);
    return tensor;
}

/* Gives a tensor one scale, or one for each index along the dimension; returns the first.  Zero
 * points lie within the range, of channels all over it. */
static float set_scales(struct case_builder *m, int tensor, const struct packed_type *p,
                        int32_t dimension, int32_t channels, double size)
{
    const struct row *const r = row_of(m);
    const size_t count = r->flags & CHANNELS ? (size_t)channels : 1;
    float *const scales = mem_alloc(count, sizeof *scales);
    int64_t *const zeros = mem_alloc(count, sizeof *zeros);
    struct random_stream s;
    float first = 0;

    if (!scales || !zeros)
        case_fail_memory(m);
    begin(m, &s, 1);
    for (size_t c = 0; scales && zeros && c < count; c++) {
        scales[c] = (float)draw_scale(m, &s, size);
        zeros[c] = r->flags & ZERO_POINTS
                       ? p->low + (int64_t)random_below(&s, (uint64_t)(p->high - p->low + 1))
                       : 0;
        first = scales[0];
    }
    if (m->status == STATUS_OK)
        builder_quantization(&m->builder, tensor, count, scales, zeros, count > 1 ? dimension : 0);
    mem_free(scales);
    mem_free(zeros);
    return first;
}

/* Integers of the whole range, the lowest one first, packed: the first in the low bits. */
static int packed_constant(struct case_builder *m, const char *name, const struct shape *shape,
                           const struct packed_type *p)
{
    const size_t count = shape_elements(shape), bytes = (count * p->bits + 7) / 8;
    const int32_t low = p->low + (row_of(m)->flags & SYMMETRIC ? 1 : 0);
    uint8_t *const data = mem_alloc(bytes, 1);
    struct random_stream s;
    int tensor;

    if (!data) {
        case_fail_memory(m);
        return -1;
    }
    begin(m, &s, 0);
    for (size_t i = 0; i < count; i++) {
        const int32_t drawn = low + (int32_t)random_below(&s, (uint64_t)(p->high - low + 1));

        packed_store(data, tensor_type_runtime(p->type), i, i == 0 ? low : drawn);
    }
    tensor =
        builder_constant(&m->builder, p->type, name, (size_t)shape->rank, shape->d, data, bytes);
    mem_free(data);
    return tensor;
}

/* Weights, whose channels lie along the dimension. */
static int weights(struct case_builder *m, int32_t dimension, double terms, float *scale)
{
    const struct row *const r = row_of(m);
    const struct packed_type p = packed_of(m);
    const double size = 1 / ((p.high + 1) * sqrt(terms));
    const int w = packed_constant(m, "weights", &r->w, &p);
    const int scales = r->block > 0 ? block_scales(m, &r->w, r->block, size) : -1;

    if (r->block == 0)
        *scale = set_scales(m, w, &p, dimension, r->w.d[dimension], size);
    else if (m->status == STATUS_OK)
        builder_blockwise(&m->builder, w, scales, r->block);
    m->filled++;
    return w;
}

/* ---- biases and results ---- */

static int bias_floats(struct case_builder *m, int32_t units)
{
    float *const values = mem_alloc((size_t)units, sizeof *values);
    struct random_stream s;
    int b = -1;

    begin(m, &s, 0);
    for (int32_t i = 0; values && i < units; i++) {
        values[i] = (float)random_normal(&s);
        if (m->request->half)
            values[i] = data_half(values[i]);
    }
    if (values)
        b = builder_constant(&m->builder, TENSOR_FLOAT32, "bias", 1, &units, values,
                             (size_t)units * sizeof *values);
    else
        case_fail_memory(m);
    mem_free(values);
    return b;
}

/* In steps of the products, about as large as their sum. */
static int bias_integers(struct case_builder *m, int32_t units, float x_scale, int weights,
                         double sum)
{
    const bool wide = m->c->type == TENSOR_INT16 && !(row_of(m)->flags & BIAS_32);
    const struct model_tensor *const w = tensor_of(m, weights);
    const size_t scale_count = w ? w->quantization.scale.count : 0;
    int64_t *const values = mem_alloc((size_t)units, sizeof *values);
    int64_t *const zeros = mem_alloc((size_t)units, sizeof *zeros);
    float *const scales = mem_alloc((size_t)units, sizeof *scales);
    struct random_stream s;
    int b = -1;

    begin(m, &s, 0);
    if (!values || !zeros || !scales) {
        case_fail_memory(m);
    } else if (w) {
        for (int32_t i = 0; i < units; i++) {
            const int32_t v = (int32_t)floor(sum * random_normal(&s));

            if (wide)
                values[i] = v;
            else
                ((int32_t *)values)[i] = v;
            zeros[i] = 0;
        }
        for (size_t i = 0; i < scale_count; i++)
            scales[i] = x_scale * w->quantization.scale.data[i];
        b = builder_constant(&m->builder, wide ? TENSOR_INT64 : TENSOR_INT32, "bias", 1, &units,
                             values, (size_t)units * (wide ? 8 : 4));
        builder_quantization(&m->builder, b, scale_count, scales, zeros, 0);
    }
    mem_free(values);
    mem_free(zeros);
    mem_free(scales);
    return b;
}

static int output(struct case_builder *m, const struct shape *shape, double scale, int64_t zero)
{
    const float f = (float)scale;
    const int y = case_output_of(m, "y", shape, m->c->quantized ? m->c->type : TENSOR_FLOAT32);

    if (m->c->quantized && m->status == STATUS_OK)
        builder_quantization(&m->builder, y, 1, &f, &zero, 0);
    return y;
}

/* A sum of products of x and the row's weights: inputs, operator and result. */
static void add_sum(struct case_builder *m, const struct options *options, int32_t dimension,
                    double terms, size_t depth, const struct shape *out)
{
    const struct row *const r = row_of(m);
    const bool wide = m->c->type == TENSOR_INT16;
    const double x_sd = wide ? 18918 : 74, w_sd = packed_of(m).bits == 4 ? 4.6 : 1.1;
    const double sum = x_sd * w_sd * sqrt(terms);
    const float x_scale = wide ? 0.00021f : 0.0317f;
    const int64_t zero = m->c->quantized && !wide ? -11 : 0;
    float w_scale = 1;
    int in[3], y;

    const bool has_bias = !(r->flags & (NO_BIAS | ABSENT_BIAS)), first = r->flags & CONSTANTS_FIRST;

    in[2] = first && has_bias ? bias_floats(m, r->units) : -1;
    if (first)
        in[1] = weights(m, dimension, terms, &w_scale);
    in[0] =
        m->c->quantized ? input_integers(m, &r->in, x_scale, zero) : input_floats(m, &r->in, depth);
    if (!first)
        in[1] = weights(m, dimension, terms, &w_scale);
    if (!first && has_bias)
        in[2] = m->c->quantized ? bias_integers(m, r->units, x_scale, in[1], sum / 2)
                                : bias_floats(m, r->units);
    m->filled++;
    y = output(m, out, sum * x_scale * w_scale * (wide ? 4. / 32768 : 4. / 128), wide ? 0 : 5);
    if (m->status == STATUS_OK)
        m->judged = builder_op(&m->builder, m->c->code, m->c->version, options,
                               r->flags & NO_BIAS ? 2 : 3, in, 1, &y);
}

/* ---- ops ---- */

static void set_bias_type(struct options *options, const struct case_builder *m)
{
    if (row_of(m)->flags & BIAS_32)
        options_set_int(options, "quantized_bias_type", TENSOR_INT32);
}

static void build_fully_connected(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    const int32_t depth = r->w.d[1];
    struct shape out = DIMS((int32_t)shape_elements(&r->in) / depth, r->units);
    struct options options;

    if (r->flags & KEEP_DIMS) {
        out = r->in;
        out.d[out.rank - 1] = r->units;
    }
    options_init(&options, OPTIONS_FullyConnectedOptions);
    options_set_int(&options, "fused_activation_function", r->activation);
    options_set_int(&options, "keep_num_dims", (r->flags & KEEP_DIMS) != 0);
    options_set_int(&options, "asymmetric_quantize_inputs", (r->flags & ASYMMETRIC_INPUTS) != 0);
    set_bias_type(&options, m);
    add_sum(m, &options, 0, depth, (size_t)depth, &out);
}

static void build_conv(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    const bool depthwise = m->c->code == BUILTIN_DEPTHWISE_CONV_2D;
    const bool same = r->padding != VALID;
    const struct shape out =
        DIMS(r->in.d[0], window_out(same, r->in.d[1], r->w.d[1], r->stride, r->dilation),
             window_out(same, r->in.d[2], r->w.d[2], r->stride, r->dilation), r->units);
    const int32_t taps = r->w.d[1] * r->w.d[2] * (depthwise ? 1 : r->w.d[3]);
    struct options options;

    options_init(&options, depthwise ? OPTIONS_DepthwiseConv2DOptions : OPTIONS_Conv2DOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", r->stride);
    options_set_int(&options, "stride_h", r->stride);
    options_set_int(&options, "dilation_w_factor", r->dilation);
    options_set_int(&options, "dilation_h_factor", r->dilation);
    options_set_int(&options, "fused_activation_function", r->activation);
    if (depthwise)
        options_set_int(&options, "depth_multiplier", r->units / r->in.d[3]);
    else
        set_bias_type(&options, m);
    add_sum(m, &options, depthwise ? 3 : 0, taps, shape_elements(&r->in) / (size_t)r->in.d[0],
            &out);
}

enum { IDS_MAX = 66001, IDS_DRAWN = 64 };

/* Ids in any order, the first and the last among them; many repeat, so that goldens are small. */
static int input_ids(struct case_builder *m, int32_t count, int32_t rows)
{
    const struct shape shape = DIMS(count);
    static int32_t ids[2][IDS_MAX];

    assert(count <= IDS_MAX);
    for (unsigned frame = 0; frame < 2; frame++) {
        struct random_stream s;

        begin(m, &s, frame);
        for (int32_t i = 0; i < count; i++)
            ids[frame][i] = i >= IDS_DRAWN ? ids[frame][i - IDS_DRAWN + 1]
                            : i == 1       ? rows - 1
                            : i == 2       ? 0
                                           : (int32_t)random_below(&s, (uint64_t)rows);
    }
    return case_input_values(m, "ids", &shape, TENSOR_INT32, ids[0], ids[1]);
}

static void build_embedding_lookup(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    struct shape out = r->w;
    float scale;
    const bool tied = r->flags & TIED, first = r->flags & CONSTANTS_FIRST;
    struct options options;
    int in[2], y;

    out.d[0] = r->units;
    if (first)
        in[1] = weights(m, 0, 1, &scale);
    in[0] = input_ids(m, r->units, r->w.d[0]);
    if (!first)
        in[1] = weights(m, 0, 1, &scale);
    y = tied ? case_tensor_f32(m, "rows", &out) : output(m, &out, 0, 0);
    if (m->status == STATUS_OK)
        m->judged = builder_op(&m->builder, m->c->code, m->c->version, NULL, 2, in, 1, &y);
    if (!tied || m->status != STATUS_OK)
        return;
    out.d[1] = r->w.d[0];
    in[0] = y;
    y = output(m, &out, 0, 0);
    options_init(&options, OPTIONS_FullyConnectedOptions);
    builder_op(&m->builder, BUILTIN_FULLY_CONNECTED, 6, &options, 2, in, 1, &y);
}

/* FULLY_CONNECTED, CONV_2D or ADD of the dequantized constant, by the rank of x and of w. */
static void build_dequantize(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    const struct packed_type p = packed_of(m);
    const struct options dequantize = { .tag = OPTIONS_DequantizeOptions };
    const bool adds = r->units == 0, conv = !adds && r->w.rank == 4;
    const int32_t dimension = adds || r->flags & LAST_AXIS ? r->w.rank - 1 : 0;
    struct shape out = r->in;
    struct options options;
    int in[3], constant, y;

    if (!adds)
        out.d[out.rank - 1] = r->units;
    in[0] = input_floats(m, &r->in, (size_t)r->in.d[r->in.rank - 1]);
    constant = packed_constant(m, "packed", &r->w, &p);
    set_scales(m, constant, &p, dimension, r->w.d[dimension], 0.05);
    m->filled++;
    in[1] = case_tensor_f32(m, "weights", &r->w);
    if (m->status == STATUS_OK)
        m->judged = builder_op(&m->builder, m->c->code, m->c->version, &dequantize, 1, &constant, 1,
                               &in[1]);
    in[2] = adds ? -1 : bias_floats(m, r->units);
    m->filled++;
    y = output(m, &out, 0, 0);
    options_init(&options, adds   ? OPTIONS_AddOptions
                           : conv ? OPTIONS_Conv2DOptions
                                  : OPTIONS_FullyConnectedOptions);
    if (conv) {
        options_set_int(&options, "stride_w", 1);
        options_set_int(&options, "stride_h", 1);
    }
    if (m->status == STATUS_OK)
        builder_op(&m->builder,
                   adds   ? BUILTIN_ADD
                   : conv ? BUILTIN_CONV_2D
                          : BUILTIN_FULLY_CONNECTED,
                   1, &options, adds ? 2 : 3, in, 1, &y);
}

void sub_byte_build(struct case_builder *m)
{
    switch (m->c->code) {
    case BUILTIN_FULLY_CONNECTED: build_fully_connected(m); break;
    case BUILTIN_EMBEDDING_LOOKUP: build_embedding_lookup(m); break;
    case BUILTIN_DEQUANTIZE: build_dequantize(m); break;
    default: build_conv(m); break;
    }
}
