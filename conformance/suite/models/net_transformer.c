/* Attention, perceptrons and layer normalization, in the ops that converters write. */
#include "conformance/suite/models/net_transformer.h"

#include "conformance/suite/models/net_weights.h"

#include <math.h>

static const double epsilon = 1e-3;

static struct zoo_tokens tokens(struct zoo_net *net, const char *name, struct zoo_tokens shape,
                                enum zoo_scale_source source)
{
    shape.index = zoo_activation(
        net, name, 3, (int32_t[]){ zoo_batch(net), shape.count, shape.width }, source, -1);
    return shape;
}

/* An op of two inputs; the result has the shape of a. */
static struct zoo_tokens binary(struct zoo_net *net, const char *name, int32_t code, int table,
                                struct zoo_tokens a, int b)
{
    const struct zoo_tokens out = tokens(net, name, a, ZOO_SCALE_MEASURED);
    struct options o;

    options_init(&o, (uint8_t)table);
    builder_op(&net->builder, code, zoo_version(net, 2), &o, 2, (int[]){ a.index, b }, 1,
               &out.index);
    return out;
}

static struct zoo_tokens add(struct zoo_net *net, const char *name, struct zoo_tokens a, int b)
{
    return binary(net, name, BUILTIN_ADD, OPTIONS_AddOptions, a, b);
}

static struct zoo_tokens multiply(struct zoo_net *net, const char *name, struct zoo_tokens a, int b)
{
    return binary(net, name, BUILTIN_MUL, OPTIONS_MulOptions, a, b);
}

static struct zoo_tokens unary(struct zoo_net *net, const char *name, int32_t code,
                               struct zoo_tokens in)
{
    const struct zoo_tokens out = tokens(net, name, in, ZOO_SCALE_MEASURED);

    builder_op(&net->builder, code, zoo_version(net, 2), NULL, 1, &in.index, 1, &out.index);
    return out;
}

/* Of each token: [batch, count, 1]. */
static struct zoo_tokens mean(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int inputs[2] = { in.index, zoo_shape(net, zoo_label(name, "axes").text, 1,
                                                (int32_t[]){ 1 }, (int32_t[]){ 2 }, 1) };
    const struct zoo_tokens out =
        tokens(net, name, (struct zoo_tokens){ 0, in.count, 1 }, ZOO_SCALE_MEASURED);
    struct options o;

    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    builder_op(&net->builder, BUILTIN_MEAN, zoo_version(net, 2), &o, 2, inputs, 1, &out.index);
    return out;
}

static struct zoo_tokens normalize(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int32_t width[] = { in.width };
    const struct zoo_tokens m = mean(net, zoo_label(name, "mean").text, in);
    struct zoo_tokens v = binary(net, zoo_label(name, "squares").text, BUILTIN_SQUARED_DIFFERENCE,
                                 OPTIONS_SquaredDifferenceOptions, in, m.index);
    struct zoo_tokens x =
        binary(net, zoo_label(name, "centred").text, BUILTIN_SUB, OPTIONS_SubOptions, in, m.index);

    v = mean(net, zoo_label(name, "variance").text, v);
    v = add(net, zoo_label(name, "add").text, v,
            zoo_scalar(net, zoo_label(name, "epsilon").text, epsilon));
    v = unary(net, zoo_label(name, "rsqrt").text, BUILTIN_RSQRT, v);
    x = multiply(net, zoo_label(name, "unit").text, x, v.index);
    x = multiply(net, zoo_label(name, "scaled").text, x,
                 zoo_drawn(net, zoo_label(name, "gamma").text, 1, width, 1, 0.1));
    return add(net, name, x, zoo_drawn(net, zoo_label(name, "beta").text, 1, width, 0, 0.1));
}

struct zoo_tokens zoo_dense(struct zoo_net *net, const char *name, struct zoo_tokens in,
                            int32_t units, bool biased, double gain)
{
    struct zoo_weights w = { .name = name,
                             .rank = 2,
                             .dims = { units, in.width },
                             .one_scale = true,
                             .no_bias = !biased,
                             .deviation = gain / sqrt(in.width),
                             .inputs = { in.index, -1, -1 } };
    struct zoo_tokens out = { 0, in.count, units };
    struct options o;

    zoo_weights(net, &w);
    net->facts.multiply_adds += (uint64_t)in.count * (uint64_t)in.width * (uint64_t)units;
    out = tokens(net, name, out, ZOO_SCALE_MEASURED);
    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "keep_num_dims", 1);
    builder_op(&net->builder, BUILTIN_FULLY_CONNECTED, 5, &o, 3, w.inputs, 1, &out.index);
    return out;
}

struct zoo_tokens zoo_class_token(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int32_t dims[] = { zoo_batch(net), 1, in.width }, one[] = { 1, 1, in.width };
    const struct zoo_tokens first = { 0, 1, in.width };
    /* Added to zeros, so that the token has the scale of the concatenation. */
    const int token = zoo_drawn(net, name, 3, one, 0, 1);
    struct zoo_tokens out = { 0, in.count + 1, in.width }, t;
    struct options o;

    t = tokens(net, zoo_label(name, "of_batch").text, first, ZOO_SCALE_MEASURED);
    options_init(&o, OPTIONS_AddOptions);
    builder_op(&net->builder, BUILTIN_ADD, zoo_version(net, 2), &o, 2,
               (int[]){ token, zoo_zeros(net, zoo_label(name, "zeros").text, 3, dims) }, 1,
               &t.index);
    out = tokens(net, zoo_label(name, "concatenation").text, out, ZOO_SCALE_MEASURED);
    zoo_tie(net, t.index, out.index);
    zoo_tie(net, in.index, out.index);
    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 1);
    builder_op(&net->builder, BUILTIN_CONCATENATION, zoo_version(net, 2), &o, 2,
               (int[]){ t.index, in.index }, 1, &out.index);
    return out;
}

struct zoo_tokens zoo_add_constant(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int32_t dims[] = { 1, in.count, in.width };

    return add(net, name, in, zoo_drawn(net, zoo_label(name, "values").text, 3, dims, 0, 0.5));
}

static struct zoo_tokens product(struct zoo_net *net, const char *name, struct zoo_tokens a,
                                 struct zoo_tokens b, bool transposed)
{
    const int32_t width = transposed ? b.count : b.width;
    const struct zoo_tokens out =
        tokens(net, name, (struct zoo_tokens){ 0, a.count, width }, ZOO_SCALE_MEASURED);
    struct options o;

    net->facts.multiply_adds += (uint64_t)a.count * (uint64_t)a.width * (uint64_t)width;
    options_init(&o, OPTIONS_BatchMatMulOptions);
    options_set_int(&o, "adj_y", transposed);
    builder_op(&net->builder, BUILTIN_BATCH_MATMUL, zoo_version(net, 2), &o, 2,
               (int[]){ a.index, b.index }, 1, &out.index);
    return out;
}

struct zoo_tokens zoo_attention(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const struct zoo_tokens q = zoo_dense(net, zoo_label(name, "query").text, in, in.width, false,
                                          1),
                            k = zoo_dense(net, zoo_label(name, "key").text, in, in.width, false, 1),
                            v = zoo_dense(net, zoo_label(name, "value").text, in, in.width, false,
                                          1);
    struct zoo_tokens x = product(net, zoo_label(name, "likeness").text, q, k, true), weights;
    struct options o;

    x = multiply(net, zoo_label(name, "logits").text, x,
                 zoo_scalar(net, zoo_label(name, "scale").text, 1 / sqrt(in.width)));
    weights = tokens(net, zoo_label(name, "softmax").text, x, ZOO_SCALE_PROBABILITY);
    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(&net->builder, BUILTIN_SOFTMAX, zoo_version(net, 2), &o, 1, &x.index, 1,
               &weights.index);
    x = product(net, zoo_label(name, "mix").text, weights, v, false);
    x = zoo_dense(net, zoo_label(name, "out").text, x, in.width, true, 1);
    x = add(net, zoo_label(name, "add").text, x, in.index);
    return normalize(net, zoo_label(name, "norm").text, x);
}

struct zoo_tokens zoo_perceptron(struct zoo_net *net, const char *name, struct zoo_tokens in,
                                 int32_t hidden)
{
    struct zoo_tokens x = zoo_dense(net, zoo_label(name, "hidden").text, in, hidden, true, 1);

    x = unary(net, zoo_label(name, "gelu").text, BUILTIN_GELU, x);
    x = zoo_dense(net, zoo_label(name, "out").text, x, in.width, true, 1);
    x = add(net, zoo_label(name, "add").text, x, in.index);
    return normalize(net, zoo_label(name, "norm").text, x);
}

int zoo_first_token(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int32_t three[] = { 3 }, begin[] = { 0, 0, 0 }, end[] = { zoo_batch(net), 1, in.width },
                  strides[] = { 1, 1, 1 };
    const int inputs[] = { in.index,
                           zoo_shape(net, zoo_label(name, "begin").text, 1, three, begin, 3),
                           zoo_shape(net, zoo_label(name, "end").text, 1, three, end, 3),
                           zoo_shape(net, zoo_label(name, "strides").text, 1, three, strides, 3) };
    const int out = zoo_activation(net, name, 2, (int32_t[]){ zoo_batch(net), in.width },
                                   ZOO_SCALE_SAME, in.index);
    struct options o;

    options_init(&o, OPTIONS_StridedSliceOptions);
    options_set_int(&o, "shrink_axis_mask", 1 << 1);
    builder_op(&net->builder, BUILTIN_STRIDED_SLICE, zoo_version(net, 2), &o, 4, inputs, 1, &out);
    return out;
}
