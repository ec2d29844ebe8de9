/* Attention, perceptrons and layer normalization, in the ops that converters write. */
#include "conformance/suite/models/net_transformer.h"

#include "conformance/suite/models/net_weights.h"

#include <math.h>
#include <stdio.h>

static struct zoo_dims dims_of(const struct zoo_net *net, struct zoo_tokens t)
{
    return (struct zoo_dims){ 3, { zoo_batch(net), t.count, t.width } };
}

static struct zoo_tokens tokens(struct zoo_net *net, const char *name, struct zoo_tokens shape,
                                enum zoo_scale_source source)
{
    const struct zoo_dims d = dims_of(net, shape);

    shape.index = zoo_activation(net, name, d.rank, d.of, source, -1);
    return shape;
}

static struct zoo_tokens add(struct zoo_net *net, const char *name, struct zoo_tokens a, int b)
{
    a.index = zoo_plus(net, name, a.index, b, dims_of(net, a));
    return a;
}

/* (x - mean) / sqrt(variance + epsilon) * gamma + beta of each row, in the nodes that exporters
 * write. */
static int layer_norm(struct zoo_net *net, const char *name, int in, struct zoo_dims dims,
                      int epsilon, int gamma, int beta)
{
    struct zoo_dims one = dims;
    const int mean = zoo_mean_of_row(net, zoo_label(name, "mean").text, in, dims);
    int v = zoo_binary(net, zoo_label(name, "squares").text, BUILTIN_SQUARED_DIFFERENCE,
                       OPTIONS_SquaredDifferenceOptions, in, mean, dims);
    int x = zoo_binary(net, zoo_label(name, "centred").text, BUILTIN_SUB, OPTIONS_SubOptions, in,
                       mean, dims);

    one.of[dims.rank - 1] = 1;
    v = zoo_mean_of_row(net, zoo_label(name, "variance").text, v, dims);
    v = zoo_plus(net, zoo_label(name, "add").text, v, epsilon, one);
    v = zoo_unary(net, zoo_label(name, "rsqrt").text, BUILTIN_RSQRT, v, one);
    x = zoo_times(net, zoo_label(name, "unit").text, x, v, dims);
    x = zoo_times(net, zoo_label(name, "scaled").text, x, gamma, dims);
    return zoo_plus(net, name, x, beta, dims);
}

static int drawn_row(struct zoo_net *net, const char *name, const char *part, int32_t width,
                     double mean)
{
    return zoo_drawn(net, zoo_label(name, part).text, 1, &width, mean, 0.1);
}

static struct zoo_tokens normalize(struct zoo_net *net, const char *name, struct zoo_tokens in)
{
    const int e = zoo_scalar(net, zoo_label(name, "epsilon").text, 1e-3),
              gamma = drawn_row(net, name, "gamma", in.width, 1),
              beta = drawn_row(net, name, "beta", in.width, 0);

    in.index = layer_norm(net, name, in.index, dims_of(net, in), e, gamma, beta);
    return in;
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
    struct zoo_tokens out = { 0, a.count, transposed ? b.count : b.width };

    net->facts.multiply_adds += (uint64_t)a.count * (uint64_t)a.width * (uint64_t)out.width;
    out.index = zoo_product(net, name, a.index, b.index, transposed, dims_of(net, out));
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

    x.index = zoo_times(net, zoo_label(name, "logits").text, x.index,
                        zoo_scalar(net, zoo_label(name, "scale").text, 1 / sqrt(in.width)),
                        dims_of(net, x));
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

    x.index = zoo_unary(net, zoo_label(name, "gelu").text, BUILTIN_GELU, x.index, dims_of(net, x));
    x = zoo_dense(net, zoo_label(name, "out").text, x, in.width, true, 1);
    x = add(net, zoo_label(name, "add").text, x, in.index);
    return normalize(net, zoo_label(name, "norm").text, x);
}

int zoo_token_at(struct zoo_net *net, const char *name, struct zoo_tokens in, int32_t place)
{
    const int32_t three[] = { 3 }, begin[] = { 0, place, 0 },
                  end[] = { zoo_batch(net), place + 1, in.width }, strides[] = { 1, 1, 1 };
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

/* ---- layers of several heads ---- */

/* Of all rows but the batch's. */
static void count(struct zoo_net *net, struct zoo_dims dims, int32_t width)
{
    uint64_t products = (uint64_t)width;

    for (size_t i = 1; i < dims.rank; i++)
        products *= (uint64_t)dims.of[i];
    net->facts.multiply_adds += products;
}

int zoo_embedded(struct zoo_net *net, const char *name, int ids, struct zoo_matrix *table,
                 struct zoo_dims dims)
{
    const int32_t count = dims.of[0] * dims.of[1];
    const struct zoo_label flat = zoo_label(name, "ids");
    struct options o;
    int inputs[2];

    options_init(&o, OPTIONS_ReshapeOptions);
    inputs[0] = zoo_integers(
        net, flat.text, BUILTIN_RESHAPE, &o, 2,
        (int[]){ ids, zoo_numbers(net, zoo_label(flat.text, "shape").text, 1, &count) },
        (struct zoo_dims){ 1, { count } });
    inputs[1] = zoo_matrix(net, zoo_label(name, "table").text, table);
    inputs[0] = zoo_node(net, name, BUILTIN_EMBEDDING_LOOKUP, 1, NULL, 2, inputs,
                         (struct zoo_dims){ 2, { count, dims.of[2] } });
    return zoo_reshaped(net, zoo_label(name, "tokens").text, inputs[0], dims);
}

int zoo_linear(struct zoo_net *net, const char *name, int in, struct zoo_matrix *weights, int bias,
               struct zoo_dims dims)
{
    const int inputs[] = { in, zoo_matrix(net, zoo_label(name, "weights").text, weights), bias };
    struct options o;

    count(net, dims, weights->width);
    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "keep_num_dims", 1);
    return zoo_node(net, name, BUILTIN_FULLY_CONNECTED, 6, &o, 3, inputs, dims);
}

int zoo_linear_drawn(struct zoo_net *net, const char *name, int in, int32_t width, bool biased,
                     struct zoo_dims dims)
{
    const int32_t units = dims.of[dims.rank - 1];
    struct zoo_matrix w = { .rows = units, .width = width, .deviation = 1 / sqrt((double)width) };

    return zoo_linear(net, name, in, &w, biased ? drawn_row(net, name, "bias", units, 0) : -1,
                      dims);
}

int zoo_attend(struct zoo_net *net, const char *name, const struct zoo_heads *h, int q, int k,
               int v, int mask)
{
    const int32_t B = h->batch, T = h->tokens, N = h->heads, G = h->groups, S = h->slots,
                  H = h->width;
    const struct zoo_dims queries = { 4, { B, T, N, H } }, by_head = { 4, { B, N, T, H } },
                          grouped = { 4, { B, G, N / G * T, H } }, memory = { 4, { B, G, S, H } },
                          scores = { 4, { B, G, N / G * T, S } }, masked = { 4, { B, N, T, S } };
    struct options o;
    int x;

    q = zoo_exchanged(net, zoo_label(name, "queries_by_head").text, q, by_head);
    if (G != N)
        q = zoo_reshaped(net, zoo_label(name, "queries_by_group").text, q, grouped);
    k = zoo_exchanged(net, zoo_label(name, "keys_by_group").text, k, memory);
    v = zoo_exchanged(net, zoo_label(name, "values_by_group").text, v, memory);
    x = zoo_product(net, zoo_label(name, "likeness").text, q, k, true, scores);
    x = zoo_times(net, zoo_label(name, "scaled").text, x,
                  zoo_real(net, zoo_label(name, "scale").text, 1 / sqrt((double)H)), scores);
    if (G != N)
        x = zoo_reshaped(net, zoo_label(name, "logits").text, x, masked);
    if (mask >= 0)
        x = zoo_plus(net, zoo_label(name, "masked").text, x, mask, masked);
    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    x = zoo_node(net, zoo_label(name, "softmax").text, BUILTIN_SOFTMAX, 1, &o, 1, &x, masked);
    if (G != N)
        x = zoo_reshaped(net, zoo_label(name, "shares").text, x, scores);
    x = zoo_product(net, zoo_label(name, "mix").text, x, v, false, grouped);
    if (G != N)
        x = zoo_reshaped(net, zoo_label(name, "mix_by_head").text, x, by_head);
    x = zoo_exchanged(net, zoo_label(name, "mix_by_token").text, x, queries);
    net->facts.multiply_adds += 2 * (uint64_t)N * (uint64_t)T * (uint64_t)S * (uint64_t)H;
    return zoo_reshaped(net, zoo_label(name, "heads").text, x,
                        (struct zoo_dims){ 3, { B, T, N * H } });
}

/* ---- layers as BERT, ViT and Whisper have them ---- */

static struct zoo_dims rows_of(const struct zoo_net *net, int32_t count, int32_t width)
{
    return (struct zoo_dims){ 3, { zoo_batch(net), count, width } };
}

int zoo_layer_norm_drawn(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l)
{
    const int e = zoo_real(net, zoo_label(name, "epsilon").text, l->epsilon),
              gamma = drawn_row(net, name, "gamma", l->width, 1),
              beta = drawn_row(net, name, "beta", l->width, 0);

    return layer_norm(net, name, in, rows_of(net, l->tokens, l->width), e, gamma, beta);
}

int zoo_projected(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l,
                  int32_t count, bool biased)
{
    const int x = zoo_linear_drawn(net, name, in, l->width, biased, rows_of(net, count, l->width));

    return zoo_reshaped(
        net, zoo_label(name, "heads").text, x,
        (struct zoo_dims){ 4, { zoo_batch(net), count, l->heads, l->width / l->heads } });
}

int zoo_attention_out(struct zoo_net *net, const char *name, const struct zoo_layer *l, int q,
                      int k, int v, int32_t slots, int mask)
{
    const struct zoo_heads h = { .batch = zoo_batch(net),
                                 .tokens = l->tokens,
                                 .slots = slots,
                                 .heads = l->heads,
                                 .groups = l->heads,
                                 .width = l->width / l->heads };
    const int x = zoo_attend(net, name, &h, q, k, v, mask);

    return zoo_linear_drawn(net, zoo_label(name, "out").text, x, l->width, true,
                            rows_of(net, l->tokens, l->width));
}

int zoo_attention_to(struct zoo_net *net, const char *name, int in, int memory, int32_t slots,
                     int mask, const struct zoo_layer *l)
{
    const int q = zoo_projected(net, zoo_label(name, "query").text, in, l, l->tokens, true),
              k = zoo_projected(net, zoo_label(name, "key").text, memory, l, slots, !l->plain_keys),
              v = zoo_projected(net, zoo_label(name, "value").text, memory, l, slots, true);

    return zoo_attention_out(net, name, l, q, k, v, slots, mask);
}

int zoo_gelu(struct zoo_net *net, const char *name, int in, bool approximate, struct zoo_dims dims)
{
    struct options o;

    options_init(&o, OPTIONS_GeluOptions);
    options_set_int(&o, "approximate", approximate);
    return zoo_node(net, name, BUILTIN_GELU, 1, &o, 1, &in, dims);
}

/* Two matrices with GELU between them. */
static int perceptron(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l)
{
    const struct zoo_dims hidden = rows_of(net, l->tokens, l->hidden);
    int x = zoo_linear_drawn(net, zoo_label(name, "hidden").text, in, l->width, true, hidden);

    x = zoo_gelu(net, zoo_label(name, "gelu").text, x, l->approximate, hidden);
    return zoo_linear_drawn(net, zoo_label(name, "out").text, x, l->hidden, true,
                            rows_of(net, l->tokens, l->width));
}

static int self_attention(struct zoo_net *net, const char *name, int in, int mask,
                          const struct zoo_layer *l)
{
    const struct zoo_label norm = zoo_label(name, "norm"), sum = zoo_label(name, "sum");
    const int y = l->norm_first ? zoo_layer_norm_drawn(net, norm.text, in, l) : in;
    int x = zoo_attention_to(net, name, y, y, l->tokens, mask, l);

    x = zoo_plus(net, sum.text, in, x, rows_of(net, l->tokens, l->width));
    return l->norm_first ? x : zoo_layer_norm_drawn(net, norm.text, x, l);
}

int zoo_feed_forward(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l)
{
    const struct zoo_label norm = zoo_label(name, "norm"), sum = zoo_label(name, "sum");
    const int y = l->norm_first ? zoo_layer_norm_drawn(net, norm.text, in, l) : in;
    int x = perceptron(net, name, y, l);

    x = zoo_plus(net, sum.text, in, x, rows_of(net, l->tokens, l->width));
    return l->norm_first ? x : zoo_layer_norm_drawn(net, norm.text, x, l);
}

int zoo_layers(struct zoo_net *net, int count, int in, int mask, const struct zoo_layer *l)
{
    for (int i = 0; i < count; i++) {
        char name[32];

        snprintf(name, sizeof name, "layer_%d", i);
        in = self_attention(net, zoo_label(name, "attention").text, in, mask, l);
        in = zoo_feed_forward(net, zoo_label(name, "hidden").text, in, l);
    }
    return in;
}
