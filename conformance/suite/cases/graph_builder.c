/* Adds ops to a graph, one function an op. */
#include "conformance/suite/cases/graph_builder.h"

#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/window.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <assert.h>
#include <math.h>

static const struct fill fill = { .terms = 1, .factors = 2 };

/* Weights of sums of products.  In 8 bits their scales depend on the number of products; floats are
 * drawn as if there were one. */
static int weights_of(struct case_builder *m, const struct shape *shape, int channel)
{
    struct fill of = fill;

    of.role = FILL_WEIGHTS;
    of.channel = channel;
    if (m->c->quantized || m->c->dynamic)
        of.terms = (double)shape_elements(shape) / shape->d[channel] + 1;
    else if (m->c->row->unit_gain)
        of.gain = 1 / sqrt((double)shape_elements(shape) / shape->d[channel]);
    return case_constant(m, "weights", shape, &of);
}

static int bias_of(struct case_builder *m, const struct shape *shape)
{
    struct fill of = fill;

    of.role = FILL_BIAS;
    if (m->c->quantized)
        of.terms = 16;
    return case_constant(m, "bias", shape, &of);
}

/* The version of an op with weights: in dynamic range one that has i8 weights. */
static int32_t dot_version(const struct case_builder *m, int32_t code, int32_t version)
{
    const struct op_facts *const facts = op_facts_find(code);
    const int32_t first = m->c->by_channel ? facts->hybrid_per_channel : facts->hybrid;

    return m->c->dynamic && version < first ? first : version;
}

int32_t graph_channels(struct value x)
{
    return x.shape.d[x.shape.rank - 1];
}

struct value graph_add_op(struct case_builder *m, int32_t code, int32_t version,
                          const struct options *options, size_t count, const int *inputs,
                          const struct shape *out)
{
    struct value y = { .shape = *out };

    y.tensor = case_tensor(m, "t", out);
    y.op = case_op(m, code, version, options, count, inputs, y.tensor);
    return y;
}

struct value graph_add_input(struct case_builder *m, const char *name, const struct shape *shape)
{
    return (struct value){ case_input(m, name, shape, &fill), *shape, -1 };
}

struct value graph_add_constant(struct case_builder *m, const struct shape *shape)
{
    return (struct value){ case_constant(m, "c", shape, &fill), *shape, -1 };
}

struct value graph_add_number(struct case_builder *m, const struct shape *shape, float v)
{
    float values[16];
    const size_t count = shape_elements(shape);
    struct value c = { -1, *shape, -1 };

    assert(!m->c->quantized && count <= sizeof values / sizeof values[0]);
    for (size_t i = 0; i < count; i++)
        values[i] = v;
    if (m->status == STATUS_OK)
        c.tensor = builder_constant(&m->builder, TENSOR_FLOAT32, "number", (size_t)shape->rank,
                                    shape->d, values, count * sizeof values[0]);
    return c;
}

struct value graph_add_input_f32(struct case_builder *m, const char *name,
                                 const struct shape *shape)
{
    return (struct value){ case_input_f32(m, name, shape, &fill), *shape, -1 };
}

struct value graph_add_quantize(struct case_builder *m, struct value x)
{
    const struct options options = { .tag = OPTIONS_QuantizeOptions };

    return graph_add_op(m, BUILTIN_QUANTIZE, 1, &options, 1, &x.tensor, &x.shape);
}

struct value graph_add_dequantize(struct case_builder *m, struct value x)
{
    const struct options options = { .tag = OPTIONS_DequantizeOptions };
    struct value y = { .shape = x.shape };

    y.tensor = case_tensor_f32(m, "wide", &x.shape);
    y.op = case_op(m, BUILTIN_DEQUANTIZE, 1, &options, 1, &x.tensor, y.tensor);
    return y;
}

void graph_add_output(struct case_builder *m, struct value y)
{
    assert(m->output_count < CASE_OUTPUTS_MAX);
    m->outputs[m->output_count++] = y.tensor;
}

void graph_add_judged_output(struct case_builder *m, struct value y)
{
    graph_add_output(m, y);
    case_set_judged(m, y.op);
}

struct value graph_add_per_channel(struct case_builder *m, struct value x)
{
    return graph_add_constant(m, &(struct shape)DIMS(graph_channels(x)));
}

struct value graph_add_unary(struct case_builder *m, int32_t code, struct value x)
{
    if (m->c->quantized && m->c->type == TENSOR_UINT8 && op_facts_find(code)->u8 == OP_NONE)
        code = BUILTIN_LOGISTIC; /* which has u8 */
    return graph_add_op(m, code, 1, NULL, 1, &x.tensor, &x.shape);
}

struct value graph_add_binary(struct case_builder *m, int32_t code, struct value a, struct value b,
                              int activation)
{
    const struct shape out = shape_broadcast(&a.shape, &b.shape);
    struct options options;

    options_init(&options, ref_find(code)->options_tag);
    if (op_facts_find(code)->fused_activation)
        options_set_int(&options, "fused_activation_function", activation);
    return graph_add_op(m, code, 1, &options, 2, (const int[]){ a.tensor, b.tensor }, &out);
}

struct value graph_add_prelu(struct case_builder *m, struct value x)
{
    const struct value alpha = graph_add_per_channel(m, x);

    return graph_add_op(m, BUILTIN_PRELU, 1, NULL, 2, (const int[]){ x.tensor, alpha.tensor },
                        &x.shape);
}

static void set_window(struct options *options, const struct graph_window *w)
{
    options_set_int(options, "padding", w->valid);
    options_set_int(options, "stride_w", window_or_one(w->stride));
    options_set_int(options, "stride_h", window_or_one(w->stride));
    options_set_int(options, "fused_activation_function", w->activation);
}

static struct shape image_of(struct value x, const struct graph_window *w, int32_t channels)
{
    const int32_t stride = window_or_one(w->stride);

    assert(x.shape.rank == 4);
    return (struct shape)DIMS(x.shape.d[0], window_out(!w->valid, x.shape.d[1], w->h, stride, 1),
                              window_out(!w->valid, x.shape.d[2], w->w, stride, 1), channels);
}

struct value graph_add_conv_bias(struct case_builder *m, int32_t channels)
{
    const struct shape bias = DIMS(channels);

    return (struct value){ bias_of(m, &bias), bias, -1 };
}

struct graph_conv_constants graph_add_conv_constants(struct case_builder *m, struct value x,
                                                     const struct graph_window *w)
{
    const struct shape weights =
        DIMS(w->out, w->h, w->w, graph_channels(x) / window_or_one(w->groups));
    struct graph_conv_constants shared;

    shared.weights = (struct value){ weights_of(m, &weights, 0), weights, -1 };
    shared.bias = graph_add_conv_bias(m, w->out);
    return shared;
}

struct value graph_add_conv_2d_with(struct case_builder *m, struct value x,
                                    const struct graph_window *w,
                                    const struct graph_conv_constants *shared)
{
    const struct shape out = image_of(x, w, w->out);
    struct options options;

    options_init(&options, OPTIONS_Conv2DOptions);
    set_window(&options, w);
    return graph_add_op(
        m, BUILTIN_CONV_2D, dot_version(m, BUILTIN_CONV_2D, w->groups > 1 ? 6 : 1), &options, 3,
        (const int[]){ x.tensor, shared->weights.tensor, shared->bias.tensor }, &out);
}

struct value graph_add_conv_2d(struct case_builder *m, struct value x, const struct graph_window *w)
{
    const struct graph_conv_constants own = graph_add_conv_constants(m, x, w);

    return graph_add_conv_2d_with(m, x, w, &own);
}

struct value graph_add_depthwise_conv_2d(struct case_builder *m, struct value x,
                                         const struct graph_window *w)
{
    const int32_t multiplier = window_or_one(w->multiplier),
                  channels = graph_channels(x) * multiplier;
    const struct shape weights = DIMS(1, w->h, w->w, channels), bias = DIMS(channels);
    const struct shape out = image_of(x, w, channels);
    struct options options;
    int in[3];

    in[0] = x.tensor;
    in[1] = weights_of(m, &weights, 3);
    in[2] = bias_of(m, &bias);
    options_init(&options, OPTIONS_DepthwiseConv2DOptions);
    set_window(&options, w);
    options_set_int(&options, "depth_multiplier", multiplier);
    return graph_add_op(m, BUILTIN_DEPTHWISE_CONV_2D, dot_version(m, BUILTIN_DEPTHWISE_CONV_2D, 1),
                        &options, 3, in, &out);
}

struct value graph_add_transpose_conv(struct case_builder *m, struct value x,
                                      const struct graph_window *w)
{
    const int32_t stride = window_or_one(w->stride);
    const struct shape weights = DIMS(w->out, w->h, w->w, graph_channels(x)), bias = DIMS(w->out);
    const struct shape out =
        DIMS(x.shape.d[0], x.shape.d[1] * stride, x.shape.d[2] * stride, w->out);
    const struct shape vector = DIMS(4);
    struct options options;
    int in[4];

    assert(!w->valid && !w->activation);
    in[0] = case_constant_i32(m, "output_shape", &vector, out.d);
    in[1] = weights_of(m, &weights, 0);
    in[2] = x.tensor;
    in[3] = bias_of(m, &bias);
    options_init(&options, OPTIONS_TransposeConvOptions);
    set_window(&options, w);
    return graph_add_op(m, BUILTIN_TRANSPOSE_CONV, 3, &options, 4, in, &out);
}

struct value graph_add_pool(struct case_builder *m, int32_t code, struct value x,
                            const struct graph_window *w)
{
    const struct shape out = image_of(x, w, graph_channels(x));
    struct options options;

    options_init(&options, OPTIONS_Pool2DOptions);
    set_window(&options, w);
    options_set_int(&options, "filter_width", w->w);
    options_set_int(&options, "filter_height", w->h);
    return graph_add_op(m, code, 1, &options, 1, &x.tensor, &out);
}

struct value graph_add_fully_connected(struct case_builder *m, struct value x, int32_t units,
                                       bool keep, int activation)
{
    const int32_t rows = x.shape.d[0];
    const int32_t depth = keep ? graph_channels(x) : (int32_t)shape_elements(&x.shape) / rows;
    const struct shape weights = DIMS(units, depth), bias = DIMS(units);
    struct shape out = DIMS(rows, units);
    struct options options;
    int in[3];

    if (keep) {
        out = x.shape;
        out.d[out.rank - 1] = units;
    }
    in[0] = x.tensor;
    in[1] = weights_of(m, &weights, 0);
    in[2] = bias_of(m, &bias);
    options_init(&options, OPTIONS_FullyConnectedOptions);
    options_set_int(&options, "fused_activation_function", activation);
    options_set_int(&options, "keep_num_dims", keep);
    return graph_add_op(m, BUILTIN_FULLY_CONNECTED,
                        dot_version(m, BUILTIN_FULLY_CONNECTED, keep ? 5 : 1), &options, 3, in,
                        &out);
}

struct value graph_add_batch_matmul(struct case_builder *m, struct value x, int32_t columns,
                                    bool adj_y)
{
    const int32_t depth = graph_channels(x);
    const struct shape swapped = DIMS(columns, depth), plain = DIMS(depth, columns);
    const struct shape *const y = adj_y ? &swapped : &plain;
    struct fill of = fill;
    struct shape out = x.shape;
    struct options options;
    int in[2];

    of.unscaled = true;
    if (!m->c->quantized && m->c->row->unit_gain)
        of.gain = 1 / sqrt((double)depth);
    out.d[out.rank - 1] = columns;
    in[0] = x.tensor;
    in[1] = case_constant(m, "matrix", y, &of);
    if (m->c->quantized && case_scale_of(m, in[1]))
        case_scale_of(m, in[1])->terms = depth;
    options_init(&options, OPTIONS_BatchMatMulOptions);
    options_set_int(&options, "adj_y", adj_y);
    return graph_add_op(m, BUILTIN_BATCH_MATMUL, 1, &options, 2, in, &out);
}

struct value graph_add_best(struct case_builder *m, int32_t code, int tag, struct value x,
                            int32_t axis, int32_t type)
{
    const struct shape scalar = SCALAR;
    struct value y = { .shape.rank = 0 };
    struct options options;
    int in[2];

    for (int i = 0; i < x.shape.rank; i++) {
        if (i != axis)
            y.shape.d[y.shape.rank++] = x.shape.d[i];
    }
    options_init(&options, tag);
    options_set_int(&options, "output_type", type);
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "axis", &scalar, &axis);
    y.tensor = case_tensor_of(m, "t", &y.shape, type);
    y.op = case_op(m, code, 1, &options, 2, in, y.tensor);
    return y;
}

struct value graph_add_reduction(struct case_builder *m, int32_t code, struct value x,
                                 unsigned axes, bool keep)
{
    int32_t list[SHAPE_RANK_MAX];
    struct shape vector = { .rank = 1 }, out = { .rank = 0 };
    struct options options;
    int in[2];

    for (int i = 0; i < x.shape.rank; i++) {
        if (axes >> i & 1)
            list[vector.d[0]++] = i;
        if (!(axes >> i & 1) || keep)
            out.d[out.rank++] = axes >> i & 1 ? 1 : x.shape.d[i];
    }
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "axes", &vector, list);
    options_init(&options, OPTIONS_ReducerOptions);
    options_set_int(&options, "keep_dims", keep);
    return graph_add_op(m, code, 1, &options, 2, in, &out);
}

struct value graph_add_mean(struct case_builder *m, struct value x, unsigned axes, bool keep)
{
    return graph_add_reduction(m, BUILTIN_MEAN, x, axes, keep);
}

struct value graph_add_softmax(struct case_builder *m, struct value x)
{
    struct options options;

    options_init(&options, OPTIONS_SoftmaxOptions);
    options_set_float(&options, "beta", 1);
    return graph_add_op(m, BUILTIN_SOFTMAX, 1, &options, 1, &x.tensor, &x.shape);
}

struct value graph_add_reshape(struct case_builder *m, struct value x, const struct shape *shape)
{
    const struct shape vector = { .rank = 1, .d = { shape->rank } };
    struct options options;
    int in[2];

    assert(shape_elements(shape) == shape_elements(&x.shape));
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "shape", &vector, shape->d);
    options_init(&options, OPTIONS_ReshapeOptions);
    options_set_ints(&options, "new_shape", shape->d, (size_t)shape->rank);
    return graph_add_op(m, BUILTIN_RESHAPE, 1, &options, 2, in, shape);
}

struct value graph_add_pad(struct case_builder *m, struct value x, int32_t around, int32_t channels)
{
    return graph_add_pad_sides(
        m, x, (const int32_t[]){ 0, 0, around, around, around, around, 0, channels });
}

struct value graph_add_pad_sides(struct case_builder *m, struct value x, const int32_t pads[8])
{
    const struct shape table = DIMS(4, 2);
    const struct options options = { .tag = OPTIONS_PadOptions };
    struct shape out = x.shape;

    assert(x.shape.rank == 4);
    for (int i = 0; i < 4; i++)
        out.d[i] += pads[2 * i] + pads[2 * i + 1];
    return graph_add_op(m, BUILTIN_PAD, 1, &options, 2,
                        (const int[]){ x.tensor, case_constant_i32(m, "paddings", &table, pads) },
                        &out);
}

struct value graph_add_concatenation(struct case_builder *m, size_t count,
                                     const struct value *values, int axis)
{
    struct shape out = values[0].shape;
    struct options options;
    int in[CASE_INPUTS_MAX];

    assert(count <= CASE_INPUTS_MAX);
    out.d[axis] = 0;
    for (size_t i = 0; i < count; i++) {
        in[i] = values[i].tensor;
        out.d[axis] += values[i].shape.d[axis];
    }
    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", axis);
    return graph_add_op(m, BUILTIN_CONCATENATION, 1, &options, count, in, &out);
}

struct value graph_add_strided_slice(struct case_builder *m, struct value x, int axis,
                                     int32_t begin, int32_t length, int32_t stride)
{
    const struct shape vector = { .rank = 1, .d = { x.shape.rank } };
    int32_t from[SHAPE_RANK_MAX], to[SHAPE_RANK_MAX], strides[SHAPE_RANK_MAX];
    struct shape out = x.shape;
    struct options options;
    int in[4];

    for (int i = 0; i < x.shape.rank; i++) {
        from[i] = 0;
        to[i] = x.shape.d[i];
        strides[i] = 1;
    }
    out.d[axis] = length;
    from[axis] = begin;
    to[axis] = begin + length * stride;
    strides[axis] = stride;
    options_init(&options, OPTIONS_StridedSliceOptions);
    if (to[axis] < 0) { /* a negative end would count from the end of the axis */
        to[axis] = 0;
        options_set_int(&options, "end_mask", 1 << axis);
    }
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "begin", &vector, from);
    in[2] = case_constant_i32(m, "end", &vector, to);
    in[3] = case_constant_i32(m, "strides", &vector, strides);
    return graph_add_op(m, BUILTIN_STRIDED_SLICE, 1, &options, 4, in, &out);
}

struct value graph_add_transpose(struct case_builder *m, struct value x, const int *perm)
{
    const struct shape vector = { .rank = 1, .d = { x.shape.rank } };
    const struct options options = { .tag = OPTIONS_TransposeOptions };
    int32_t values[SHAPE_RANK_MAX];
    struct shape out = x.shape;

    for (int d = 0; d < x.shape.rank; d++) {
        values[d] = perm[d];
        out.d[d] = x.shape.d[perm[d]];
    }
    return graph_add_op(m, BUILTIN_TRANSPOSE, 1, &options, 2,
                        (const int[]){ x.tensor, case_constant_i32(m, "perm", &vector, values) },
                        &out);
}

struct value graph_add_slice(struct case_builder *m, struct value x, int axis, int32_t begin,
                             int32_t size)
{
    const struct shape vector = { .rank = 1, .d = { x.shape.rank } };
    const struct options options = { .tag = OPTIONS_SliceOptions };
    int32_t begins[SHAPE_RANK_MAX] = { 0 };
    struct shape out = x.shape;
    int in[3];

    begins[axis] = begin;
    out.d[axis] = size;
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "begin", &vector, begins);
    in[2] = case_constant_i32(m, "size", &vector, out.d);
    return graph_add_op(m, BUILTIN_SLICE, 1, &options, 3, in, &out);
}

struct value graph_add_tile(struct case_builder *m, struct value x, int axis, int32_t times)
{
    const struct shape vector = { .rank = 1, .d = { x.shape.rank } };
    const struct options options = { .tag = OPTIONS_TileOptions };
    int32_t multiples[SHAPE_RANK_MAX];
    struct shape out = x.shape;

    for (int d = 0; d < x.shape.rank; d++)
        multiples[d] = d == axis ? times : 1;
    out.d[axis] *= times;
    return graph_add_op(
        m, BUILTIN_TILE, 1, &options, 2,
        (const int[]){ x.tensor, case_constant_i32(m, "multiples", &vector, multiples) }, &out);
}

struct value graph_add_expand_dims(struct case_builder *m, struct value x, int axis)
{
    const struct options options = { .tag = OPTIONS_ExpandDimsOptions };
    const struct shape scalar = SCALAR;
    const int32_t value = axis;
    struct shape out = { .rank = x.shape.rank + 1 };

    for (int d = 0; d < out.rank; d++)
        out.d[d] = d == axis ? 1 : x.shape.d[d - (d > axis)];
    return graph_add_op(m, BUILTIN_EXPAND_DIMS, 1, &options, 2,
                        (const int[]){ x.tensor, case_constant_i32(m, "axis", &scalar, &value) },
                        &out);
}

struct value graph_add_pack(struct case_builder *m, size_t count, const struct value *values,
                            int axis)
{
    struct shape out = { .rank = values[0].shape.rank + 1 };
    struct options options;
    int in[CASE_INPUTS_MAX];

    assert(count <= CASE_INPUTS_MAX);
    for (int d = 0; d < out.rank; d++)
        out.d[d] = d == axis ? (int32_t)count : values[0].shape.d[d - (d > axis)];
    for (size_t i = 0; i < count; i++)
        in[i] = values[i].tensor;
    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", (int32_t)count);
    options_set_int(&options, "axis", axis);
    return graph_add_op(m, BUILTIN_PACK, 1, &options, count, in, &out);
}

struct value graph_add_space_to_depth(struct case_builder *m, int32_t code, struct value x,
                                      bool to_depth)
{
    const int32_t block = 2;
    struct shape out = x.shape;
    struct options options;

    for (int d = 1; d < 4; d++) {
        const int32_t factor = d == 3 ? block * block : block;

        out.d[d] = to_depth == (d == 3) ? x.shape.d[d] * factor : x.shape.d[d] / factor;
    }
    options_init(&options, to_depth ? OPTIONS_SpaceToDepthOptions : OPTIONS_DepthToSpaceOptions);
    options_set_int(&options, "block_size", block);
    return graph_add_op(m, code, 1, &options, 1, &x.tensor, &out);
}

struct value graph_add_resize_bilinear(struct case_builder *m, struct value x, int32_t h, int32_t w,
                                       bool half_pixel)
{
    const struct shape out = DIMS(x.shape.d[0], h, w, graph_channels(x)), vector = DIMS(2);
    struct options options;
    int in[2];

    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "size", &vector, &out.d[1]);
    options_init(&options, OPTIONS_ResizeBilinearOptions);
    options_set_int(&options, "half_pixel_centers", half_pixel);
    return graph_add_op(m, BUILTIN_RESIZE_BILINEAR, half_pixel ? 3 : 1, &options, 2, in, &out);
}

struct value graph_add_resize_nearest(struct case_builder *m, struct value x, int32_t h, int32_t w,
                                      bool align_corners)
{
    const struct shape out = DIMS(x.shape.d[0], h, w, graph_channels(x)), vector = DIMS(2);
    struct options options;
    int in[2];

    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "size", &vector, &out.d[1]);
    options_init(&options, OPTIONS_ResizeNearestNeighborOptions);
    options_set_int(&options, "align_corners", align_corners);
    return graph_add_op(m, BUILTIN_RESIZE_NEAREST_NEIGHBOR, 1, &options, 2, in, &out);
}

struct value graph_add_mirror_pad(struct case_builder *m, struct value x, int32_t around,
                                  bool symmetric)
{
    const int32_t pads[] = { 0, 0, around, around, around, around, 0, 0 };
    const struct shape table = DIMS(4, 2);
    const struct shape out =
        DIMS(x.shape.d[0], x.shape.d[1] + 2 * around, x.shape.d[2] + 2 * around, graph_channels(x));
    struct options options;

    options_init(&options, OPTIONS_MirrorPadOptions);
    options_set_int(&options, "mode", symmetric);
    return graph_add_op(m, BUILTIN_MIRROR_PAD, 1, &options, 2,
                        (const int[]){ x.tensor, case_constant_i32(m, "paddings", &table, pads) },
                        &out);
}

struct value graph_add_lstm(struct case_builder *m, struct value x, int32_t cells)
{
    enum { TANH = 4, BASIC = 1 }; /* codes of the file format */
    const int32_t batch = x.shape.d[0], width = graph_channels(x) + cells;
    const struct shape state = DIMS(batch, cells), joined = DIMS(batch, width);
    const struct shape gates = DIMS(batch, 4 * cells);
    const struct shape weights = DIMS(4 * cells, width), bias = DIMS(4 * cells);
    struct value y = { .shape = state };
    struct fill factors = fill;
    struct options options;
    int in[5], out[4];

    assert(x.shape.rank == 2);
    if (m->c->row->unit_gain)
        factors.gain = 1 / sqrt(width);
    in[0] = x.tensor;
    in[1] = case_variable_f32(m, "h_prev", &state);
    in[2] = case_constant(m, "weights", &weights, &factors);
    in[3] = case_constant(m, "bias", &bias, &fill);
    in[4] = case_variable_f32(m, "c_prev", &state);
    out[0] = case_tensor(m, "h", &state);
    out[1] = case_tensor(m, "c", &state);
    out[2] = case_tensor(m, "x_h", &joined);
    out[3] = case_tensor(m, "z", &gates);
    options_init(&options, OPTIONS_LSTMOptions);
    options_set_int(&options, "fused_activation_function", TANH);
    options_set_int(&options, "kernel_type", BASIC);
    y.tensor = out[0];
    if (m->status == STATUS_OK)
        y.op = builder_op(&m->builder, BUILTIN_LSTM, 2, &options, 5, in, 4, out);
    return y;
}
