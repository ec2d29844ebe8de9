/* Graphs in which two ops look as if they could become one, but for a circumstance: the residual of
 * a convolution is an output, a view, broadcast or computed later; a factor is 1 but there is an
 * activation; results of constants; an operand that is smaller than the result. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, const struct row *r);
    struct shape in;
    struct graph_window window; /* of a depthwise convolution, and the outputs before it */
};

#define MEMBER(name, code_)                                                                        \
    GAP_MEMBER(name, code_, TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16),                               \
               SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS))
static const struct suite_member members[] = {
    MEMBER("conv_2d", CONV_2D), MEMBER("depthwise_conv_2d", DEPTHWISE_CONV_2D),
    MEMBER("add", ADD),         MEMBER("sub", SUB),
    MEMBER("mul", MUL),         MEMBER("maximum", MAXIMUM),
    MEMBER("softmax", SOFTMAX),
};

/* A result of an op, so that it is not an input of the graph. */
static struct value computed(struct case_builder *m, const struct row *r)
{
    return graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "x", &r->in));
}

static struct value conv(struct case_builder *m, struct value x, int activation)
{
    return graph_add_conv_2d(
        m, x,
        &(struct graph_window){
            .out = graph_channels(x), .h = 3, .w = 3, .activation = activation });
}

/* What the convolution reads: not the residual itself, which it could not overwrite. */
static struct value branch(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_RELU6, x);
}

static struct value binary(struct case_builder *m, int32_t code, struct value a, struct value b)
{
    return graph_add_binary(m, code, a, b, ACTIVATION_NONE);
}

static struct value add(struct case_builder *m, struct value a, struct value b)
{
    return binary(m, BUILTIN_ADD, a, b);
}

/* ---- the sum of a convolution and another tensor ---- */

static struct value make_residual_output(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);

    graph_add_output(m, x);
    return add(m, y, x);
}

static struct value make_conv_output(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);

    graph_add_output(m, y);
    return add(m, y, x);
}

static struct value make_residual_input(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);

    return add(m, x, conv(m, branch(m, x), ACTIVATION_NONE));
}

/* The residual is a view of a tensor that is an output. */
static struct value make_residual_is_view(struct case_builder *m, const struct row *r)
{
    const struct shape flat = DIMS(r->in.d[0], r->in.d[1] * r->in.d[2], r->in.d[3]);
    const struct value x = computed(m, r);
    const struct value f = graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_reshape(m, x, &flat));
    const struct value z = graph_add_reshape(m, f, &r->in);

    graph_add_output(m, f);
    return add(m, conv(m, branch(m, x), ACTIVATION_NONE), z);
}

/* A reshape of the residual is an output: it must still hold x behind the sum. */
static struct value make_residual_has_view(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct shape flat = DIMS(r->in.d[0], r->in.d[1] * r->in.d[2], r->in.d[3]);

    graph_add_output(m, graph_add_reshape(m, x, &flat));
    return add(m, conv(m, branch(m, x), ACTIVATION_NONE), x);
}

/* The residual is computed behind the convolution. */
static struct value make_residual_later(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);

    return add(m, y, graph_add_unary(m, BUILTIN_LOGISTIC, x));
}

/* A residual block whose shortcut is a convolution, the last one before the sum. */
static struct value make_residual_projected(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);
    const struct value end = conv(m, y, ACTIVATION_NONE);

    return add(m, end, conv(m, x, ACTIVATION_NONE));
}

/* The operands the other way round. */
static struct value make_shortcut_first(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);
    const struct value end = conv(m, y, ACTIVATION_NONE);

    return add(m, conv(m, x, ACTIVATION_NONE), end);
}

/* The same, and another sum that a convolution may write over what the branch reads. */
static struct value make_residual_beside(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), t = branch(m, x), y = conv(m, t, ACTIVATION_NONE);

    graph_add_output(m, add(m, conv(m, x, ACTIVATION_NONE), t));
    return add(m, y, conv(m, x, ACTIVATION_NONE));
}

/* The residual is read again behind the sum. */
static struct value make_residual_read_again(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), y = conv(m, branch(m, x), ACTIVATION_NONE);

    return binary(m, BUILTIN_MUL, add(m, y, x), x);
}

static struct value make_residual_grouped(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct graph_window w = { .out = graph_channels(x), .h = 3, .w = 3, .groups = 2 };

    return add(m, graph_add_conv_2d(m, branch(m, x), &w), x);
}

/* One value for each channel of an image is added. */
static struct value make_residual_channels(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct value mean = graph_add_mean(m, x, 6, true);

    return add(m, conv(m, branch(m, x), ACTIVATION_NONE), mean);
}

/* Of one image the residual has rank 3. */
static struct value make_residual_rank3(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct shape image = DIMS(r->in.d[1], r->in.d[2], r->in.d[3]);
    const struct value z = graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_reshape(m, x, &image));

    assert(r->in.d[0] == 1);
    return add(m, z, conv(m, branch(m, x), ACTIVATION_NONE));
}

static struct value make_residual_constant(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), residual = graph_add_constant(m, &r->in);

    return add(m, conv(m, branch(m, x), ACTIVATION_NONE), residual);
}

/* The convolution clamps before the sum, the sum once more. */
static struct value make_residual_clamps(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    return graph_add_binary(m, BUILTIN_ADD, conv(m, branch(m, x), ACTIVATION_RELU_N1), x,
                            ACTIVATION_RELU6);
}

/* Two sums behind one convolution. */
static struct value make_residual_twice(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r), z = graph_add_unary(m, BUILTIN_LOGISTIC, x);

    return add(m, add(m, conv(m, branch(m, x), ACTIVATION_NONE), x), z);
}

/* The residual is the result of a convolution that the next one reads. */
static struct value make_residual_chain(struct case_builder *m, const struct row *r)
{
    const struct value y = conv(m, computed(m, r), ACTIVATION_RELU6);

    return add(m, conv(m, y, ACTIVATION_NONE), y);
}

static struct value make_residual_left(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    return binary(m, BUILTIN_SUB, conv(m, branch(m, x), ACTIVATION_NONE), x);
}

static struct value make_residual_right(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    return binary(m, BUILTIN_SUB, x, conv(m, branch(m, x), ACTIVATION_NONE));
}

static struct value make_residual_depthwise(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct graph_window w = { .h = 3, .w = 3 };

    return add(m, graph_add_depthwise_conv_2d(m, branch(m, x), &w), x);
}

static struct value make_residual_dense(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    return add(
        m, graph_add_fully_connected(m, branch(m, x), graph_channels(x), true, ACTIVATION_NONE), x);
}

/* 1,048,577 channels of one pixel: more than 65,535 blocks of 16 channels, so that a grid of two
 * dimensions has blocks to spare, which must not add the residual a second time. */
static struct value make_residual_many(struct case_builder *m, const struct row *r)
{
    const struct shape pixel = DIMS(1, 1, 1, 1);
    const struct value x = graph_add_input(m, "x", &pixel);
    const struct value z = graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "residual", &r->in));
    const struct graph_window w = { .out = graph_channels(z), .h = 1, .w = 1 };

    return add(m, graph_add_conv_2d(m, x, &w), z);
}

/* ---- a 1x1 convolution and the depthwise one behind it ---- */

static struct value pointwise(struct case_builder *m, const struct row *r, struct value x)
{
    return graph_add_conv_2d(
        m, x,
        &(struct graph_window){
            .out = r->window.out, .h = 1, .w = 1, .activation = ACTIVATION_RELU6 });
}

static struct value make_pair(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    return graph_add_depthwise_conv_2d(m, pointwise(m, r, x), &r->window);
}

/* What is between the two is read elsewhere, too, or is an output. */
static struct value make_pair_read_twice(struct case_builder *m, const struct row *r)
{
    const struct value between = pointwise(m, r, computed(m, r));

    return add(m, graph_add_depthwise_conv_2d(m, between, &r->window), between);
}

static struct value make_pair_shown(struct case_builder *m, const struct row *r)
{
    const struct value between = pointwise(m, r, computed(m, r));

    graph_add_output(m, between);
    return graph_add_depthwise_conv_2d(m, between, &r->window);
}

/* x is read by the 1x1, and overwritten by the sum behind the depthwise one. */
static struct value make_pair_in_block(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct value y = graph_add_depthwise_conv_2d(m, pointwise(m, r, x), &r->window);
    const struct graph_window back = { .out = r->in.d[3], .h = 1, .w = 1 };

    return add(m, x, graph_add_conv_2d(m, y, &back));
}

/* ---- padding ---- */

static struct value make_pad_lanes(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .out = 5, .h = 3, .w = 3, .valid = true };

    return graph_add_conv_2d(m, graph_add_pad(m, computed(m, r), 0, 3), &w);
}

static struct value make_pad_lanes_depthwise(struct case_builder *m, const struct row *r)
{
    const struct value p = graph_add_pad(m, computed(m, r), 1, 3);

    return graph_add_depthwise_conv_2d(m, p,
                                       &(struct graph_window){ .h = 3, .w = 3, .valid = true });
}

/* ---- constants ---- */

/* Nothing changes, but for the activation: x * 1, x - 0, and x + -0, which keeps the sign of 0. */
static struct value make_neutral(struct case_builder *m, const struct row *r, int activation)
{
    const struct shape scalar = SCALAR, linear = DIMS(1, 1, 1, r->in.d[3]);
    const struct value factor = graph_add_constant(m, &linear);
    const struct value x = binary(m, BUILTIN_MUL, graph_add_input(m, "x", &r->in), factor);
    const float neutral = m->c->code == BUILTIN_MUL ? 1 : m->c->code == BUILTIN_ADD ? -0.0f : 0;
    const struct value c =
        graph_add_number(m, activation == ACTIVATION_RELU6 ? &linear : &scalar, neutral);

    return graph_add_binary(m, m->c->code, x, c, activation);
}

static struct value make_neutral_relu(struct case_builder *m, const struct row *r)
{
    return make_neutral(m, r, ACTIVATION_RELU);
}

static struct value make_neutral_n1(struct case_builder *m, const struct row *r)
{
    return make_neutral(m, r, ACTIVATION_RELU_N1);
}

static struct value make_neutral_relu6(struct case_builder *m, const struct row *r)
{
    return make_neutral(m, r, ACTIVATION_RELU6);
}

/* A factor of 1 that enlarges what it multiplies. */
static struct value make_one_grows(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_mean(m, computed(m, r), 6, true);

    return binary(m, m->c->code, x, graph_add_number(m, &(struct shape)DIMS(1, 3, 4, 1), 1));
}

/* Results of constants alone: padded, sliced, clamped, scaled, reshaped, concatenated. */
static struct value make_folded(struct case_builder *m, const struct row *r)
{
    const int32_t h = r->in.d[1], w = r->in.d[2], c = r->in.d[3];
    const struct value pad =
        graph_add_pad(m, graph_add_constant(m, &(struct shape)DIMS(1, h - 2, w - 2, c)), 1, 0);
    const struct value slope =
        graph_add_prelu(m, graph_add_constant(m, &(struct shape)DIMS(1, 1, w, c)));
    const struct value slice = graph_add_strided_slice(
        m, graph_add_constant(m, &(struct shape)DIMS(1, 1, 1, c + 3)), 3, 2, c, 1);
    const struct value part = graph_add_constant(m, &(struct shape)DIMS(1, h, 1, 1));
    const struct value both =
        graph_add_concatenation(m, 2, (const struct value[]){ part, part }, 1);
    const struct value halves = graph_add_reshape(
        m, graph_add_strided_slice(m, both, 1, h / 2, h, 1), &(struct shape)DIMS(h, 1, 1));
    struct value y = add(m, graph_add_input(m, "x", &r->in), pad);

    y = add(m, y, slope);
    y = add(m, y, graph_add_unary(m, BUILTIN_RELU, slice));
    return add(m, y, halves);
}

/* Attention: a mask is added to logits, then SOFTMAX. */
static struct value make_masked(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);
    const struct value mask = graph_add_constant(m, &(struct shape)DIMS(1, 1, 4, 8));

    return graph_add_softmax(m, add(m, x, mask));
}

static struct value make_masked_by_input(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);
    const struct value mask = graph_add_input(m, "mask", &(struct shape)DIMS(1, 1, 4, 8));

    return graph_add_softmax(m, add(m, x, mask));
}

/* The peak is subtracted first, as where SOFTMAX is written out: of a whole row of infinities that
 * would be infinity less infinity. */
static struct value make_masked_in_steps(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);
    const struct value mask = graph_add_constant(m, &(struct shape)DIMS(1, 1, 4, 8));
    const struct value s = add(m, x, mask);
    const struct value peak = graph_add_reduction(m, BUILTIN_REDUCE_MAX, s, 8, true);

    return graph_add_softmax(m, binary(m, BUILTIN_SUB, s, peak));
}

/* What is masked is multiplied by 0 behind: infinity would be NaN. */
static struct value make_masked_times_0(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);
    const struct value mask = graph_add_constant(m, &(struct shape)DIMS(1, 1, 4, 8));
    const struct value s = add(m, x, mask);
    const struct value zero = graph_add_number(m, &(struct shape)SCALAR, 0);

    return graph_add_softmax(m, binary(m, BUILTIN_MUL, s, zero));
}

/* Floats become integers and floats again, as fake quantization does: where a device stores floats
 * in f16, QUANTIZE reads these. */
static struct value make_rounded(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_input(m, "x", &r->in));
    const struct options quantize = { .tag = OPTIONS_QuantizeOptions };
    const int q = case_tensor_of(m, "q", &r->in, TENSOR_INT8);
    const float scale = 0x1p-8F;
    const int64_t zero = -128;
    struct value y = { .shape = r->in };

    builder_quantization(&m->builder, q, 1, &scale, &zero, 0);
    case_op(m, BUILTIN_QUANTIZE, 1, &quantize, 1, &x.tensor, q);
    y.tensor = case_tensor(m, "y", &r->in);
    y.op = case_op(m, BUILTIN_DEQUANTIZE, 2, &(struct options){ .tag = OPTIONS_DequantizeOptions },
                   1, &q, y.tensor);
    return binary(m, BUILTIN_MUL, y, x);
}

/* All of a vector from its end, which has the vector's shape, and no stride of 1. */
static struct value make_reversed(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const int32_t n = r->in.d[0];

    return binary(m, BUILTIN_MUL, graph_add_strided_slice(m, x, 0, n - 1, n, -1), x);
}

/* ---- operands that are smaller than the result ---- */

/* The smaller operand is a result that nothing reads again, and the larger one an input: the result
 * must not take the smaller one's memory. */
static struct value gate(struct case_builder *m, const struct row *r, struct value *x)
{
    *x = graph_add_input(m, "x", &r->in);
    return graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_mean(m, *x, 6, true));
}

static struct value make_small_left(struct case_builder *m, const struct row *r)
{
    struct value x;
    const struct value s = gate(m, r, &x);

    return binary(m, m->c->code, s, x);
}

static struct value make_small_right(struct case_builder *m, const struct row *r)
{
    struct value x;
    const struct value s = gate(m, r, &x);

    return binary(m, m->c->code, x, s);
}

/* Each operand is broadcast, and neither is read again. */
static struct value make_small_both(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_input(m, "x", &r->in);
    const struct value a = graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_mean(m, x, 2, true));
    const struct value b = graph_add_unary(m, BUILTIN_RELU, graph_add_mean(m, x, 4, true));

    return binary(m, m->c->code, a, b);
}

#define GRAPH(name, why, op, gap_, make_, ...)                                                     \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = gap_, .scale = 0.5), .make = (make_),                    \
                                                               .in = DIMS(__VA_ARGS__)             \
    }
/* An image whose channels leave a lane free, and a batch whose channels fill their slices. */
#define GRAPHS(name, why, op, gap_, make_)                                                         \
    GRAPH(name "_c6", why, op, gap_, make_, 1, 4, 5, 6),                                           \
        GRAPH(name "_n2_c8", why, op, gap_, make_, 2, 5, 4, 8)
#define FUSION(name, why, op, make_) GRAPHS(name, why, op, GAP_FUSION, make_)

/* Window: outputs of the 1x1, then height, width, stride and so on of the depthwise one. */
#define UNPACK(...) __VA_ARGS__
#define PAIR(name, why, op, make_, window_, ...)                                                   \
    {                                                                                              \
        ROW("pointwise_depthwise_" name, why, .only = op, .gap = GAP_FUSION, .scale = 0.25),       \
            .make = (make_), .in = DIMS(__VA_ARGS__), .window = {                                  \
                UNPACK window_                                                                     \
            }                                                                                      \
    }
#define DEPTHWISE_PAIR(name, window_, ...)                                                         \
    PAIR(name, "a depthwise convolution is all that reads a 1x1 convolution", "depthwise_conv_2d", \
         make_pair, window_, __VA_ARGS__)

/* A mask of rows of eight logits: none of them, some, all but one, all. */
#define MASK(v)                                                                                    \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, v, 0, v, v, 0, 0, v, v, v, v, v, 0, v, v, v, v, v, v, v, v,  \
            v, v                                                                                   \
    }
static const float mask_1e4[] = MASK(-1e4F), mask_1e9[] = MASK(-1e9F),
                   mask_lowest[] = MASK(-FLT_MAX), mask_infinite[] = MASK(-INFINITY);
#define MASKED(name, why, make_, mask, ...)                                                        \
    {                                                                                              \
        ROW(name, why, .only = "softmax", .gap = GAP_HALF_RANGE, .types = TYPE_BIT(CASE_F32),      \
            .sets = SET_BIT(SET_POSITIVE), .values_of = 1, VALUES(mask), __VA_ARGS__),             \
            .make = make_, .in = DIMS(1, 2, 4, 8)                                                  \
    }

static const struct row rows[] = {
    FUSION("shown_residual", "the residual of a convolution is an output", "add",
           make_residual_output),
    FUSION("shown_conv", "the convolution before a sum is an output", "add", make_conv_output),
    FUSION("input_residual", "the residual is an input", "add", make_residual_input),
    FUSION("view_residual", "the residual is a view of another tensor", "add",
           make_residual_is_view),
    FUSION("viewed_residual", "a view of the residual is an output", "add", make_residual_has_view),
    FUSION("later_residual", "the residual is computed behind the convolution", "add",
           make_residual_later),
    FUSION("projected_residual", "the shortcut of a block is a convolution", "add",
           make_residual_projected),
    FUSION("residual_beside", "the branch reads what another sum overwrites", "add",
           make_residual_beside),
    FUSION("sum_times_residual", "the residual is read again behind the sum", "mul",
           make_residual_read_again),
    FUSION("grouped_residual", "a sum behind a grouped convolution", "add", make_residual_grouped),
    FUSION("channels_residual", "the residual is one value for each channel", "add",
           make_residual_channels),
    GRAPH("rank3_residual", "the residual has rank 3", "add", GAP_FUSION, make_residual_rank3, 1, 4,
          5, 6),
    FUSION("constant_residual", "the residual is a constant", "add", make_residual_constant),
    FUSION("clamped_residual", "the convolution clamps, and the sum does", "add",
           make_residual_clamps),
    FUSION("two_residuals", "two sums behind one convolution", "add", make_residual_twice),
    FUSION("chained_residual", "the residual is a convolution's result", "add",
           make_residual_chain),
    FUSION("residual_left", "a difference: the convolution less x", "sub", make_residual_left),
    FUSION("residual_right", "a difference: x less the convolution", "sub", make_residual_right),
    FUSION("depthwise_residual", "a sum behind a depthwise convolution", "add",
           make_residual_depthwise),
    FUSION("dense_residual", "a sum behind a dense layer", "add", make_residual_dense),
    { ROW("many_residuals", "a sum behind a convolution of more than 65,535 blocks", LARGE,
          .only = "add", .gap = GAP_FUSION),
      .make = make_residual_many, .in = DIMS(1, 1, 1, 1048577) },
    DEPTHWISE_PAIR("c32", (.out = 32, .h = 3, .w = 3), 1, 6, 6, 32),
    DEPTHWISE_PAIR("c6", (.out = 6, .h = 3, .w = 3), 1, 5, 4, 6),
    DEPTHWISE_PAIR("c3_stride2", (.out = 9, .h = 3, .w = 3, .stride = 2), 1, 7, 5, 3),
    DEPTHWISE_PAIR("n3_c5", (.out = 7, .h = 3, .w = 3), 3, 3, 2, 5),
    DEPTHWISE_PAIR("valid", (.out = 36, .h = 3, .w = 3, .stride = 1, .valid = true), 1, 5, 7, 12),
    DEPTHWISE_PAIR("valid_stride2", (.out = 4, .h = 3, .w = 3, .stride = 2, .valid = true), 2, 8, 6,
                   4),
    DEPTHWISE_PAIR("window2x4", (.out = 5, .h = 2, .w = 4), 1, 4, 6, 9),
    DEPTHWISE_PAIR("window1x1", (.out = 8, .h = 1, .w = 1), 1, 3, 5, 7),
    DEPTHWISE_PAIR("window5x5", (.out = 8, .h = 5, .w = 5), 1, 6, 6, 8),
    DEPTHWISE_PAIR("one_row", (.out = 5, .h = 3, .w = 3), 1, 1, 9, 6),
    DEPTHWISE_PAIR("one_column", (.out = 5, .h = 3, .w = 3), 1, 9, 1, 6),
    DEPTHWISE_PAIR("deep", (.out = 16, .h = 3, .w = 3), 1, 3, 3, 1028),
    DEPTHWISE_PAIR("wide", (.out = 36, .h = 3, .w = 3, .stride = 2), 1, 4, 61, 20),
    PAIR("twice", "a depthwise convolution and a sum read a 1x1 convolution", "add",
         make_pair_read_twice, (.out = 6, .h = 3, .w = 3), 1, 4, 5, 6),
    PAIR("shown", "a 1x1 convolution before a depthwise one is an output", "depthwise_conv_2d",
         make_pair_shown, (.out = 6, .h = 3, .w = 3), 1, 4, 5, 6),
    PAIR("block", "a block's input is added to its result", "add", make_pair_in_block,
         (.out = 20, .h = 3, .w = 3), 1, 4, 5, 6),
    FUSION("pad_lanes", "PAD adds channels behind the last one, before a convolution", "conv_2d",
           make_pad_lanes),
    FUSION("pad_lanes", "PAD adds channels behind the last one, before a convolution",
           "depthwise_conv_2d", make_pad_lanes_depthwise),
    FUSION("neutral_relu", "nothing changes, but for RELU", "add sub mul", make_neutral_relu),
    FUSION("neutral_n1", "nothing changes, but for RELU_N1_TO_1", "add sub mul", make_neutral_n1),
    FUSION("neutral_relu6", "nothing changes, but for RELU6", "add sub mul", make_neutral_relu6),
    FUSION("one_grows", "a constant of ones that enlarges the other operand", "mul maximum",
           make_one_grows),
    FUSION("folded", "results of constants alone", "add", make_folded),
    GRAPHS("small_left", "the left operand is smaller than the result", "add sub mul maximum",
           GAP_OVERWRITE, make_small_left),
    GRAPHS("small_right", "the right operand is smaller than the result", "add sub mul maximum",
           GAP_OVERWRITE, make_small_right),
    GRAPHS("small_both", "both operands are smaller than the result", "add sub mul maximum",
           GAP_OVERWRITE, make_small_both),
    MASKED("masked_1e9", "attention: a constant mask of -1e9, in whole rows, too", make_masked,
           mask_1e9, .full_mantissas = true),
    MASKED("masked_lowest", "attention: a constant mask of the lowest f32, in whole rows, too",
           make_masked, mask_lowest, .full_mantissas = true),
    MASKED("masked_1e9_input", "attention: a mask of -1e9 that is an input", make_masked_by_input,
           mask_1e9, .full_mantissas = true),
    MASKED("masked_infinite_input", "attention: a mask of -infinity that is an input",
           make_masked_by_input, mask_infinite, .specials = true),
    MASKED("masked_1e4", "attention: a constant mask of -1e4, in whole rows, too", make_masked,
           mask_1e4, .full_mantissas = true),
    MASKED("masked_in_steps", "attention: the peak of masked logits is subtracted",
           make_masked_in_steps, mask_1e9, .full_mantissas = true),
    { ROW("rounded_c5", "integers between floats", .only = "mul", .gap = GAP_FUSION,
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .make = make_rounded, .in = DIMS(1, 3, 4, 5) },
    { ROW("rounded_c7", "integers between floats, in rows that end with three", .only = "mul",
          .gap = GAP_FUSION, .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .make = make_rounded, .in = DIMS(2, 3, 7) },
    MASKED("masked_times_0", "a product of masked logits and 0", make_masked_times_0, mask_1e9,
           .full_mantissas = true),
    FUSION("shortcut_first", "the shortcut of a block is the first operand", "add",
           make_shortcut_first),
    { ROW("reversed_c7", "a vector backwards has its shape", .only = "mul",
          .types = TYPE_BIT(CASE_F32)),
      .make = make_reversed, .in = DIMS(7) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    graph_add_judged_output(m, r->make(m, r));
}

SUITE(combinations, members, rows, build);
