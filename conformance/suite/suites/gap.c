/* Graphs of several ops that show known faults of delegates: blocks of networks, ops that tend to
 * be fused, tensors that are read long after they were made.  Each row has a make function; the
 * member that it names in `only` is the last op, which the case is about. */
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, const struct row *r);
    struct shape in;
};

#define MEMBER(name, code_)                                                                        \
    GAP_MEMBER(name, code_,                                                                        \
               TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_BYTES | TYPE_BIT(CASE_I8PC),        \
               SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE))
static const struct suite_member members[] = {
    MEMBER("conv_2d", CONV_2D),
    MEMBER("fully_connected", FULLY_CONNECTED),
    MEMBER("mean", MEAN),
    MEMBER("softmax", SOFTMAX),
    MEMBER("average_pool_2d", AVERAGE_POOL_2D),
    MEMBER("max_pool_2d", MAX_POOL_2D),
    MEMBER("concatenation", CONCATENATION),
    MEMBER("reshape", RESHAPE),
    MEMBER("add", ADD),
    MEMBER("sub", SUB),
    MEMBER("mul", MUL),
    MEMBER("prelu", PRELU),
    MEMBER("relu", RELU),
    MEMBER("relu6", RELU6),
    MEMBER("logistic", LOGISTIC),
    MEMBER("dequantize", DEQUANTIZE),
    MEMBER("quantize", QUANTIZE),
};

static const struct shape scalar = SCALAR;

static struct value input(struct case_builder *m, const struct row *r)
{
    return graph_add_input(m, "x", &r->in);
}

static struct value add(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_ADD, a, b, ACTIVATION_NONE);
}

static struct value mul(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_MUL, a, b, ACTIVATION_NONE);
}

static struct value conv(struct case_builder *m, struct value x, int32_t out, int32_t kernel,
                         int activation)
{
    return graph_add_conv_2d(
        m, x,
        &(struct graph_window){ .out = out, .h = kernel, .w = kernel, .activation = activation });
}

static struct value relu(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_RELU, x);
}

/* ---- lanes ---- */

/* SUB leaves -c in padded lanes, which the convolution must not sum. */
static struct value make_sub_conv(struct case_builder *m, const struct row *r)
{
    const struct value c = graph_add_constant(m, &scalar);

    return conv(m, graph_add_binary(m, BUILTIN_SUB, input(m, r), c, ACTIVATION_NONE), 5, 3,
                ACTIVATION_NONE);
}

/* EXP makes 1 of a zero in a padded lane and LOGISTIC makes more than a half of that, which a mean
 * over channels must not count. */
static struct value make_exp_mean(struct case_builder *m, const struct row *r)
{
    const struct value e = graph_add_unary(m, BUILTIN_EXP, input(m, r));

    return graph_add_mean(m, graph_add_unary(m, BUILTIN_LOGISTIC, e), 8, true);
}

/* Inputs concatenated at 3 channels and sliced from channel 1 on: SOFTMAX gets rows that begin in
 * any lane. */
static struct value make_concat_slice_softmax(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), e = graph_add_unary(m, BUILTIN_EXP, x);
    const struct value both = graph_add_concatenation(m, 2, (const struct value[]){ x, e }, 3);

    return graph_add_softmax(m,
                             graph_add_strided_slice(m, both, 3, 1, graph_channels(both) - 1, 1));
}

/* The variance of a layer normalization: x less its mean over channels, squared and averaged. */
static struct value make_variance(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value off =
        graph_add_binary(m, BUILTIN_SUB, x, graph_add_mean(m, x, 8, true), ACTIVATION_NONE);

    return graph_add_mean(m, mul(m, off, off), 8, true);
}

/* A detector: two heads of few channels, concatenated to one list. */
static struct value make_heads(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const int32_t n = r->in.d[0], boxes = r->in.d[1] * r->in.d[2] * 3;
    const struct value near = graph_add_reshape(m, conv(m, x, 3 * 5, 1, ACTIVATION_NONE),
                                                &(struct shape)DIMS(n, boxes, 5));
    const struct value far = graph_add_reshape(m, conv(m, x, 3 * 5, 3, ACTIVATION_NONE),
                                               &(struct shape)DIMS(n, boxes, 5));

    return graph_add_concatenation(m, 2, (const struct value[]){ near, far }, 1);
}

/* ---- fusion ---- */

static struct value make_conv_relu(struct case_builder *m, const struct row *r)
{
    return relu(m, conv(m, input(m, r), 6, 3, ACTIVATION_NONE));
}

static struct value make_conv_relu6(struct case_builder *m, const struct row *r)
{
    return graph_add_unary(m, BUILTIN_RELU6, conv(m, input(m, r), 6, 3, ACTIVATION_NONE));
}

/* RELU behind a convolution that has a fused RELU_N1_TO_1: both clamps hold. */
static struct value make_conv_n1_relu(struct case_builder *m, const struct row *r)
{
    return relu(m, conv(m, input(m, r), 6, 1, ACTIVATION_RELU_N1));
}

static struct value make_conv_prelu(struct case_builder *m, const struct row *r)
{
    return graph_add_prelu(m, conv(m, input(m, r), 6, 3, ACTIVATION_NONE));
}

/* A batch normalization that the converter did not fold into the convolution before it. */
static struct value make_conv_mul_add(struct case_builder *m, const struct row *r)
{
    struct value y = conv(m, input(m, r), 6, 3, ACTIVATION_NONE);

    y = mul(m, y, graph_add_per_channel(m, y));
    return add(m, y, graph_add_per_channel(m, y));
}

/* A batch normalization before a convolution, which cannot be folded where SAME pads: the zeros of
 * the padding are not shifted. */
static struct value make_mul_add_conv(struct case_builder *m, const struct row *r)
{
    struct value x = input(m, r);

    x = mul(m, x, graph_add_per_channel(m, x));
    x = add(m, x, graph_add_per_channel(m, x));
    return conv(m, x, 6, 3, ACTIVATION_NONE);
}

/* A factor that is computed at run time cannot be folded into the weights. */
static struct value make_conv_mul_computed(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), y = conv(m, x, 6, 3, ACTIVATION_NONE);

    return mul(m, y, graph_add_mean(m, x, 14, true));
}

static struct value make_pad_conv(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .out = 6, .h = 3, .w = 3, .stride = 2, .valid = true };

    return graph_add_conv_2d(m, graph_add_pad(m, input(m, r), 1, 0), &w);
}

/* PAD before a convolution that pads itself: one pixel more on each side. */
static struct value make_pad_conv_same(struct case_builder *m, const struct row *r)
{
    return conv(m, graph_add_pad(m, input(m, r), 1, 0), 6, 3, ACTIVATION_NONE);
}

/* PAD behind the last row and column alone: a 1x1 convolution of the image without it begins at the
 * same pixel, but its rows are shorter. */
static struct value make_pad_behind_conv(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .out = 6, .h = 1, .w = 1, .stride = 1, .valid = true };
    const struct value x = input(m, r);

    return graph_add_conv_2d(
        m, graph_add_pad_sides(m, x, (const int32_t[]){ 0, 0, 0, 1, 0, 2, 0, 0 }), &w);
}

/* PAD before a convolution that also adds channels of zeros. */
static struct value make_pad_channels_conv(struct case_builder *m, const struct row *r)
{
    return conv(m, graph_add_pad(m, input(m, r), 1, 2), 6, 3, ACTIVATION_NONE);
}

/* PAD before a pool: unlike the pool's own padding its zeros count, and are the maximum of negative
 * values. */
static struct value make_pad_max_pool(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = 3, .w = 3, .stride = 2, .valid = true };

    return graph_add_pool(m, BUILTIN_MAX_POOL_2D, graph_add_pad(m, input(m, r), 1, 0), &w);
}

/* A window may have zeros and no more than one row or column of the image, which is often negative
 * throughout: below and at the right nothing else gives the maximum. */
static struct value make_pad_small_pool(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = 2, .w = 2, .stride = 1, .valid = true };

    return graph_add_pool(m, BUILTIN_MAX_POOL_2D, graph_add_pad(m, input(m, r), 1, 0), &w);
}

/* PAD before an average: its zeros are counted, unlike those of the pool's own padding. */
static struct value make_pad_average_pool(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = 3, .w = 3, .stride = 2, .valid = true };

    return graph_add_pool(m, BUILTIN_AVERAGE_POOL_2D, graph_add_pad(m, input(m, r), 1, 0), &w);
}

/* Another op also reads the padded image. */
static struct value make_pad_shared(struct case_builder *m, const struct row *r)
{
    const struct value p = graph_add_pad(m, input(m, r), 1, 0);

    return add(m, p, conv(m, p, graph_channels(p), 3, ACTIVATION_RELU));
}

/* Another op also reads the convolution's result without the activation. */
static struct value make_relu_shared(struct case_builder *m, const struct row *r)
{
    const struct value y = conv(m, input(m, r), 5, 3, ACTIVATION_NONE);

    return graph_add_binary(m, BUILTIN_SUB, y, relu(m, y), ACTIVATION_NONE);
}

/* A residual: the result of convolutions of x is added to x. */
static struct value make_residual(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value y =
        conv(m, conv(m, x, 8, 3, ACTIVATION_RELU), graph_channels(x), 3, ACTIVATION_NONE);

    return relu(m, add(m, y, x));
}

/* A row of a matrix product, to which a vector is added. */
static struct value make_dense_residual(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);

    return add(
        m, graph_add_fully_connected(m, relu(m, x), graph_channels(x), false, ACTIVATION_NONE), x);
}

/* A deep sum of few results, which workgroups share, and to which another is added. */
static struct value make_deep_residual(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), a = conv(m, x, 5, 3, ACTIVATION_NONE);
    const struct value b = conv(m, x, 5, 3, ACTIVATION_NONE);

    return add(m, a, b);
}

/* Both summands are convolutions. */
static struct value make_residual_projected(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct graph_window down = { .out = 7, .h = 3, .w = 3, .stride = 2 };
    const struct graph_window project = { .out = 7, .h = 1, .w = 1, .stride = 2 };
    const struct value y = graph_add_conv_2d(m, x, &down), z = graph_add_conv_2d(m, x, &project);

    return graph_add_binary(m, BUILTIN_ADD, z, y, ACTIVATION_RELU);
}

/* The result of a convolution is added to itself: ADD reads one tensor twice. */
static struct value make_add_twice(struct case_builder *m, const struct row *r)
{
    const struct value y = conv(m, input(m, r), 5, 1, ACTIVATION_NONE);

    return add(m, y, y);
}

static struct value make_inverted_residual(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct graph_window w = { .h = 3, .w = 3, .activation = ACTIVATION_RELU6 };
    struct value y = conv(m, x, 3 * graph_channels(x), 1, ACTIVATION_RELU6);

    y = graph_add_depthwise_conv_2d(m, y, &w);
    return add(m, conv(m, y, graph_channels(x), 1, ACTIVATION_NONE), x);
}

static struct value make_separable(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = 3, .w = 3, .stride = 2, .activation = ACTIVATION_RELU6 };

    return conv(m, graph_add_depthwise_conv_2d(m, input(m, r), &w), 9, 1, ACTIVATION_RELU6);
}

/* Squeeze and excite. */
static struct value make_excite(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    struct value s = conv(m, graph_add_mean(m, x, 6, true), 3, 1, ACTIVATION_RELU);

    s = graph_add_unary(m, BUILTIN_LOGISTIC, conv(m, s, graph_channels(x), 1, ACTIVATION_NONE));
    return mul(m, x, s);
}

/* x * logistic(x): the op's two inputs come from one tensor. */
static struct value make_swish(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 5, 1, ACTIVATION_NONE);

    return mul(m, x, graph_add_unary(m, BUILTIN_LOGISTIC, x));
}

/* Global average, flattened, a classifier. */
static struct value make_classifier(struct case_builder *m, const struct row *r)
{
    struct value y = graph_add_mean(m, input(m, r), 6, true);

    y = graph_add_reshape(m, y, &(struct shape)DIMS(r->in.d[0], graph_channels(y)));
    return graph_add_softmax(m, graph_add_fully_connected(m, y, 10, false, ACTIVATION_NONE));
}

/* The mean as a pool instead. */
static struct value make_classifier_pool(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = r->in.d[1], .w = r->in.d[2], .valid = true };
    const struct value y = graph_add_pool(m, BUILTIN_AVERAGE_POOL_2D, input(m, r), &w);

    return graph_add_fully_connected(m, y, 10, false, ACTIVATION_RELU);
}

/* Reshapes to other ranks: no data move until the number of channels changes. */
static struct value make_reshapes(struct case_builder *m, const struct row *r)
{
    const int32_t n = r->in.d[0], h = r->in.d[1], w = r->in.d[2], c = r->in.d[3];
    struct value y = graph_add_reshape(m, input(m, r), &(struct shape)DIMS(n, h * w, c));

    y = relu(m, graph_add_reshape(m, y, &(struct shape)DIMS(n * h, w, 1, c)));
    return graph_add_reshape(m, y, &(struct shape)DIMS(n, h * w * c));
}

/* ---- concatenation and skips ---- */

static struct value make_inception(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct graph_window w = { .h = 3, .w = 3 };
    const struct value parts[] = {
        conv(m, x, 3, 1, ACTIVATION_RELU),
        conv(m, conv(m, x, 2, 1, ACTIVATION_RELU), 5, 3, ACTIVATION_RELU),
        conv(m, graph_add_pool(m, BUILTIN_MAX_POOL_2D, x, &w), 1, 1, ACTIVATION_RELU),
    };

    return conv(m, graph_add_concatenation(m, 3, parts, 3), 4, 1, ACTIVATION_NONE);
}

/* Each layer reads the results of all layers before it, 3 channels more each time. */
static struct value make_dense_block(struct case_builder *m, const struct row *r)
{
    struct value parts[4] = { input(m, r) };

    for (size_t i = 1; i < 4; i++) {
        const struct value all = i == 1 ? parts[0] : graph_add_concatenation(m, i, parts, 3);

        parts[i] = conv(m, all, 3, 3, ACTIVATION_RELU);
    }
    return graph_add_concatenation(m, 4, parts, 3);
}

/* A U-Net: the image is reduced, enlarged again and concatenated with what it was before. */
static struct value make_unet(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 5, 3, ACTIVATION_RELU);
    const struct graph_window half = { .h = 2, .w = 2, .stride = 2 };
    const struct graph_window twice = { .out = 3, .h = 2, .w = 2, .stride = 2 };
    struct value y = graph_add_pool(m, BUILTIN_MAX_POOL_2D, x, &half);

    y = graph_add_transpose_conv(m, conv(m, y, 7, 3, ACTIVATION_RELU), &twice);
    return conv(m, graph_add_concatenation(m, 2, (const struct value[]){ y, x }, 3), 2, 1,
                ACTIVATION_NONE);
}

/* A feature pyramid: the coarse image is enlarged and added to the fine one. */
static struct value make_pyramid(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct graph_window half = { .out = 5, .h = 3, .w = 3, .stride = 2 };
    const struct value coarse =
        graph_add_resize_bilinear(m, graph_add_conv_2d(m, x, &half), r->in.d[1], r->in.d[2], true);

    return add(m, conv(m, x, 5, 1, ACTIVATION_NONE), coarse);
}

/* Channels are split by STRIDED_SLICE, one half is convolved, and both are concatenated. */
static struct value make_split(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const int32_t c = graph_channels(x), first = c / 2;
    const struct value parts[] = {
        graph_add_strided_slice(m, x, 3, 0, first, 1),
        conv(m, graph_add_strided_slice(m, x, 3, first, c - first, 1), 3, 3, ACTIVATION_RELU),
    };

    return graph_add_concatenation(m, 2, parts, 3);
}

/* ---- tensors that live long ---- */

/* Twelve ops in a row, each of which could run in place; then the first tensor is read again. */
static struct value make_long_life(struct case_builder *m, const struct row *r)
{
    const struct value first = relu(m, input(m, r));
    struct value y = first;

    for (int i = 0; i < 3; i++) {
        y = add(m, y, graph_add_per_channel(m, y));
        y = graph_add_binary(m, BUILTIN_MAXIMUM, y, graph_add_per_channel(m, y), ACTIVATION_NONE);
        y = graph_add_unary(m, BUILTIN_LOGISTIC, y);
        y = mul(m, y, graph_add_per_channel(m, y));
    }
    return graph_add_binary(m, BUILTIN_SUB, first, y, ACTIVATION_NONE);
}

/* Outputs of the graph in the middle of it, each read again by later ops. */
static struct value make_outputs_inside(struct case_builder *m, const struct row *r)
{
    const struct value a = conv(m, input(m, r), 5, 3, ACTIVATION_RELU);
    const struct value b = add(m, a, graph_add_per_channel(m, a));
    const struct value c = graph_add_unary(
        m, BUILTIN_EXP,
        graph_add_binary(m, BUILTIN_MINIMUM, b, graph_add_constant(m, &scalar), ACTIVATION_NONE));

    graph_add_output(m, b);
    graph_add_output(m, a);
    return add(m, mul(m, c, a), b);
}

/* One tensor, four readers of four kinds. */
static struct value make_four_readers(struct case_builder *m, const struct row *r)
{
    const struct value a = relu(m, input(m, r));
    const struct graph_window w = { .h = 3, .w = 3 };
    const struct value parts[] = {
        graph_add_unary(m, BUILTIN_LOGISTIC, a),
        graph_add_pool(m, BUILTIN_AVERAGE_POOL_2D, a, &w),
        graph_add_depthwise_conv_2d(m, a, &w),
        a,
    };

    return graph_add_concatenation(m, 4, parts, 3);
}

/* Two chains of different lengths, crossed twice. */
static struct value make_crossed(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value a = graph_add_unary(m, BUILTIN_LOGISTIC, x), b = relu(m, x);
    const struct value c = mul(m, a, b),
                       d = graph_add_binary(m, BUILTIN_SUB, b, a, ACTIVATION_NONE);
    const struct value e = graph_add_binary(m, BUILTIN_MAXIMUM, c, d, ACTIVATION_NONE);
    const struct value product = mul(m, d, c);

    return add(m, graph_add_binary(m, BUILTIN_SUB, e, a, ACTIVATION_NONE), product);
}

/* An input of the graph that is also read at its end. */
static struct value make_input_again(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value y = graph_add_mean(m, conv(m, x, 5, 3, ACTIVATION_RELU), 14, true);

    return mul(m, x, y);
}

/* Three outputs that could alias in memory; the first of them is read again. */
static struct value make_aliases(struct case_builder *m, const struct row *r)
{
    const int32_t n = r->in.d[0], h = r->in.d[1], w = r->in.d[2], c = r->in.d[3];
    const struct value y = relu(m, input(m, r));
    const struct value z = graph_add_reshape(m, y, &(struct shape)DIMS(n, h * w, c));

    graph_add_output(m, y);
    graph_add_output(m, z);
    graph_add_output(m, graph_add_reshape(m, z, &(struct shape)DIMS(n * h, w, c)));
    return add(m, y, graph_add_per_channel(m, y));
}

/* ---- constants with several readers ---- */

/* Two convolutions share weights and bias; the bias is also a summand and the slopes of PRELU. */
static struct value make_shared_constants(struct case_builder *m, const struct row *r)
{
    const int32_t c = r->in.d[3];
    const struct graph_window w = { .out = c, .h = 3, .w = 3 };
    const struct value x = input(m, r);
    const struct graph_conv_constants shared = graph_add_conv_constants(m, x, &w);
    const struct value y = graph_add_conv_2d_with(m, x, &w, &shared);
    const struct value z = graph_add_conv_2d_with(m, relu(m, y), &w, &shared);

    return add(m, mul(m, z, shared.bias), shared.bias);
}

/* ---- state ---- */

/* Two LSTMs in a row, each with its own state, and a classifier of their result. */
static struct value make_two_lstms(struct case_builder *m, const struct row *r)
{
    const struct value h = graph_add_lstm(m, input(m, r), 5);

    return graph_add_fully_connected(m, graph_add_lstm(m, h, 7), 3, false, ACTIVATION_NONE);
}

/* Two LSTMs on the same input, each with its own state. */
static struct value make_twin_lstms(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value both[] = { graph_add_lstm(m, x, 6), graph_add_lstm(m, x, 3) };

    return graph_add_concatenation(m, 2, both, 1);
}

/* ---- tiny constants ---- */

/* x times 1e4 times 1e-6.  In f16 1e-6 is a denormal with 5 bits. */
static struct value make_epsilon(struct case_builder *m, const struct row *r)
{
    const struct value factor = graph_add_number(m, &scalar, 1e4f);
    const struct value large = mul(m, input(m, r), factor);

    return mul(m, large, graph_add_number(m, &scalar, 1e-6f));
}

/* The same with a factor for each channel. */
static struct value make_epsilon_channels(struct case_builder *m, const struct row *r)
{
    static const float tiny[] = { 1e-6f, 2 * 1e-6f, 3 * 1e-6f, 4 * 1e-6f, 5 * 1e-6f };
    const struct value factor = graph_add_number(m, &scalar, 1e4f);
    const struct value large = mul(m, input(m, r), factor);
    struct value factors = { .shape = DIMS(5) };

    factors.tensor = builder_constant(&m->builder, TENSOR_FLOAT32, "number", 1, factors.shape.d,
                                      tiny, sizeof tiny);
    return mul(m, large, factors);
}

/* 1e-9 is 0 in f16.  The results are below the normal numbers of f16, so they must be right in fp32
 * only; in fp16 they must not be NaN or larger than a denormal. */
static struct value make_epsilon_sum(struct case_builder *m, const struct row *r)
{
    const struct value zero = graph_add_number(m, &scalar, 0);
    const struct value none =
        graph_add_binary(m, BUILTIN_MINIMUM, relu(m, input(m, r)), zero, ACTIVATION_NONE);

    return add(m, none, graph_add_number(m, &scalar, 1e-9f));
}

/* ---- 8-bit models: floats at the edges, scales that differ ---- */

static struct value floats(struct case_builder *m, const struct row *r)
{
    return graph_add_quantize(m, graph_add_input_f32(m, "x", &r->in));
}

/* A pool keeps the scale of its input, but the ends of its activation, 1 and -1, lie between two
 * steps of it: the mean must read what they were rounded to. */
static struct value make_clamped_pool(struct case_builder *m, const struct row *r)
{
    const struct value p = graph_add_pool(
        m, BUILTIN_MAX_POOL_2D, input(m, r),
        &(struct graph_window){ .h = 2, .w = 2, .stride = 2, .activation = ACTIVATION_RELU_N1 });

    return graph_add_mean(m, p, 8, true);
}

/* The shortest graph of this kind: QUANTIZE, a convolution, a residual, DEQUANTIZE. */
static struct value make_edges(struct case_builder *m, const struct row *r)
{
    const struct value x = floats(m, r);

    return graph_add_dequantize(m, add(m, conv(m, x, r->in.d[3], 3, ACTIVATION_RELU6), x));
}

/* A small network as converters write it: 8-bit nodes between a QUANTIZE and a DEQUANTIZE. */
static struct value make_network(struct case_builder *m, const struct row *r)
{
    const struct graph_window half = {
        .out = 8, .h = 3, .w = 3, .stride = 2, .activation = ACTIVATION_RELU6
    };
    const struct value x = graph_add_conv_2d(m, floats(m, r), &half);
    const struct value d = graph_add_depthwise_conv_2d(
        m, x, &(struct graph_window){ .h = 3, .w = 3, .activation = ACTIVATION_RELU6 });
    const struct value y = add(m, conv(m, d, 8, 1, ACTIVATION_NONE), x);
    const struct value pooled = graph_add_pool(
        m, BUILTIN_AVERAGE_POOL_2D, y, &(struct graph_window){ .h = 2, .w = 2, .valid = true });

    return graph_add_dequantize(
        m, graph_add_softmax(m, graph_add_fully_connected(m, pooled, 10, false, ACTIVATION_NONE)));
}

/* QUANTIZE to another scale; an ADD reads its input and its output. */
static struct value make_rescaled(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1, ACTIVATION_RELU),
                       y = graph_add_quantize(m, x);

    graph_add_output(
        m, graph_add_quantize(m, graph_add_pool(m, BUILTIN_MAX_POOL_2D, y,
                                                &(struct graph_window){ .h = 2, .w = 2 })));
    return add(m, x, y);
}

/* DEQUANTIZE, whose result is an output, and an 8-bit op read the same tensor. */
static struct value make_both(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, floats(m, r), 5, 3, ACTIVATION_NONE);

    graph_add_output(m, graph_add_dequantize(m, x));
    return graph_add_unary(m, BUILTIN_LOGISTIC, x);
}

static struct value between(struct case_builder *m, int32_t code, int tag,
                            const struct shape *shape, int count, const int *in)
{
    struct value y = { .shape = *shape };
    struct options options;

    options_init(&options, tag);
    y.tensor = case_tensor_f32(m, "between", shape);
    y.op = case_op(m, code, 1, &options, (size_t)count, in, y.tensor);
    return y;
}

/* The range of x is what the next scale follows from. */
static int wide(struct case_builder *m, struct value x)
{
    const int y = graph_add_dequantize(m, x).tensor;
    const struct case_scale *const s = case_scale_of(m, x.tensor);

    if (s && y >= 0)
        case_set_scale(m, y, s->type, s->scale, s->zero);
    return y;
}

/* As a converter leaves instance norm and mirrored borders when it has quantized what it could:
 * floats between DEQUANTIZE and QUANTIZE. */
static struct value make_islands(struct case_builder *m, const struct row *r)
{
    static const int32_t around[] = { 0, 0, 1, 1, 1, 1, 0, 0 };
    const struct value x = conv(m, floats(m, r), 5, 3, ACTIVATION_NONE);
    const int both[] = { wide(m, x), wide(m, graph_add_mean(m, x, 6, true)) };
    const struct value square =
        graph_add_quantize(m, between(m, BUILTIN_SQUARED_DIFFERENCE,
                                      OPTIONS_SquaredDifferenceOptions, &x.shape, 2, both));
    struct shape padded = x.shape;
    const int mirror[] = { wide(m, add(m, x, square)),
                           case_constant_i32(m, "pads", &(struct shape)DIMS(4, 2), around) };

    padded.d[1] += 2;
    padded.d[2] += 2;
    return conv(m,
                graph_add_quantize(m, between(m, BUILTIN_MIRROR_PAD, OPTIONS_MirrorPadOptions,
                                              &padded, 2, mirror)),
                4, 3, ACTIVATION_RELU6);
}

/* Gates: a mean, two layers, and a factor for each channel. */
static struct value make_gates(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 9, 3, ACTIVATION_RELU6);
    const struct value mean = graph_add_mean(m, x, 6, true);
    const struct value gate = conv(m, conv(m, mean, 3, 1, ACTIVATION_RELU), 9, 1, ACTIVATION_NONE);

    return mul(m, x, graph_add_unary(m, BUILTIN_LOGISTIC, gate));
}

/* Segmentation: the mean of the image is enlarged and concatenated with the image. */
static struct value make_context(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 3, ACTIVATION_RELU6);
    const struct value mean = conv(m, graph_add_mean(m, x, 6, true), 5, 1, ACTIVATION_RELU6);
    const struct value all[] = {
        graph_add_resize_bilinear(m, mean, x.shape.d[1], x.shape.d[2], false), x
    };

    return conv(m, graph_add_concatenation(m, 2, all, 3), 7, 1, ACTIVATION_NONE);
}

#define GRAPH(name, why, op, gap_, make_, ...)                                                     \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = gap_, .scale = 0.5), .make = (make_),                    \
                                                               .in = DIMS(__VA_ARGS__)             \
    }
#define GRAPH_OF_FLOATS(name, why, op, gap_, make_, ...)                                           \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = gap_, .scale = 0.5, .floats = true),                     \
            .make = (make_), .in = DIMS(__VA_ARGS__)                                               \
    }
/* Three rows: an image of 3 channels, one of 5, and a batch whose channels fill their slices. */
#define GRAPHS(of_, name, why, op, gap_, make_)                                                    \
    of_(name "_c3", why, op, gap_, make_, 1, 4, 6, 3),                                             \
        of_(name "_n2_c5", why, op, gap_, make_, 2, 6, 4, 5),                                      \
        of_(name "_n3_c8", why, op, gap_, make_, 3, 4, 4, 8)
#define BYTES(name, why, op, make_)                                                                \
    BYTE_GRAPH(name "_c3", why, op, make_, 1, 4, 6, 3),                                            \
        BYTE_GRAPH(name "_n2_c5", why, op, make_, 2, 6, 4, 5),                                     \
        BYTE_GRAPH(name "_c8", why, op, make_, 1, 8, 8, 8)
#define BYTE_GRAPH(name, why, op, make_, ...)                                                      \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = GAP_BYTES, .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC)),  \
            .make = (make_), .in = DIMS(__VA_ARGS__)                                               \
    }
#define LANES(name, why, op, make_)     GRAPHS(GRAPH, name, why, op, GAP_LANES, make_)
#define FUSION(name, why, op, make_)    GRAPHS(GRAPH, name, why, op, GAP_FUSION, make_)
#define OVERWRITE(name, why, op, make_) GRAPHS(GRAPH, name, why, op, GAP_OVERWRITE, make_)
#define SUB_CONV(c)                                                                                \
    GRAPH("after_sub_c" #c, "SUB leaves nonzero values in the lanes past the last channel",        \
          "conv_2d", GAP_LANES, make_sub_conv, 1, 4, 5, c)

static const struct row rows[] = {
    SUB_CONV(1),
    SUB_CONV(2),
    SUB_CONV(3),
    SUB_CONV(5),
    SUB_CONV(7),
    LANES("exp_logistic", "EXP and LOGISTIC make nonzero values of padding lanes", "mean",
          make_exp_mean),
    LANES("concat_slice", "rows of classes begin in any lane of a slice", "softmax",
          make_concat_slice_softmax),
    LANES("variance", "layer normalization's first half", "mean", make_variance),
    LANES("heads", "heads of a detector in one list", "concatenation", make_heads),
    FUSION("conv", "an activation op behind a convolution", "relu", make_conv_relu),
    FUSION("conv", "an activation op behind a convolution", "relu6", make_conv_relu6),
    FUSION("conv_n1", "an activation op behind a fused activation", "relu", make_conv_n1_relu),
    FUSION("conv", "PRELU behind a convolution", "prelu", make_conv_prelu),
    FUSION("conv_mul", "MUL and ADD of a batch normalization behind a convolution", "add",
           make_conv_mul_add),
    FUSION("mul_add", "MUL and ADD of a batch normalization before a convolution", "conv_2d",
           make_mul_add_conv),
    FUSION("conv_computed", "the factor is computed, not constant: it cannot be folded", "mul",
           make_conv_mul_computed),
    FUSION("pad_valid", "PAD before a VALID convolution, as converters emit for stride 2",
           "conv_2d", make_pad_conv),
    FUSION("pad_same", "PAD before a SAME convolution, which pads once more", "conv_2d",
           make_pad_conv_same),
    FUSION("pad_behind", "PAD behind the image alone, before a 1x1 convolution", "conv_2d",
           make_pad_behind_conv),
    FUSION("pad_channels", "PAD adds channels, too, before a convolution", "conv_2d",
           make_pad_channels_conv),
    FUSION("pad", "the zeros of PAD are elements of the maximum", "max_pool_2d", make_pad_max_pool),
    FUSION("pad", "the zeros of PAD count in the average", "average_pool_2d",
           make_pad_average_pool),
    FUSION("pad_shared", "the padded image has two readers", "add", make_pad_shared),
    FUSION("relu_shared", "the convolution is read before and behind its activation", "sub",
           make_relu_shared),
    FUSION("residual", "a residual sum behind a convolution, and its activation", "relu",
           make_residual),
    FUSION("projected", "both summands are convolutions", "add", make_residual_projected),
    FUSION("twice", "one convolution is both operands of the sum", "add", make_add_twice),
    FUSION("inverted", "MobileNet's block", "add", make_inverted_residual),
    FUSION("separable", "a depthwise convolution, then a 1x1 convolution", "conv_2d",
           make_separable),
    FUSION("excite", "squeeze and excite: an image times a factor for each channel", "mul",
           make_excite),
    FUSION("swish", "x * logistic(x): both operands come from one tensor", "mul", make_swish),
    FUSION("classifier", "the end of a classifier: mean, dense layer, softmax", "softmax",
           make_classifier),
    FUSION("pooled", "the end of a classifier with a pool instead of the mean", "fully_connected",
           make_classifier_pool),
    FUSION("reshapes", "reshapes of reshapes: views of one buffer", "reshape", make_reshapes),
    FUSION("inception", "three branches of odd channels", "conv_2d", make_inception),
    FUSION("dense_block", "inputs that are results of concatenations", "concatenation",
           make_dense_block),
    FUSION("unet", "U-Net: down, up, and the image from before", "conv_2d", make_unet),
    FUSION("pyramid", "feature pyramid: the coarse image is enlarged and added", "add",
           make_pyramid),
    FUSION("split", "the channels are split, one half convolved, and joined again", "concatenation",
           make_split),
    OVERWRITE("aliases", "outputs that are views of another", "add", make_aliases),
    GRAPHS(GRAPH_OF_FLOATS, "shared", "weights and bias of two ops, the bias read by two more",
           "add", GAP_FUSION, make_shared_constants),
    OVERWRITE("long_life", "the first tensor is read last", "sub", make_long_life),
    OVERWRITE("outputs_inside", "outputs that later ops read", "add", make_outputs_inside),
    OVERWRITE("four_readers", "one tensor, four readers", "concatenation", make_four_readers),
    OVERWRITE("crossed", "two chains, crossed twice", "add", make_crossed),
    OVERWRITE("input_again", "the input is read last", "mul", make_input_again),
    GRAPH_OF_FLOATS("two_lstms", "two LSTMs one behind the other", "fully_connected", GAP_STATE,
                    make_two_lstms, 1, 4),
    GRAPH_OF_FLOATS("two_lstms_n3", "two LSTMs one behind the other, with a batch",
                    "fully_connected", GAP_STATE, make_two_lstms, 3, 3),
    GRAPH_OF_FLOATS("twin_lstms", "two LSTMs of one input", "concatenation", GAP_STATE,
                    make_twin_lstms, 1, 5),
    GRAPH_OF_FLOATS("twin_lstms_n2", "two LSTMs of one input, with a batch", "concatenation",
                    GAP_STATE, make_twin_lstms, 2, 8),
    BYTES("edges", "QUANTIZE, a layer with a residual, DEQUANTIZE", "dequantize", make_edges),
    BYTES("network", "a small network between QUANTIZE and DEQUANTIZE", "dequantize", make_network),
    BYTES("rescaled", "integers of two scales, both read", "add", make_rescaled),
    BYTES("both", "one layer whose result is read as integers and as floats", "logistic",
          make_both),
    BYTES("gates", "a factor for each channel that is computed", "mul", make_gates),
    BYTES("context", "the mean of the image, enlarged, beside it", "conv_2d", make_context),
    GRAPH_OF_FLOATS("epsilon", "a factor that is denormal in f16", "mul", GAP_EPSILON, make_epsilon,
                    1, 3, 3, 5),
    GRAPH_OF_FLOATS("epsilon_channels", "a factor for each channel that is denormal in f16", "mul",
                    GAP_EPSILON, make_epsilon_channels, 1, 3, 3, 5),
    GRAPH_OF_FLOATS("epsilon_sum", "a summand that f16 rounds to zero", "add", GAP_EPSILON,
                    make_epsilon_sum, 1, 3, 3, 5),
    { ROW("clamped_pool", "an activation that ends between two steps, in a pool", .only = "mean",
          .gap = GAP_BYTES, .types = TYPES_BYTES),
      .make = make_clamped_pool, .in = DIMS(1, 6, 5, 6) },
    BYTES("islands", "floats between DEQUANTIZE and QUANTIZE", "conv_2d", make_islands),
    { ROW("dense_residual", "a vector is added to a dense layer", .only = "add",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16), .sets = SET_BIT(SET_RANDOM)),
      .make = make_dense_residual, .in = DIMS(1, 262) },
    { ROW("deep_residual", "a sum of two deep sums of few results", .only = "add",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16), .sets = SET_BIT(SET_RANDOM)),
      .make = make_deep_residual, .in = DIMS(1, 4, 4, 260) },
    { ROW("padded_2x2", "zeros of PAD around a row or a column of the image", .only = "max_pool_2d",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM)),
      .make = make_pad_small_pool, .in = DIMS(2, 5, 6, 5) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    graph_add_judged_output(m, r->make(m, r));
}

SUITE(gap, members, rows, build);
