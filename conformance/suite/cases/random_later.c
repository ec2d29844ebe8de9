/* Several ops make one node where what lies between has no use of its own: the arithmetic of a
 * shape, or indices that another op reads. */
#include "conformance/suite/cases/random_graph.h"

#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/window.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

static const struct shape scalar = SCALAR;
static const struct fill fill = { .terms = 1, .factors = 2 };

/* An op of floats that needs no scale, or of integers that have none. */
static void add(struct case_builder *m, int32_t code, int32_t version,
                const struct options *options, size_t in_count, const int *in, size_t out_count,
                const int *out)
{
    if (m->status == STATUS_OK)
        builder_op(&m->builder, code, version, options, in_count, in, out_count, out);
}

static void add_custom(struct case_builder *m, int32_t code, size_t in_count, const int *in,
                       size_t out_count, const int *out, const void *options, size_t bytes)
{
    if (m->status == STATUS_OK)
        builder_custom_options(&m->builder,
                               builder_op(&m->builder, code, 1, NULL, in_count, in, out_count, out),
                               options, bytes);
}

/* SHAPE of x. */
static int add_shape(struct case_builder *m, struct value x)
{
    const struct shape vector = DIMS(x.shape.rank);
    const int sizes = case_tensor_i32(m, "sizes", &vector);
    struct options options;

    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", TENSOR_INT32);
    add(m, BUILTIN_SHAPE, 1, &options, 1, &x.tensor, 1, &sizes);
    return sizes;
}

/* The size of one dimension of x, a scalar, by STRIDED_SLICE. */
static int add_size(struct case_builder *m, struct value x, int32_t axis)
{
    const struct shape one = DIMS(1);
    const int32_t end = axis + 1, stride = 1;
    const int in[] = { add_shape(m, x), case_constant_i32(m, "begin", &one, &axis),
                       case_constant_i32(m, "end", &one, &end),
                       case_constant_i32(m, "stride", &one, &stride) };
    const int size = case_tensor_i32(m, "size", &scalar);
    struct options options;

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "shrink_axis_mask", 1);
    add(m, BUILTIN_STRIDED_SLICE, 1, &options, 4, in, 1, &size);
    return size;
}

/* x as [first dimension, the rest]: SHAPE, STRIDED_SLICE, PACK, RESHAPE. */
static bool add_flatten(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    struct shape flat = DIMS(1, 1);
    const struct shape two = DIMS(2);
    struct options options;
    int parts[2], in[2];

    if (x.shape.rank < 2)
        return false;
    flat.d[0] = x.shape.d[0];
    flat.d[1] = (int32_t)shape_elements(&x.shape) / x.shape.d[0];
    parts[0] = add_size(m, x, 0);
    parts[1] = random_choice(call, 0, 2) ? case_constant_i32(m, "rest", &scalar, &flat.d[1])
                                         : case_constant_i32(m, "rest", &scalar, (int32_t[]){ -1 });
    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", 2);
    in[0] = x.tensor;
    in[1] = case_tensor_i32(m, "shape", &two);
    add(m, BUILTIN_PACK, 1, &options, 2, parts, 1, &in[1]);
    options_init(&options, OPTIONS_ReshapeOptions);
    call->out.value = graph_add_op(m, BUILTIN_RESHAPE, 1, &options, 2, in, &flat);
    return true;
}

/* Every other slice of a dimension: GATHER by RANGE(0, size, 2). */
static bool add_every_other(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    struct shape out = x.shape, places = DIMS(1);
    struct options options;
    int32_t axis;
    int limits[3], in[2];

    if (x.shape.rank == 0)
        return false;
    axis = (int32_t)random_choice(call, 0, (uint32_t)x.shape.rank);
    places.d[0] = out.d[axis] = (out.d[axis] + 1) / 2;
    limits[0] = case_constant_i32(m, "start", &scalar, (int32_t[]){ 0 });
    limits[1] = add_size(m, x, axis);
    limits[2] = case_constant_i32(m, "delta", &scalar, (int32_t[]){ 2 });
    in[0] = x.tensor;
    in[1] = case_tensor_i32(m, "places", &places);
    options_init(&options, OPTIONS_RangeOptions);
    add(m, BUILTIN_RANGE, 1, &options, 3, limits, 1, &in[1]);
    options_init(&options, OPTIONS_GatherOptions);
    options_set_int(&options, "axis", axis);
    call->out.value = graph_add_op(m, BUILTIN_GATHER, 1, &options, 2, in, &out);
    return true;
}

/* x + FILL(SHAPE(x), 0.5). */
static bool add_filled(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    struct options options;
    int in[2], filled;

    if (x.shape.rank == 0)
        return false;
    in[0] = add_shape(m, x);
    in[1] = graph_add_number(m, &scalar, 0.5F).tensor;
    filled = case_tensor_f32(m, "filled", &x.shape);
    options_init(&options, OPTIONS_FillOptions);
    add(m, BUILTIN_FILL, 1, &options, 2, in, 1, &filled);
    call->out.peak += 0.5;
    call->out.value =
        graph_add_binary(m, BUILTIN_ADD, x, (struct value){ filled, x.shape, -1 }, ACTIVATION_NONE);
    return true;
}

static int add_best(struct case_builder *m, struct value x, int32_t axis, int32_t type,
                    struct shape *out)
{
    const int in[] = { x.tensor, case_constant_i32(m, "axis", &scalar, &axis) };
    struct options options;
    int best;

    *out = scalar;
    for (int i = 0; i < x.shape.rank; i++)
        if (i != axis)
            out->d[out->rank++] = x.shape.d[i];
    best = case_tensor_of(m, "best", out, type);
    options_init(&options, OPTIONS_ArgMaxOptions);
    options_set_int(&options, "output_type", type);
    add(m, BUILTIN_ARG_MAX, m->c->type == TENSOR_INT8 && m->c->quantized ? 2 : 1, &options, 2, in,
        1, &best);
    return best;
}

/* ARG_MAX to i64. */
static bool add_wide_best(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank == 0)
        return false;
    call->out.kind = RANDOM_INDICES;
    call->out.value = (struct value){ .op = -1 };
    call->out.value.tensor = add_best(m, x, (int32_t)random_choice(call, 0, (uint32_t)x.shape.rank),
                                      TENSOR_INT64, &call->out.value.shape);
    return true;
}

/* Rows of a constant table at the ARG_MAX of the last dimension: an embedding. */
static bool add_embedding(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int32_t wide = (int32_t)random_choice(call, 0, 2);
    const int32_t columns = random_channels(call, 1);
    struct shape out, table;
    struct options options;
    int in[2];

    if (x.shape.rank == 0 || x.shape.rank > 4)
        return false;
    table = (struct shape)DIMS(x.shape.d[x.shape.rank - 1], columns);
    in[1] = add_best(m, x, x.shape.rank - 1, wide ? TENSOR_INT64 : TENSOR_INT32, &out);
    out.d[out.rank++] = columns;
    in[0] = case_constant(m, "table", &table, &fill);
    options_init(&options, OPTIONS_GatherOptions);
    call->out.peak = 4;
    call->out.value = graph_add_op(m, BUILTIN_GATHER, 1, &options, 2, in, &out);
    return true;
}

/* The largest of each row. */
static bool add_top(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    struct value y = { .shape = x.shape, .op = -1 };
    const struct options options = { .tag = OPTIONS_TopKV2Options };
    int32_t k;
    int in[2], out[2];

    if (x.shape.rank == 0)
        return false;
    k = 1 + (int32_t)random_choice(call, 0, 5);
    k = k < x.shape.d[x.shape.rank - 1] ? k : x.shape.d[x.shape.rank - 1];
    y.shape.d[x.shape.rank - 1] = k;
    in[0] = x.tensor;
    in[1] = case_constant_i32(m, "k", &scalar, &k);
    out[0] = y.tensor = case_tensor(m, "values", &y.shape);
    out[1] = case_tensor_i32(m, "indices", &y.shape);
    add(m, BUILTIN_TOPK_V2, 1, &options, 2, in, 2, out);
    call->out.value = y;
    return true;
}

/* Rows of x, last first, among rows of zeros: SCATTER_ND, which runs on the CPU. */
static bool add_scattered(struct case_builder *m, struct random_call *call)
{
    enum { ROWS_MAX = 8 };
    const struct value x = call->in[0].value;
    struct shape out = x.shape, places = DIMS(1, 1), vector = DIMS(1);
    const struct options options = { .tag = OPTIONS_ScatterNdOptions };
    int32_t at[ROWS_MAX];
    int in[3];

    if (x.shape.rank == 0 || x.shape.d[0] > ROWS_MAX)
        return false;
    out.d[0] += 1 + (int32_t)random_choice(call, 0, 2);
    for (int32_t i = 0; i < x.shape.d[0]; i++)
        at[i] = out.d[0] - 1 - i;
    places.d[0] = x.shape.d[0];
    vector.d[0] = out.rank;
    in[0] = case_constant_i32(m, "places", &places, at);
    in[1] = x.tensor;
    in[2] = case_constant_i32(m, "shape", &vector, out.d);
    call->out.value = graph_add_op(m, BUILTIN_SCATTER_ND, 1, &options, 3, in, &out);
    return true;
}

/* MediaPipe's transposed convolution. */
static bool add_transpose_bias(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int32_t channels = random_channels(call, 1),
                  side = 2 + (int32_t)random_choice(call, 0, 2);
    const int32_t options[] = { kTfLitePaddingSame, 2, 2 };
    struct value y = { .op = -1 };
    struct shape weights, bias;
    struct fill of = fill;
    int in[3];

    if (x.shape.rank != 4)
        return false;
    y.shape = (struct shape)DIMS(x.shape.d[0], 2 * x.shape.d[1], 2 * x.shape.d[2], channels);
    weights = (struct shape)DIMS(channels, side, side, x.shape.d[3]);
    bias = (struct shape)DIMS(channels);
    of.role = FILL_WEIGHTS;
    of.gain = 1 / sqrt((double)side * side * x.shape.d[3]);
    in[0] = x.tensor;
    in[1] = case_constant_f32(m, "weights", &weights, &of);
    in[2] = case_constant_f32(m, "bias", &bias, &fill);
    y.tensor = case_tensor(m, "t", &y.shape);
    add_custom(m, BUILTIN_CONVOLUTION_2D_TRANSPOSE_BIAS, 3, in, 1, &y.tensor, options,
               sizeof options);
    random_set_dot_peak(call);
    call->out.value = y;
    return true;
}

/* MediaPipe's pool with indices, and its inverse behind it. */
static bool add_unpooled(struct case_builder *m, struct random_call *call)
{
    int32_t pool[] = { kTfLitePaddingSame, 2, 2, 2, 2, kTfLiteActNone };
    const struct value x = call->in[0].value;
    struct value y = { .op = -1 };
    struct shape small;
    int out[2];

    if (x.shape.rank != 4)
        return false;
    small = x.shape;
    small.d[1] = window_out(true, x.shape.d[1], 2, 2, 1);
    small.d[2] = window_out(true, x.shape.d[2], 2, 2, 1);
    y.shape = small;
    y.shape.d[1] *= 2;
    y.shape.d[2] *= 2;
    out[0] = case_tensor(m, "values", &small);
    out[1] = case_tensor(m, "indices", &small);
    add_custom(m, BUILTIN_MAX_POOLING_WITH_ARGMAX_2D, 1, &x.tensor, 2, out, pool, sizeof pool);
    y.tensor = case_tensor(m, "t", &y.shape);
    pool[0] = kTfLitePaddingValid;
    add_custom(m, BUILTIN_MAX_UNPOOLING_2D, 2, out, 1, &y.tensor, pool, sizeof pool);
    call->out.value = y;
    return true;
}

/* A step of SVDF, with a state of its own. */
static bool add_svdf(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int32_t units = random_channels(call, 0), rank = 1 + (int32_t)random_choice(call, 1, 2);
    const int32_t memory = 1 + (int32_t)random_choice(call, 2, 5), filters = units * rank;
    struct value y = { .op = -1 };
    struct fill of = fill;
    struct shape shapes[4];
    struct options options;
    int in[5];

    if (x.shape.rank != 2)
        return false;
    y.shape = (struct shape)DIMS(x.shape.d[0], units);
    shapes[0] = (struct shape)DIMS(filters, x.shape.d[1]);
    shapes[1] = (struct shape)DIMS(filters, memory);
    shapes[2] = (struct shape)DIMS(units);
    shapes[3] = (struct shape)DIMS(x.shape.d[0], filters * memory);
    of.role = FILL_WEIGHTS;
    of.gain = 1 / sqrt(x.shape.d[1]);
    in[0] = x.tensor;
    in[1] = case_constant_f32(m, "feature", &shapes[0], &of);
    of.gain = 1 / sqrt((double)rank * memory);
    in[2] = case_constant_f32(m, "time", &shapes[1], &of);
    in[3] = case_constant_f32(m, "bias", &shapes[2], &fill);
    in[4] = case_variable_f32(m, "state", &shapes[3]);
    options_init(&options, OPTIONS_SVDFOptions);
    options_set_int(&options, "rank", rank);
    y.tensor = case_tensor(m, "t", &y.shape);
    add(m, BUILTIN_SVDF, 1, &options, 5, in, 1, &y.tensor);
    random_set_dot_peak(call);
    call->out.value = y;
    return true;
}

#define FLOATS TYPE_BIT(CASE_F32)
#define ANY    TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I8PC)
#define LATER(name, code_, types_, add_)                                                           \
    {                                                                                              \
        .op = (name), .code = BUILTIN_##code_, .version = 1, .types = (types_), .random = {        \
            .operands = RANDOM_ONE,                                                                \
            .add = (add_)                                                                          \
        }                                                                                          \
    }
const struct suite_member random_later[] = {
    LATER("reshape", RESHAPE, ANY, add_flatten),
    LATER("gather", GATHER, ANY, add_every_other),
    LATER("fill", FILL, FLOATS, add_filled),
    LATER("arg_max", ARG_MAX, ANY, add_wide_best),
    LATER("gather", GATHER, ANY, add_embedding),
    LATER("topk_v2", TOPK_V2, FLOATS, add_top),
    LATER("scatter_nd", SCATTER_ND, FLOATS, add_scattered),
    LATER("convolution_2d_transpose_bias", CONVOLUTION_2D_TRANSPOSE_BIAS, FLOATS,
          add_transpose_bias),
    LATER("max_unpooling_2d", MAX_UNPOOLING_2D, FLOATS, add_unpooled),
    LATER("svdf", SVDF, FLOATS, add_svdf),
};
const size_t random_later_count = sizeof random_later / sizeof random_later[0];
