/* How large the cases are: each op, in each class of types that has a kernel of its own, passes
 * each boundary at which a delegate may cut a number of that kind: 8, 10, 12 and 16 bits.  The
 * sizes are measured from the models that the cases become; what is left out stands in
 * `exceptions`, with the reason.  `build/tests/conformance test_sizes --print` prints the table. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/util/words.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/format/composite.h"
#include "reference/format/model.h"
#include "reference/format/read.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the result y and of the first operand x as images: dimensions before height are the batch.
 * `second` has the elements of the smallest operand that is broadcast. */
#define QUANTITIES(X)                                                                              \
    X(Y_PLACES, "y_places")                                                                        \
    X(Y_CHANNELS, "y_channels")                                                                    \
    X(Y_WIDTH, "y_width")                                                                          \
    X(Y_HEIGHT, "y_height")                                                                        \
    X(Y_BATCH, "y_batch")                                                                          \
    X(X_PLACES, "x_places")                                                                        \
    X(X_CHANNELS, "x_channels")                                                                    \
    X(X_WIDTH, "x_width")                                                                          \
    X(X_HEIGHT, "x_height")                                                                        \
    X(X_BATCH, "x_batch")                                                                          \
    X(SECOND, "second")                                                                            \
    X(KERNEL_HEIGHT, "kernel_height")                                                              \
    X(KERNEL_WIDTH, "kernel_width")                                                                \
    X(STRIDE, "stride")                                                                            \
    X(DILATION, "dilation")                                                                        \
    X(TERMS, "terms")                                                                              \
    X(OUTER, "outer")                                                                              \
    X(AXIS, "axis")                                                                                \
    X(INNER, "inner")                                                                              \
    X(INDICES, "indices")                                                                          \
    X(MATRICES, "matrices")                                                                        \
    X(ROWS, "rows")                                                                                \
    X(DEPTH, "depth")                                                                              \
    X(COLUMNS, "columns")                                                                          \
    X(STEPS, "steps")                                                                              \
    X(SEQUENCES, "sequences")                                                                      \
    X(INPUTS, "inputs")                                                                            \
    X(CELLS, "cells")                                                                              \
    X(PARTS, "parts")                                                                              \
    X(SUM, "sum")
enum quantity {
#define X(quantity, name) quantity,
    QUANTITIES(X)
#undef X
        QUANTITY_COUNT
};
static const char *const quantity_names[QUANTITY_COUNT] = {
#define X(quantity, name) name,
    QUANTITIES(X)
#undef X
};
#define BIT(quantity) (1u << (quantity))
enum {
    FLAT = BIT(Y_PLACES) | BIT(Y_CHANNELS),
    Y_IMAGE = FLAT | BIT(Y_WIDTH) | BIT(Y_HEIGHT) | BIT(Y_BATCH),
    IMAGES =
        Y_IMAGE | BIT(X_PLACES) | BIT(X_CHANNELS) | BIT(X_WIDTH) | BIT(X_HEIGHT) | BIT(X_BATCH),
    WINDOW = IMAGES | BIT(KERNEL_HEIGHT) | BIT(KERNEL_WIDTH) | BIT(STRIDE) | BIT(TERMS),
    LAST_AXIS = BIT(OUTER) | BIT(AXIS),
    ANY_AXIS = LAST_AXIS | BIT(INNER),
    PRODUCT = BIT(ROWS) | BIT(DEPTH) | BIT(COLUMNS),
    RECURRENT = BIT(SEQUENCES) | BIT(INPUTS) | BIT(CELLS)
};

/* `sum`: the magnitude of a sum whose operands are all at one end of their ranges. */

/* The quantities of the ops of a stem. */
static const struct {
    const char *stem;
    uint32_t quantities;
} stems[] = {
    { "binary", FLAT | BIT(SECOND) },
    { "arithmetic", FLAT | BIT(SECOND) },
    { "atan2", FLAT },
    { "compare", FLAT | BIT(SECOND) },
    { "logical", FLAT | BIT(SECOND) },
    { "select", FLAT | BIT(SECOND) },
    { "prelu", FLAT | BIT(SECOND) },
    { "unary", FLAT },
    { "elementwise", FLAT },
    { "dequantize", FLAT },
    { "cast", FLAT },
    { "densify", 0 }, /* of constants alone, where one has no more elements than its file */
    { "fill", FLAT },
    { "batch_matmul", PRODUCT | BIT(MATRICES) | BIT(SUM) },
    { "fully_connected", PRODUCT | BIT(SUM) },
    { "conv_2d", WINDOW | BIT(DILATION) | BIT(SUM) },
    { "depthwise_conv_2d", WINDOW | BIT(DILATION) | BIT(SUM) },
    { "transpose_conv", WINDOW | BIT(SUM) },
    { "pool", WINDOW | BIT(SUM) },
    { "resize", IMAGES },
    { "pad", IMAGES },
    { "reshape", IMAGES },
    { "slice", IMAGES },
    { "strided_slice", IMAGES },
    { "space_to_depth", IMAGES },
    { "squeeze", IMAGES },
    { "tile", IMAGES },
    { "transpose", IMAGES },
    { "concatenation", IMAGES | BIT(PARTS) },
    { "pack", IMAGES | BIT(PARTS) },
    { "split", IMAGES | BIT(PARTS) },
    { "cumsum", ANY_AXIS },
    { "reduce", ANY_AXIS | BIT(SUM) },
    { "arg_max", ANY_AXIS },
    { "softmax", LAST_AXIS },
    { "log_softmax", LAST_AXIS },
    { "l2_normalization", LAST_AXIS | BIT(SUM) },
    { "topk_v2", LAST_AXIS },
    { "gather", ANY_AXIS | BIT(INDICES) },
    { "dynamic_update_slice", IMAGES },
    { "embedding_lookup", 0 }, /* GATHER of the first axis */
    { "one_hot", ANY_AXIS },
    { "scatter_nd", ANY_AXIS | BIT(INDICES) },
    { "lstm", RECURRENT },
    { "sequence_lstm", RECURRENT | BIT(STEPS) },
    { "svdf", RECURRENT },
    { "rfft2d", 0 },         /* the CPU's in our delegate */
    { "shape", 0 },          /* reads no element */
    { "where", 0 },          /* the result is as large as its data say */
    { "broadcast_args", 0 }, /* of shapes, which have at most eight elements */
};

/* The boundaries; what passes one is larger. */
static const int64_t boundaries[] = { 0, 256, 1024, 4096, 65536 };
/* Of sums.  Those of the runtime have 32 bits, and 64 of i16: 2^31 itself overflows in i8. */
static const int64_t sum_boundaries[] = { 0, 1 << 16, 1 << 24, 1 << 30, INT64_C(1) << 32 };
enum { BOUNDARY_COUNT = sizeof boundaries / sizeof boundaries[0] };

static int64_t boundary_below(int q, int64_t size)
{
    const int64_t *const list = q == SUM ? sum_boundaries : boundaries;
    int64_t below = 0;

    for (int i = 0; i < BOUNDARY_COUNT; i++)
        below = size > list[i] ? list[i] : below;
    return below;
}

static int64_t last_boundary(int q)
{
    return q == SUM ? sum_boundaries[3] : boundaries[BOUNDARY_COUNT - 1];
}

#define SLOW_ROWS "a row is a workgroup, of which so many take long on a device without a GPU"
/* Ops, types and quantities are lists of words; "" are all.  The first row that fits holds. */
static const struct exception {
    const char *ops, *types, *quantities;
    int64_t boundary; /* that is passed */
    const char *reason;
} exceptions[] = {
    { "convolution_2d_transpose_bias", "", "", 0, "the shaders of TRANSPOSE_CONV" },
    { "max_pooling_with_argmax_2d max_unpooling_2d", "", "", 0, "the windows of MAX_POOL_2D" },
    { "", "f32 f16 i32 bool dynamic", "sum", 0, "floats round, and i32 wraps" },
    { "conv_2d depthwise_conv_2d fully_connected transpose_conv", "i8pc u8", "sum", 1 << 30,
      "pass all: a sum ends in other ways" },
    { "max_pool_2d reduce_max reduce_min reduce_any reduce_all reduce_prod", "", "sum", 0,
      "no sum" },
    { "conv_2d depthwise_conv_2d fully_connected transpose_conv", "i16", "sum", INT64_C(1) << 32,
      "sums of the runtime have 64 bits" },
    { "average_pool_2d", "i8pc", "sum", 0, "the pool of a graph with weights" },
    { "average_pool_2d", "", "sum", 1 << 24, "2^30 takes eight million elements" },
    { "mean", "i16", "sum", 1 << 30, "sums of the runtime have 32 bits" },
    { "mean", "i8 u8", "sum", 1 << 24, "2^30 takes four million elements" },
    { "sum", "u8", "sum", 1 << 24, "2^30 takes four million elements" },
    { "sum", "i8", "sum", 0, "the runtime takes i8 for u8" },
    { "", "f16 u8 i8pc dynamic", "", 0, "the places and loops of f32 or i8, in another type" },
    { "fill zeros_like range scatter_nd", "i8 i32 bool", "", 0,
      "the CPU's in our delegate: f32 is enough for others" },
    { "topk_v2", "i8 i32", "", 0, "the places and loops of f32" },
    { "logical_not cast", "bool", "y_channels", 256, "the layout of f32" },
    { "cast", "i8 i32 bool", "y_channels", 0, "the layout of f32" },
    { "reduce_any reduce_all", "bool", "outer", 1024, SLOW_ROWS },
    { "reduce_all", "bool", "inner", 0, "the kernel of REDUCE_ANY" },
    { "logical_and logical_or logical_not reduce_any reduce_all cast", "bool", "", 65536,
      "pass all: they have no other type" },
    { "", "bool", "", 0, "moved, compared and chosen as i8 is" },
    { "", "i16", "", 0, "the places of i8, in words of two elements" },
    { "", "w4 w2 u4 a8w4 a8w2 a16w4 a16w2", "", 0,
      "weights alone differ from those of f32, i8 and i16" },
    { "", "i8 i32", "y_batch x_batch y_width x_width", 0,
      "the divisions that find a place are those of f32" },
    { "transpose space_to_depth depth_to_space reshape unpack", "i8 i32", "", 0,
      "the divisions that find a place are those of f32" },
    { "", "", "parts", 2, "a case has at most 24 inputs and 8 outputs" },
    { "conv_2d depthwise_conv_2d average_pool_2d max_pool_2d", "",
      "kernel_height kernel_width stride dilation", 4096,
      "the reference takes at most 32,767, and a loop of the delegate has at most 65,000 turns" },
    { "depthwise_conv_2d", "", "terms", 4096, "a loop of the delegate has at most 65,000 turns" },
    { "transpose_conv", "f32", "kernel_height kernel_width", 1024,
      "each result has all of its products: time grows with the square" },
    { "transpose_conv", "i8", "kernel_height", 0, "kernel_width passes it in the same loop" },
    { "transpose_conv", "i8", "kernel_width", 1024,
      "each result has all of its products: time grows with the square" },
    { "transpose_conv", "", "stride", 4096, "the reference takes at most 32,767" },
    { "depth_to_space", "f32", "y_channels", 4096, "x_channels passes it" },
    { "unpack", "f32", "x_width", 0, "x_height and x_channels pass it" },
    { "softmax log_softmax l2_normalization", "i8 f32", "outer", 4096, SLOW_ROWS },
    { "softmax", "i8", "axis", 4096, "the runtime aborts where exponentials add up to 256" },
    { "mean reduce_max reduce_min reduce_prod sum", "", "outer", 1024, SLOW_ROWS },
    { "reduce_prod", "f32 i8", "axis", 0, "so many factors vanish or overflow" },
    { "mean reduce_max reduce_min reduce_prod sum", "i8 i32", "inner", 0,
      "the kernel of SUM, MEAN or REDUCE_MAX, which passes it" },
    { "gather gather_nd", "i8 i32", "outer", 0, "the kernel of f32 in another storage" },
    { "range", "", "y_places", 0, "a vector: y_channels passes it" },
    { "scatter_nd", "f32", "indices", 0, "the CPU's in our delegate" },
    { "lstm", "i8", "", 0, "the step of UNIDIRECTIONAL_SEQUENCE_LSTM" },
    { "lstm unidirectional_sequence_lstm", "", "cells", 0, "weights grow with their square" },
    { "lstm", "f32", "sequences", 1024, "the batch takes long on a device without a GPU" },
    { "svdf", "i8", "", 0, "the places of f32" },
    { "svdf", "f32", "sequences cells", 4096, "rows and channels of others pass it" },
    { "unidirectional_sequence_lstm", "f32", "sequences", 256,
      "the batch takes long on a device without a GPU" },
    { "unidirectional_sequence_lstm", "f32", "steps", 256, "a step is a dispatch" },
    { "unidirectional_sequence_lstm", "i8", "", 0, "the loop over steps is that of f32" },
    { "equal not_equal greater greater_equal less_equal floor_div floor_mod pow squared_difference "
      "minimum add sub",
      "", "second", 0, "the kernel of LESS, DIV, MUL or MAXIMUM, which passes it" },
    { "less equal not_equal greater greater_equal less_equal", "i8", "second y_channels", 0,
      "refused for most scales by our delegate" },
    { "", "i8 i32", "y_channels", 0,
      "the kernel of TANH, MUL, MAXIMUM, DIV or SUB, which passes it" },
    { "select", "i8 i32", "second", 0, "the kernel of SELECT_V2, which passes it" },
    { "", "i32", "second", 0, "the kernel of SUB, LESS or DIV, which passes it" },
};
enum { EXCEPTION_COUNT = sizeof exceptions / sizeof exceptions[0] };

static bool has_word(const char *list, const char *word)
{
    return *list == '\0' || words_have(list, word, ' ');
}

/* ---- what a case has ---- */

struct sizes {
    int64_t of[QUANTITY_COUNT];
};

struct image {
    int64_t d[4], elements;
};

static struct image image_of(const struct model_tensor *t)
{
    struct image image = { { 1, 1, 1, 1 }, 1 };
    const size_t rank = t->shape.count;

    for (size_t i = 0; i < rank; i++) {
        const size_t at = i + 4 < rank ? 0 : i + 4 - rank;

        image.d[at] *= t->shape.data[i];
        image.elements *= t->shape.data[i];
    }
    return image;
}

static int64_t product(const struct model_tensor *t, size_t first, size_t last)
{
    int64_t n = 1;

    for (size_t i = first; i < last && i < t->shape.count; i++)
        n *= t->shape.data[i];
    return n;
}

/* The operator that a case is about. */
struct judged {
    const struct model *model;
    const struct model_operator *op;
    const struct op_facts *facts;
    const struct case_instance *instance;
};

static const struct model_tensor *tensor_at(const struct judged *j, struct model_ints list,
                                            size_t i)
{
    return i < list.count && list.data[i] >= 0 ? &j->model->subgraphs[0].tensors[list.data[i]]
                                               : NULL;
}

static const struct model_tensor *input(const struct judged *j, size_t i)
{
    return tensor_at(j, j->op->inputs, i);
}

/* Element i of a constant of i32; 0 where it is computed. */
static int64_t constant(const struct judged *j, const struct model_tensor *t, size_t i)
{
    size_t bytes;
    const uint8_t *const data = t ? model_tensor_data(j->model, t, &bytes) : NULL;
    int32_t v = 0;

    if (data && (i + 1) * sizeof v <= bytes)
        memcpy(&v, data + i * sizeof v, sizeof v);
    return v;
}

static void split_at(struct sizes *s, const struct model_tensor *x, int64_t axis)
{
    const size_t rank = x->shape.count, at = (size_t)(axis < 0 ? axis + (int64_t)rank : axis);

    if (at >= rank)
        return;
    s->of[OUTER] = product(x, 0, at);
    s->of[AXIS] = x->shape.data[at];
    s->of[INNER] = product(x, at + 1, rank);
}

static int64_t option(const struct judged *j, const char *field)
{
    return j->op->options.tag == 0 ? 0 : options_int(&j->op->options, field); /* 0: custom */
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void measure_window(const struct judged *j, struct sizes *s)
{
    const bool pool = strcmp(j->facts->stem, "pool") == 0;
    const struct image k =
        pool ? (struct image){ .d = { 0 } } : image_of(input(j, (size_t)j->facts->weights));
    const bool depthwise = j->facts->code == BUILTIN_DEPTHWISE_CONV_2D;

    s->of[KERNEL_HEIGHT] = pool ? option(j, "filter_height") : k.d[1];
    s->of[KERNEL_WIDTH] = pool ? option(j, "filter_width") : k.d[2];
    s->of[STRIDE] = larger(option(j, "stride_h"), option(j, "stride_w"));
    s->of[DILATION] = pool || j->facts->code == BUILTIN_TRANSPOSE_CONV
                          ? 0
                          : larger(option(j, "dilation_h_factor"), option(j, "dilation_w_factor"));
    s->of[TERMS] = s->of[KERNEL_HEIGHT] * s->of[KERNEL_WIDTH] * (pool || depthwise ? 1 : k.d[3]);
}

static void measure_axis(const struct judged *j, struct sizes *s)
{
    const struct model_tensor *const x = input(j, (size_t)j->facts->first);
    const char *const stem = j->facts->stem;

    if (strcmp(stem, "reduce") == 0) {
        const struct model_tensor *const axes = input(j, 1);
        const int64_t count = product(axes, 0, axes->shape.count);

        /* Of several axes that stand side by side. */
        if (count > 0) {
            const int64_t rank = (int64_t)x->shape.count;
            int64_t first = rank, last = -1, reduced = 1;

            for (int64_t i = 0; i < count; i++) {
                const int64_t axis = constant(j, axes, (size_t)i);
                const int64_t at = axis < 0 ? axis + rank : axis;

                first = at < first ? at : first;
                last = at > last ? at : last;
            }
            s->of[OUTER] = product(x, 0, (size_t)first);
            reduced = product(x, (size_t)first, (size_t)last + 1);
            s->of[AXIS] = reduced;
            s->of[INNER] = product(x, (size_t)last + 1, x->shape.count);
        }
    } else if (strcmp(stem, "arg_max") == 0 || strcmp(stem, "cumsum") == 0) {
        split_at(s, x, constant(j, input(j, 1), 0));
    } else if (strcmp(stem, "one_hot") == 0) {
        split_at(s, tensor_at(j, j->op->outputs, 0), option(j, "axis"));
    } else if (strcmp(stem, "scatter_nd") == 0) {
        const struct model_tensor *const y = tensor_at(j, j->op->outputs, 0);
        const struct model_tensor *const indices = input(j, 0);
        const size_t rank = indices->shape.count;
        const size_t tuple = rank ? (size_t)indices->shape.data[rank - 1] : 0;

        split_at(s, y, tuple ? (int64_t)tuple - 1 : 0);
        s->of[INDICES] = product(indices, 0, rank ? rank - 1 : 0);
    } else if (j->facts->code == BUILTIN_GATHER_ND) {
        const struct model_tensor *const indices = input(j, 1);
        const size_t rank = indices->shape.count;
        const size_t tuple = rank ? (size_t)indices->shape.data[rank - 1] : 0;

        split_at(s, x, tuple ? (int64_t)tuple - 1 : 0);
        s->of[INDICES] = product(indices, 0, rank ? rank - 1 : 0);
    } else if (j->facts->code == BUILTIN_GATHER) {
        split_at(s, x, option(j, "axis"));
        s->of[INDICES] = product(input(j, 1), 0, input(j, 1)->shape.count);
    } else {
        split_at(s, x, -1);
    }
}

static void measure_product(const struct judged *j, struct sizes *s)
{
    const struct model_tensor *const a = input(j, 0), *const b = input(j, 1);
    const struct model_tensor *const y = tensor_at(j, j->op->outputs, 0);
    const struct image z = image_of(y);
    const bool matmul = j->facts->code == BUILTIN_BATCH_MATMUL;

    s->of[COLUMNS] = z.d[3];
    if (matmul) {
        s->of[ROWS] = y->shape.count > 1 ? z.d[2] : 1;
        s->of[MATRICES] = product(y, 0, y->shape.count - 2);
        s->of[DEPTH] = a->shape.data[a->shape.count - (option(j, "adj_x") ? 2 : 1)];
    } else {
        s->of[ROWS] = z.elements / larger(z.d[3], 1);
        s->of[DEPTH] = b->shape.data[b->shape.count - 1];
    }
}

static void measure_recurrent(const struct judged *j, struct sizes *s)
{
    const struct model_tensor *const x = input(j, 0);
    const size_t rank = x->shape.count;
    const bool sequence = j->facts->code == BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM;
    const bool time_major = sequence && option(j, "time_major");
    const bool svdf = j->facts->code == BUILTIN_SVDF;
    const struct model_tensor *const weights = input(j, svdf ? 1 : 2);
    /* The basic kernel of LSTM has the weights of all gates in one tensor. */
    const int64_t gates = j->op->inputs.count == 5 && !svdf ? 4 : 1;

    s->of[INPUTS] = x->shape.data[rank - 1];
    s->of[SEQUENCES] = x->shape.data[rank == 3 && time_major ? 1 : 0];
    s->of[STEPS] = rank == 3 ? x->shape.data[time_major ? 0 : 1] : 1;
    s->of[CELLS] = weights ? weights->shape.data[0] / gates : 0; /* of SVDF filters */
}

/* The distance of all elements of an operand from its zero point, or from 0; 0 where they differ,
 * or are no integers. */
static int64_t distance(const struct judged *j, size_t i, bool raw)
{
    const struct model_subgraph *const graph = &j->model->subgraphs[0];
    const struct model_tensor *const t = input(j, i);
    size_t bytes = 0, width;
    const uint8_t *data;
    int64_t q;

    if (!t || (t->type != TENSOR_INT8 && t->type != TENSOR_UINT8 && t->type != TENSOR_INT16))
        return 0;
    data = model_tensor_data(j->model, t, &bytes);
    for (size_t k = 0; !data && k < graph->inputs.count; k++) {
        if (&graph->tensors[graph->inputs.data[k]] != t)
            continue;
        data = j->instance->inputs[k].data[0];
        bytes = j->instance->inputs[k].bytes;
    }
    width = t->type == TENSOR_INT16 ? 2 : 1;
    if (!data || bytes < width || memcmp(data, data + width, bytes - width) != 0)
        return 0;
    q = t->type == TENSOR_UINT8  ? data[0]
        : t->type == TENSOR_INT8 ? (int8_t)data[0]
                                 : (int16_t)(data[0] | data[1] << 8);
    return llabs(q - (raw || t->quantization.zero_point.count == 0
                          ? 0
                          : t->quantization.zero_point.data[0]));
}

static int64_t sum_of(const struct judged *j, const struct sizes *s)
{
    const char *const stem = j->facts->stem;
    const size_t first = (size_t)j->facts->first;

    if (strcmp(stem, "pool") == 0)
        return s->of[TERMS] * distance(j, first, true);
    if (strcmp(stem, "reduce") == 0)
        return s->of[AXIS] * distance(j, first, true);
    if (strcmp(stem, "l2_normalization") == 0)
        return s->of[AXIS] * distance(j, first, false) * distance(j, first, false);
    if (strcmp(stem, "batch_matmul") == 0)
        return s->of[DEPTH] * distance(j, 0, false) * distance(j, 1, false);
    if (strcmp(stem, "fully_connected") == 0)
        return s->of[DEPTH] * distance(j, 0, false) * distance(j, 1, false);
    return j->facts->weights < 0 ? 0
                                 : s->of[TERMS] * distance(j, first, false) *
                                       distance(j, (size_t)j->facts->weights, false);
}

static struct sizes measure(const struct judged *j)
{
    struct sizes s = { { 0 } };
    const struct model_tensor *const x = input(j, (size_t)j->facts->first);
    const struct model_tensor *const y = tensor_at(j, j->op->outputs, 0);
    const struct image in = image_of(x), out = image_of(y);
    const char *const stem = j->facts->stem;
    const bool recurrent = strstr(stem, "lstm") != NULL || strcmp(stem, "svdf") == 0;

    s.of[Y_CHANNELS] = out.d[3];
    s.of[Y_WIDTH] = out.d[2];
    s.of[Y_HEIGHT] = out.d[1];
    s.of[Y_BATCH] = out.d[0];
    s.of[Y_PLACES] = out.elements / larger(out.d[3], 1);
    s.of[X_CHANNELS] = in.d[3];
    s.of[X_WIDTH] = in.d[2];
    s.of[X_HEIGHT] = in.d[1];
    s.of[X_BATCH] = in.d[0];
    s.of[X_PLACES] = in.elements / larger(in.d[3], 1);
    for (size_t i = 0; i < j->op->inputs.count; i++) {
        const struct model_tensor *const t = input(j, i);

        if (t && image_of(t).elements < out.elements)
            s.of[SECOND] = larger(s.of[SECOND], image_of(t).elements);
    }
    s.of[PARTS] = (int64_t)larger((int64_t)j->op->inputs.count, (int64_t)j->op->outputs.count);
    if (strcmp(stem, "conv_2d") == 0 || strcmp(stem, "depthwise_conv_2d") == 0 ||
        strcmp(stem, "transpose_conv") == 0 || strcmp(stem, "pool") == 0)
        measure_window(j, &s);
    else if (strcmp(stem, "batch_matmul") == 0 || strcmp(stem, "fully_connected") == 0)
        measure_product(j, &s);
    else if (recurrent)
        measure_recurrent(j, &s);
    else
        measure_axis(j, &s);
    s.of[SUM] = sum_of(j, &s);
    return s;
}

static struct sizes measure_case(const struct test_case *c)
{
    struct case_request request = { .seed = 1 };
    struct model model CLOSED_BY(model_close);
    struct case_instance instance CLOSED_BY(case_instance_close);
    struct sizes s;

    while (request.set < SET_COUNT && !case_has_set(c, request.set))
        request.set++;
    KIT_OK(case_build(c, &request, &instance, &err));
    if (tflite_read(&model, instance.file.bytes, instance.file.count, &err) != STATUS_OK)
        fail_msg("%s: %s", c->name, err.text);
    s = measure(&(struct judged){ &model, &model.subgraphs[0].operators[instance.judged_node],
                                  op_facts_find(c->code), &instance });
    return s;
}

/* ---- the table ---- */

/* An op in one type: the largest of each quantity, and the case that has it. */
struct line {
    const char *op, *type;
    uint32_t quantities;
    struct sizes most;
    const char *by[QUANTITY_COUNT];
};
static struct line *lines;
static size_t line_count;

static uint32_t quantities_of(const char *stem)
{
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        if (strcmp(stems[i].stem, stem) == 0)
            return stems[i].quantities;
    }
    fail_msg("%s: test_sizes.c has no row for the stem", stem);
    return 0;
}

static struct line *line_of(const struct test_case *c)
{
    for (size_t i = line_count; i-- > 0;) {
        if (strcmp(lines[i].op, c->op) == 0 && strcmp(lines[i].type, c->type_name) == 0)
            return &lines[i];
    }
    lines[line_count] = (struct line){ .op = c->op,
                                       .type = c->type_name,
                                       .quantities = quantities_of(op_facts_find(c->code)->stem) };
    return &lines[line_count++];
}

static int open_lines(void **state)
{
    if (kit_cases_open(state) != 0)
        return -1;
    lines = mem_alloc(kit_case_count, sizeof *lines);
    if (!lines)
        return -1;
    for (size_t i = 0; i < kit_case_count; i++) {
        struct line *line;
        struct sizes s;

        if (composite_is(kit_cases[i].code)) /* which is no op of the suite */
            continue;
        line = line_of(&kit_cases[i]);
        s = measure_case(&kit_cases[i]);
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            if (s.of[q] <= line->most.of[q])
                continue;
            line->most.of[q] = s.of[q];
            line->by[q] = kit_cases[i].name;
        }
    }
    return 0;
}

static int close_lines(void **state)
{
    mem_free(lines);
    return kit_cases_close(state);
}

static const struct exception *exception_of(const struct line *line, int q)
{
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        if (has_word(exceptions[i].ops, line->op) && has_word(exceptions[i].types, line->type) &&
            has_word(exceptions[i].quantities, quantity_names[q]))
            return &exceptions[i];
    }
    return NULL;
}

static int print_table(int argc, char **argv)
{
    void *state = NULL;

    if (argc != 2 || strcmp(argv[1], "--print") != 0)
        return -1;
    if (open_lines(&state) != 0)
        return 1;
    printf("op\ttype\tquantity\tlargest\tpasses\tcase or reason\n");
    for (size_t i = 0; i < line_count; i++) {
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            const struct exception *const e = exception_of(&lines[i], q);

            if (!(lines[i].quantities & BIT(q)))
                continue;
            printf("%s\t%s\t%s\t%lld\t%lld\t%s\n", lines[i].op, lines[i].type, quantity_names[q],
                   (long long)lines[i].most.of[q],
                   (long long)boundary_below(q, lines[i].most.of[q]),
                   e ? e->reason : lines[i].by[q]);
        }
    }
    return close_lines(&state);
}

TEST(test_each_boundary_is_passed)
{
    bool used[EXCEPTION_COUNT] = { false };
    size_t missing = 0;

    for (size_t i = 0; i < line_count; i++) {
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            const int64_t most = lines[i].most.of[q];
            const struct exception *const e = exception_of(&lines[i], q);
            const int64_t required = e ? e->boundary : last_boundary(q);

            if (!(lines[i].quantities & BIT(q)))
                continue;
            /* What passes all boundaries needs no exception. */
            if (e &&
                (boundary_below(q, most) < last_boundary(q) || e->boundary >= last_boundary(q)))
                used[e - exceptions] = true;
            if (most > required || required == 0)
                continue;
            print_error("%s.%s: %s is at most %lld, and has to pass %lld\n", lines[i].op,
                        lines[i].type, quantity_names[q], (long long)most, (long long)required);
            missing++;
        }
    }
    for (size_t i = 0; i < EXCEPTION_COUNT; i++) {
        if (!used[i])
            fail_msg("exception %zu (%s) is needed by no size", i, exceptions[i].reason);
    }
    if (missing > 0)
        fail_msg("%zu sizes pass too few boundaries", missing);
}

TEST_FILE(.setup = open_lines, .teardown = close_lines, .main = print_table);
