/* Graphs in which a rewrite must look twice: at scales that differ, at groups and multipliers, at
 * who else reads a residual, at the zero point of padding.  They run in 8 bits, in integers as in
 * floats, and most in f32. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, const struct row *r);
    struct shape in;
};

#define MEMBER(name, code_)                                                                        \
    GAP_MEMBER(name, code_, TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I8PC),                \
               SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE))
static const struct suite_member members[] = {
    MEMBER("conv_2d", CONV_2D),
    MEMBER("depthwise_conv_2d", DEPTHWISE_CONV_2D),
    MEMBER("fully_connected", FULLY_CONNECTED),
    MEMBER("concatenation", CONCATENATION),
    MEMBER("add", ADD),
    MEMBER("mul", MUL),
    MEMBER("relu", RELU),
    MEMBER("average_pool_2d", AVERAGE_POOL_2D),
    MEMBER("mean", MEAN),
};

static struct value input(struct case_builder *m, const struct row *r)
{
    return graph_add_input(m, "x", &r->in);
}

static struct value conv(struct case_builder *m, struct value x, int32_t out, int32_t kernel)
{
    return graph_add_conv_2d(m, x, &(struct graph_window){ .out = out, .h = kernel, .w = kernel });
}

/* A convolution of two groups. */
static struct value grouped(struct case_builder *m, struct value x, int32_t out)
{
    return graph_add_conv_2d(m, x,
                             &(struct graph_window){ .out = out, .h = 3, .w = 3, .groups = 2 });
}

static struct value depthwise(struct case_builder *m, struct value x, int32_t multiplier)
{
    return graph_add_depthwise_conv_2d(
        m, x, &(struct graph_window){ .h = 3, .w = 3, .multiplier = multiplier });
}

static struct value add(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_ADD, a, b, ACTIVATION_NONE);
}

/* ---- what integers are rounded to between two ops ---- */

static struct value make_grouped(struct case_builder *m, const struct row *r)
{
    const struct value y = grouped(m, input(m, r), 8);

    graph_add_output(m, depthwise(m, y, 1));
    return add(m, y, graph_add_per_channel(m, y));
}

static struct value make_multiplier(struct case_builder *m, const struct row *r)
{
    const struct value y = depthwise(m, input(m, r), 2);

    graph_add_output(m, conv(m, y, 5, 1));
    return graph_add_binary(m, BUILTIN_MUL, y, graph_add_per_channel(m, y), ACTIVATION_NONE);
}

/* Each result is read by two ops of which one is a grouped convolution again. */
static struct value make_grouped_twice(struct case_builder *m, const struct row *r)
{
    const struct value y = grouped(m, input(m, r), 8), z = grouped(m, y, 8);

    return add(m, depthwise(m, z, 1), z);
}

/* CONCATENATION of one tensor, which rescales in u8, between two convolutions. */
static struct value make_concat_one(struct case_builder *m, const struct row *r)
{
    const struct value y = conv(m, input(m, r), 6, 3);

    return conv(m, graph_add_concatenation(m, 1, &y, 3), 5, 3);
}

/* The same at the end of the graph, where an op that only moves data is taken out most easily. */
static struct value make_concat_one_last(struct case_builder *m, const struct row *r)
{
    const struct value y = conv(m, input(m, r), 6, 1);

    return graph_add_concatenation(m, 1, &y, 3);
}

/* Joined in steps of the same size, but with another zero point: half of the values saturate before
 * the convolution. */
static struct value make_concat_zero(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_ConcatenationOptions };
    struct value y = { .shape = r->in };
    const int in[] = { case_input_scaled(m, "a", &r->in, TENSOR_UINT8, 0.05, 0),
                       case_input_scaled(m, "b", &r->in, TENSOR_UINT8, 0.05, 0) };

    y.shape.d[0] *= 2;
    y.tensor = case_output_scaled(m, "joined", &y.shape, TENSOR_UINT8, 0.05, 128);
    y.op = case_op(m, BUILTIN_CONCATENATION, 1, &options, 2, in, y.tensor);
    return conv(m, y, 5, 3);
}

/* QUANTIZE to another scale in front of what keeps values: a pool, a slice, RESHAPE. */
static struct value make_rescale_move(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_quantize(m, conv(m, input(m, r), 6, 1));
    const struct value p = graph_add_pool(m, BUILTIN_MAX_POOL_2D, x,
                                          &(struct graph_window){ .h = 2, .w = 2, .stride = 2 });
    const struct value s = graph_add_strided_slice(m, p, 3, 1, 4, 1);

    return graph_add_fully_connected(m, s, 7, false, ACTIVATION_NONE);
}

/* ---- padding ---- */

static struct value make_pad(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .out = 6, .h = 3, .w = 3, .stride = 2, .valid = true };

    return graph_add_conv_2d(m, graph_add_pad(m, conv(m, input(m, r), 5, 1), 1, 0), &w);
}

/* PAD, whose zeros are the zero point, in front of a depthwise convolution that pads as well. */
static struct value make_pad_depthwise(struct case_builder *m, const struct row *r)
{
    return depthwise(m, graph_add_pad(m, input(m, r), 1, 0), 1);
}

/* PAD adds channels behind the last one. */
static struct value make_pad_channels(struct case_builder *m, const struct row *r)
{
    return conv(m, graph_add_pad(m, conv(m, input(m, r), 5, 1), 1, 2), 6, 3);
}

static struct value make_pad_grouped(struct case_builder *m, const struct row *r)
{
    const struct value y = grouped(m, graph_add_pad(m, conv(m, input(m, r), 6, 1), 1, 0), 8);

    return add(m, y, graph_add_per_channel(m, y));
}

/* ---- averages of a batch ---- */

static struct value make_global_mean(struct case_builder *m, const struct row *r)
{
    const struct value mean = graph_add_mean(m, conv(m, input(m, r), 9, 1), 6, true);

    return graph_add_fully_connected(m, mean, 5, false, ACTIVATION_NONE);
}

static struct value make_global_pool(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .h = r->in.d[1], .w = r->in.d[2], .valid = true };

    return graph_add_pool(m, BUILTIN_AVERAGE_POOL_2D, conv(m, input(m, r), 9, 1), &w);
}

/* ---- residuals ---- */

/* Two convolutions: the first reads the residual, and the second may add to it in its memory. */
static struct value body(struct case_builder *m, struct value x)
{
    return conv(m, conv(m, x, 8, 1), graph_channels(x), 3);
}

static struct value make_residual_grouped(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 8, 1);

    return add(m, grouped(m, conv(m, x, 6, 1), 8), x);
}

static struct value make_residual_multiplier(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 8, 1);
    const struct value y = depthwise(m, conv(m, x, 4, 1), 2);

    return add(m, x, y);
}

/* The residual is an output of the graph: nothing may be added in its memory. */
static struct value make_residual_output(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1);

    graph_add_output(m, x);
    return add(m, body(m, x), x);
}

/* Another shape of the residual is read last. */
static struct value make_residual_view(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1);
    const struct value flat =
        graph_add_reshape(m, x, &(struct shape)DIMS(x.shape.d[0], x.shape.d[1] * x.shape.d[2], 6));
    const struct value y = add(m, body(m, x), x);

    graph_add_output(m, graph_add_unary(m, BUILTIN_RELU, flat));
    return y;
}

/* The other summand is a shape of an earlier result, which is read last. */
static struct value make_residual_is_view(struct case_builder *m, const struct row *r)
{
    const int32_t n = r->in.d[0], h = r->in.d[1], w = r->in.d[2];
    const struct value wide = conv(m, input(m, r), 6, 1);
    const struct value turned = graph_add_reshape(m, wide, &(struct shape)DIMS(n, w, h, 6));
    const struct value y = add(m, body(m, turned), turned);

    graph_add_output(m, graph_add_unary(m, BUILTIN_RELU, wide));
    return y;
}

/* The other summand is computed behind the convolution. */
static struct value make_residual_later(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), y = body(m, x);
    const struct value later =
        graph_add_pool(m, BUILTIN_MAX_POOL_2D, x, &(struct graph_window){ .h = 3, .w = 3 });

    return add(m, y, later);
}

/* The residual is read once more behind the sum. */
static struct value make_residual_again(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1), y = add(m, body(m, x), x);

    return graph_add_binary(m, BUILTIN_MUL, y, x, ACTIVATION_NONE);
}

/* One residual of two sums. */
static struct value make_residual_twice(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1);
    const struct value a = add(m, body(m, x), x), b = add(m, body(m, x), x);

    return add(m, a, b);
}

/* The sum has an activation, and what it is added to has one of its own. */
static struct value make_residual_activations(struct case_builder *m, const struct row *r)
{
    const struct value x = conv(m, input(m, r), 6, 1);
    const struct graph_window w = { .out = 6, .h = 3, .w = 3, .activation = ACTIVATION_RELU };

    return graph_add_binary(m, BUILTIN_ADD, graph_add_conv_2d(m, x, &w), x, ACTIVATION_RELU6);
}

/* ---- neighbours in memory ---- */

/* Seven results of one shape, of which the second and fourth end before the last two begin: those
 * take the room between tensors that are read later, so that a kernel that writes past its last
 * pixel changes one of these.  Tensors of whole 256 bytes leave no padding between them, and no
 * tile divides the pixels. */
static struct value make_crowded(struct case_builder *m, const struct row *r,
                                 struct value (*op)(struct case_builder *m, struct value x))
{
    const struct value x = graph_add_unary(m, BUILTIN_RELU, input(m, r));
    struct value y[7], read;

    for (int i = 0; i < 5; i++)
        y[i] = op(m, x);
    read = graph_add_binary(m, BUILTIN_MAXIMUM, y[1], y[3], ACTIVATION_NONE);
    graph_add_output(m, graph_add_reduction(m, BUILTIN_REDUCE_MAX, read, 6, true));
    y[5] = op(m, x);
    y[6] = op(m, x);
    return graph_add_concatenation(m, 5, (const struct value[]){ y[0], y[2], y[4], y[5], y[6] }, 3);
}

static struct value wide_conv(struct case_builder *m, struct value x)
{
    return conv(m, x, graph_channels(x) == 4 ? 16 : 64, 3);
}
static struct value same_depthwise(struct case_builder *m, struct value x)
{
    return depthwise(m, x, 1);
}

static struct value wide_transposed(struct case_builder *m, struct value x)
{
    return graph_add_transpose_conv(m, x, &(struct graph_window){ .out = 8, .h = 3, .w = 3 });
}
static struct value make_crowded_conv(struct case_builder *m, const struct row *r)
{
    return make_crowded(m, r, wide_conv);
}
static struct value make_crowded_depthwise(struct case_builder *m, const struct row *r)
{
    return make_crowded(m, r, same_depthwise);
}
static struct value make_crowded_transposed(struct case_builder *m, const struct row *r)
{
    return make_crowded(m, r, wide_transposed);
}

#define GRAPH_OF(name, why, op, gap_, types_, make_, ...)                                          \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = gap_, .scale = 0.5, .types = types_),                    \
            .make = (make_), .in = DIMS(__VA_ARGS__)                                               \
    }
#define CROWDED(type, name, make_, ...)                                                            \
    GRAPH_OF("crowded_" name, "kernels write between tensors that are read later",                 \
             "concatenation", GAP_OVERWRITE, TYPE_BIT(type), make_, __VA_ARGS__)
enum { BYTES = TYPES_BYTES | TYPE_BIT(CASE_I8PC), ANY = BYTES | TYPE_BIT(CASE_F32) };
/* Two rows: channels that do not fill a slice, and a batch whose channels do. */
#define EXACT(name, why, op, make_)                                                                \
    GRAPH_OF(name "_c6", why, op, GAP_BYTES, BYTES, make_, 1, 4, 6, 6),                            \
        GRAPH_OF(name "_n2_c4", why, op, GAP_BYTES, BYTES, make_, 2, 6, 4, 4)
#define FUSED(name, why, op, make_)                                                                \
    GRAPH_OF(name "_c6", why, op, GAP_FUSION, ANY, make_, 1, 4, 6, 6),                             \
        GRAPH_OF(name "_n2_c4", why, op, GAP_FUSION, ANY, make_, 2, 6, 4, 4)
#define MEMORY(name, why, op, make_)                                                               \
    GRAPH_OF(name "_c6", why, op, GAP_OVERWRITE, ANY, make_, 1, 4, 6, 6),                          \
        GRAPH_OF(name "_n2_c4", why, op, GAP_OVERWRITE, ANY, make_, 2, 6, 4, 4)

static const struct row rows[] = {
    EXACT("grouped", "two ops read a grouped convolution", "add", make_grouped),
    EXACT("multiplier", "two ops read a depthwise convolution with a multiplier", "mul",
          make_multiplier),
    EXACT("grouped_twice", "grouped convolutions in a row, the last one read twice", "add",
          make_grouped_twice),
    EXACT("concat_one", "one tensor concatenated to another scale, between convolutions", "conv_2d",
          make_concat_one),
    EXACT("one_last", "one tensor concatenated to another scale, as the result", "concatenation",
          make_concat_one_last),
    EXACT("rescale_move", "another scale in front of ops that keep it", "fully_connected",
          make_rescale_move),
    EXACT("pad_zero", "PAD writes the zero point", "conv_2d", make_pad),
    EXACT("pad_zero", "PAD writes the zero point", "depthwise_conv_2d", make_pad_depthwise),
    EXACT("pad_behind", "PAD writes channels of the zero point", "conv_2d", make_pad_channels),
    EXACT("pad_grouped", "PAD before a grouped convolution", "add", make_pad_grouped),
    EXACT("global_mean", "the mean of each image of a batch", "fully_connected", make_global_mean),
    EXACT("global", "the average of each image of a batch", "average_pool_2d", make_global_pool),
    FUSED("residual_grouped", "a residual behind a grouped convolution", "add",
          make_residual_grouped),
    FUSED("residual_multiplier", "a residual behind a convolution with a multiplier", "add",
          make_residual_multiplier),
    FUSED("residual_activations", "a residual, with an activation on either side of the sum", "add",
          make_residual_activations),
    MEMORY("residual_output", "the residual is an output, too", "add", make_residual_output),
    MEMORY("residual_view", "the residual is read in another shape behind the sum", "add",
           make_residual_view),
    MEMORY("residual_is_view", "the residual is another shape of what is read behind the sum",
           "add", make_residual_is_view),
    MEMORY("residual_later", "what is added is computed behind the convolution", "add",
           make_residual_later),
    MEMORY("residual_read_again", "the residual is read again behind the sum", "mul",
           make_residual_again),
    MEMORY("residual_twice", "one residual of two sums", "add", make_residual_twice),
    CROWDED(CASE_F32, "conv", make_crowded_conv, 1, 4, 5, 4),
    CROWDED(CASE_F32, "depthwise", make_crowded_depthwise, 1, 2, 8, 4),
    CROWDED(CASE_F32, "transposed", make_crowded_transposed, 1, 4, 6, 3),
    CROWDED(CASE_I8, "conv", make_crowded_conv, 1, 4, 9, 8),
    GRAPH_OF("concat_zero", "inputs joined with another zero point saturate", "conv_2d", GAP_BYTES,
             TYPE_BIT(CASE_U8), make_concat_zero, 1, 4, 6, 6),
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    graph_add_judged_output(m, r->make(m, r));
}

SUITE(gap_bytes, members, rows, build);
