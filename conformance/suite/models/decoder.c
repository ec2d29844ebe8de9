/* Decoders of text, as exporters of language models write them: signatures prefill_32 (32 tokens)
 * and decode (one) on the same weights, with caches of keys and values in and out, and masks as
 * inputs.
 *
 * A layer: RMSNorm, grouped queries with rotary positions, masked attention over the cache,
 * RMSNorm, SwiGLU.  Every other layer sees only the last tokens, by a mask of its own.  The table
 * of embeddings is the weights of the last layer, too.
 *
 * inputs   tokens i32 [1, T]; input_pos i32 [T], consecutive; mask and mask_local f32 [1, 1, T,
 *          slots], 0 or -infinity; kv_cache_k_<layer> and kv_cache_v_<layer> f32 [1, slots, heads,
 *          width]
 * outputs  of decode logits f32 [1, 1, vocabulary]; the caches
 *
 * The sizes of decoder_270m are those published for Gemma 3 270M, those of decoder are small. */
#include "conformance/suite/models/decoder.h"

#include "conformance/suite/models/net.h"
#include "conformance/suite/models/net_weights.h"

#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>

enum { PREFILL = 32, LAYERS_MAX = 18, HEAD_MAX = 256, NAMES = 5 + 2 * LAYERS_MAX };

enum part { QUERY, KEY, VALUE, OUT, GATE, UP, DOWN, MATRICES };
enum { NORM_ATTENTION, NORM_HIDDEN, NORMS };

struct sizes {
    int32_t layers, width, heads, groups, head, hidden; /* groups: heads of keys and values */
};

struct decoder {
    struct zoo_net *net;
    struct sizes z;
    int32_t slots, vocabulary, tokens; /* tokens: of the signature that is built */
    struct zoo_matrix matrices[LAYERS_MAX][MATRICES], table;
    struct zoo_matrix norms[LAYERS_MAX][NORMS], last_norm;
    int positions, start, cosine, sine, masks[2];
    int inputs[NAMES], outputs[NAMES];
    char names[NAMES][32]; /* of the inputs */
    size_t input_count, output_count;
};

/* Rank and sizes of a tensor. */
struct shape {
    size_t rank;
    int32_t dims[4];
};

/* ---- ops ---- */

static int real(struct decoder *d, const char *name, struct shape s, const double *values,
                size_t count)
{
    float data[HEAD_MAX / 2];

    for (size_t i = 0; i < count; i++)
        data[i] = (float)values[i];
    return zoo_constant(d->net, TENSOR_FLOAT32, name, s.rank, s.dims, data, count * sizeof *data);
}

static int scalar(struct decoder *d, const char *name, double value)
{
    return real(d, name, (struct shape){ 0, { 0 } }, &value, 1);
}

static int op(struct decoder *d, const char *name, int32_t code, int32_t version, struct options *o,
              size_t count, const int *inputs, struct shape s)
{
    const int out = zoo_activation(d->net, name, s.rank, s.dims, ZOO_SCALE_MEASURED, -1);

    builder_op(&d->net->builder, code, version, o, count, inputs, 1, &out);
    return out;
}

static int unary(struct decoder *d, const char *name, int32_t code, int in, struct shape s)
{
    return op(d, name, code, 1, NULL, 1, &in, s);
}

static int binary(struct decoder *d, const char *name, int32_t code, uint8_t table, int a, int b,
                  struct shape s)
{
    struct options o;

    options_init(&o, table);
    return op(d, name, code, 1, &o, 2, (int[]){ a, b }, s);
}

static int multiply(struct decoder *d, const char *name, int a, int b, struct shape s)
{
    return binary(d, name, BUILTIN_MUL, OPTIONS_MulOptions, a, b, s);
}

static int add(struct decoder *d, const char *name, int a, int b, struct shape s)
{
    return binary(d, name, BUILTIN_ADD, OPTIONS_AddOptions, a, b, s);
}

static int numbers(struct decoder *d, const char *name, size_t count, const int32_t *values)
{
    const int32_t dims[] = { (int32_t)count };

    return zoo_shape(d->net, name, 1, dims, values, count);
}

static int reshape(struct decoder *d, const char *name, int in, struct shape s)
{
    struct options o;

    options_init(&o, OPTIONS_ReshapeOptions);
    return op(d, name, BUILTIN_RESHAPE, 1, &o, 2,
              (int[]){ in, numbers(d, zoo_label(name, "shape").text, s.rank, s.dims) }, s);
}

/* Of axes 1 and 2. */
static int exchange(struct decoder *d, const char *name, int in, struct shape s)
{
    struct options o;

    options_init(&o, OPTIONS_TransposeOptions);
    return op(
        d, name, BUILTIN_TRANSPOSE, 1, &o, 2,
        (int[]){ in, numbers(d, zoo_label(name, "order").text, 4, (int32_t[]){ 0, 2, 1, 3 }) }, s);
}

/* The facts are those of one step of decode. */
static void count(struct decoder *d, uint64_t products)
{
    d->net->facts.multiply_adds += d->tokens == 1 ? products : 0;
}

static int product(struct decoder *d, const char *name, int a, int b, bool transposed,
                   struct shape s)
{
    struct options o;

    options_init(&o, OPTIONS_BatchMatMulOptions);
    options_set_int(&o, "adj_y", transposed);
    return op(d, name, BUILTIN_BATCH_MATMUL, 1, &o, 2, (int[]){ a, b }, s);
}

static int dense(struct decoder *d, const char *name, int in, struct zoo_matrix *w)
{
    const struct shape s = { 3, { 1, d->tokens, w->rows } };
    const int inputs[] = { in, zoo_matrix(d->net, zoo_label(name, "weights").text, w), -1 };
    struct options o;

    count(d, (uint64_t)w->rows * (uint64_t)w->width);
    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "keep_num_dims", 1);
    return op(d, name, BUILTIN_FULLY_CONNECTED, 6, &o, 3, inputs, s);
}

/* x / sqrt(mean(x^2) + 1e-6) * w, in the nodes that exporters write. */
static int normalize(struct decoder *d, const char *name, int in, struct zoo_matrix *weights)
{
    const struct shape s = { 3, { 1, d->tokens, d->z.width } }, one = { 3, { 1, d->tokens, 1 } };
    struct options o;
    int x = multiply(d, zoo_label(name, "squares").text, in, in, s);

    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    x = op(d, zoo_label(name, "mean").text, BUILTIN_MEAN, 1, &o, 2,
           (int[]){ x, numbers(d, zoo_label(name, "axis").text, 1, (int32_t[]){ 2 }) }, one);
    x = add(d, zoo_label(name, "biased").text, x, scalar(d, zoo_label(name, "epsilon").text, 1e-6),
            one);
    x = unary(d, zoo_label(name, "rsqrt").text, BUILTIN_RSQRT, x, one);
    x = multiply(d, zoo_label(name, "unit").text, in, x, s);
    return multiply(d, name, x, zoo_matrix(d->net, zoo_label(name, "gamma").text, weights), s);
}

/* ---- positions ---- */

static int half(struct decoder *d, const char *name, int in, int32_t heads, int32_t begin)
{
    const struct shape s = { 4, { 1, d->tokens, heads, d->z.head / 2 } };
    struct options o;

    options_init(&o, OPTIONS_SliceOptions);
    return op(d, name, BUILTIN_SLICE, 1, &o, 3,
              (int[]){ in,
                       numbers(d, zoo_label(name, "begin").text, 4, (int32_t[]){ 0, 0, 0, begin }),
                       numbers(d, zoo_label(name, "size").text, 4, s.dims) },
              s);
}

/* Turns pairs (j, j + head / 2) by pos / 10000^(2 j / head). */
static int rotate(struct decoder *d, const char *name, int in, int32_t heads)
{
    const struct shape s = { 4, { 1, d->tokens, heads, d->z.head / 2 } },
                       whole = { 4, { 1, d->tokens, heads, d->z.head } };
    const int left = half(d, zoo_label(name, "left").text, in, heads, 0),
              right = half(d, zoo_label(name, "right").text, in, heads, d->z.head / 2),
              a = multiply(d, zoo_label(name, "left_cos").text, left, d->cosine, s),
              b = multiply(d, zoo_label(name, "right_sin").text, right, d->sine, s),
              e = multiply(d, zoo_label(name, "right_cos").text, right, d->cosine, s),
              f = multiply(d, zoo_label(name, "left_sin").text, left, d->sine, s);
    const int halves[] = { binary(d, zoo_label(name, "first").text, BUILTIN_SUB, OPTIONS_SubOptions,
                                  a, b, s),
                           add(d, zoo_label(name, "second").text, e, f, s) };
    struct options o;

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    return op(d, name, BUILTIN_CONCATENATION, 1, &o, 2, halves, whole);
}

/* What all layers share: the angles, and where the caches are written. */
static void begin_positions(struct decoder *d)
{
    struct builder *const b = &d->net->builder;
    const int32_t pairs = d->z.head / 2;
    const struct shape s = { 4, { 1, d->tokens, 1, pairs } }, t = { 4, { 1, d->tokens, 1, 1 } },
                       flat = { 1, { d->tokens } };
    double frequencies[HEAD_MAX / 2];
    struct options o;
    int angles, first;

    for (int32_t j = 0; j < pairs; j++)
        frequencies[j] = pow(10000, -2.0 * j / d->z.head);
    options_init(&o, OPTIONS_CastOptions);
    options_set_int(&o, "in_data_type", TENSOR_INT32);
    options_set_int(&o, "out_data_type", TENSOR_FLOAT32);
    angles = op(d, "rope/positions", BUILTIN_CAST, 1, &o, 1, &d->positions, flat);
    angles = reshape(d, "rope/column", angles, t);
    angles = multiply(d, "rope/angles", angles,
                      real(d, "rope/frequencies", (struct shape){ 4, { 1, 1, 1, pairs } },
                           frequencies, (size_t)pairs),
                      s);
    d->cosine = unary(d, "rope/cos", BUILTIN_COS, angles, s);
    d->sine = unary(d, "rope/sin", BUILTIN_SIN, angles, s);
    options_init(&o, OPTIONS_SliceOptions);
    first = builder_tensor(b, TENSOR_INT32, "start/first", 1, (int32_t[]){ 1 });
    builder_op(b, BUILTIN_SLICE, 1, &o, 3,
               (int[]){ d->positions, numbers(d, "start/begin", 1, (int32_t[]){ 0 }),
                        numbers(d, "start/size", 1, (int32_t[]){ 1 }) },
               1, &first);
    options_init(&o, OPTIONS_ConcatenationOptions);
    d->start = builder_tensor(b, TENSOR_INT32, "start", 1, (int32_t[]){ 4 });
    builder_op(b, BUILTIN_CONCATENATION, 1, &o, 3,
               (int[]){ numbers(d, "start/batch", 1, (int32_t[]){ 0 }), first,
                        numbers(d, "start/rest", 2, (int32_t[]){ 0, 0 }) },
               1, &d->start);
}

/* ---- layers ---- */

static int add_input(struct decoder *d, int32_t type, const char *name, struct shape s)
{
    const int t = builder_tensor(&d->net->builder, type, name, s.rank, s.dims);

    snprintf(d->names[d->input_count], sizeof d->names[0], "%s", name);
    d->inputs[d->input_count++] = t;
    return t;
}

/* The cache with the slice of this signature's tokens. */
static int update(struct decoder *d, const char *name, int slice)
{
    const struct shape s = { 4, { 1, d->slots, d->z.groups, d->z.head } };
    const int cache = add_input(d, TENSOR_FLOAT32, name, s);
    struct options o;
    int out;

    options_init(&o, OPTIONS_DynamicUpdateSliceOptions);
    out = op(d, zoo_label(name, "updated").text, BUILTIN_DYNAMIC_UPDATE_SLICE, 1, &o, 3,
             (int[]){ cache, slice, d->start }, s);
    d->outputs[d->output_count++] = out;
    return out;
}

static int attend(struct decoder *d, const char *name, int layer, int in)
{
    const struct sizes *const z = &d->z;
    const int32_t T = d->tokens, N = z->heads, G = z->groups, H = z->head, S = d->slots;
    const struct shape queries = { 4, { 1, T, N, H } }, keys = { 4, { 1, T, G, H } },
                       by_head = { 4, { 1, N, T, H } }, grouped = { 4, { 1, G, N / G * T, H } },
                       cache = { 4, { 1, G, S, H } }, scores = { 4, { 1, G, N / G * T, S } },
                       masked = { 4, { 1, N, T, S } };
    struct zoo_matrix *const w = d->matrices[layer];
    char cache_name[32];
    struct options o;
    int q = dense(d, zoo_label(name, "query").text, in, &w[QUERY]);
    int k = dense(d, zoo_label(name, "key").text, in, &w[KEY]);
    int v = dense(d, zoo_label(name, "value").text, in, &w[VALUE]), x;

    q = reshape(d, zoo_label(name, "queries").text, q, queries);
    q = rotate(d, zoo_label(name, "turned_queries").text, q, N);
    k = reshape(d, zoo_label(name, "keys").text, k, keys);
    k = rotate(d, zoo_label(name, "turned_keys").text, k, G);
    v = reshape(d, zoo_label(name, "values").text, v, keys);
    snprintf(cache_name, sizeof cache_name, "kv_cache_k_%d", layer);
    k = update(d, cache_name, k);
    snprintf(cache_name, sizeof cache_name, "kv_cache_v_%d", layer);
    v = update(d, cache_name, v);
    q = exchange(d, zoo_label(name, "queries_by_head").text, q, by_head);
    q = reshape(d, zoo_label(name, "queries_by_group").text, q, grouped);
    k = exchange(d, zoo_label(name, "keys_by_group").text, k, cache);
    v = exchange(d, zoo_label(name, "values_by_group").text, v, cache);
    x = product(d, zoo_label(name, "likeness").text, q, k, true, scores);
    x = multiply(d, zoo_label(name, "scaled").text, x,
                 scalar(d, zoo_label(name, "scale").text, 1 / sqrt((double)H)), scores);
    x = reshape(d, zoo_label(name, "logits").text, x, masked);
    x = add(d, zoo_label(name, "masked").text, x, d->masks[layer % 2], masked);
    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    x = op(d, zoo_label(name, "softmax").text, BUILTIN_SOFTMAX, 1, &o, 1, &x, masked);
    x = reshape(d, zoo_label(name, "shares").text, x, scores);
    x = product(d, zoo_label(name, "mix").text, x, v, false, grouped);
    x = reshape(d, zoo_label(name, "mix_by_head").text, x, by_head);
    x = exchange(d, zoo_label(name, "mix_by_token").text, x, queries);
    x = reshape(d, zoo_label(name, "heads").text, x, (struct shape){ 3, { 1, T, N * H } });
    count(d, 2 * (uint64_t)N * (uint64_t)S * (uint64_t)H);
    return dense(d, zoo_label(name, "out").text, x, &w[OUT]);
}

static int perceptron(struct decoder *d, const char *name, int layer, int in)
{
    const struct sizes *const z = &d->z;
    const struct shape s = { 3, { 1, d->tokens, z->hidden } };
    struct zoo_matrix *const w = d->matrices[layer];
    const int gate = dense(d, zoo_label(name, "gate").text, in, &w[GATE]),
              up = dense(d, zoo_label(name, "up").text, in, &w[UP]);
    int x = unary(d, zoo_label(name, "logistic").text, BUILTIN_LOGISTIC, gate, s);

    x = multiply(d, zoo_label(name, "swish").text, gate, x, s);
    x = multiply(d, zoo_label(name, "gated").text, x, up, s);
    return dense(d, zoo_label(name, "down").text, x, &w[DOWN]);
}

static int embed(struct decoder *d, int tokens)
{
    const struct shape flat = { 1, { d->tokens } }, rows = { 2, { d->tokens, d->z.width } },
                       s = { 3, { 1, d->tokens, d->z.width } };
    const int ids = builder_tensor(&d->net->builder, TENSOR_INT32, "ids", 1, flat.dims);
    struct options o;
    int x;

    options_init(&o, OPTIONS_ReshapeOptions);
    builder_op(&d->net->builder, BUILTIN_RESHAPE, 1, &o, 2,
               (int[]){ tokens, numbers(d, "ids/shape", 1, flat.dims) }, 1, &ids);
    x = zoo_matrix(d->net, "embedding/table", &d->table);
    x = op(d, "embedding", BUILTIN_EMBEDDING_LOOKUP, 1, NULL, 2, (int[]){ ids, x }, rows);
    return reshape(d, "embedded", x, s);
}

/* ---- the model ---- */

static int add_mask(struct decoder *d, const char *name)
{
    return add_input(d, TENSOR_FLOAT32, name, (struct shape){ 4, { 1, 1, d->tokens, d->slots } });
}

/* decode is built first: it alone has the last layer, and all weights. */
static void build_signature(struct decoder *d, const char *key, int32_t tokens, bool again)
{
    struct builder *const b = &d->net->builder;
    const struct shape s = { 3, { 1, tokens, d->z.width } };
    const char *inputs[NAMES], *outputs[NAMES];
    int ids, x;

    d->tokens = tokens;
    d->input_count = 0;
    d->output_count = again ? 0 : 1;
    ids = add_input(d, TENSOR_INT32, "tokens", (struct shape){ 2, { 1, tokens } });
    d->positions = add_input(d, TENSOR_INT32, "input_pos", (struct shape){ 1, { tokens } });
    d->masks[0] = add_mask(d, "mask");
    d->masks[1] = add_mask(d, "mask_local");
    begin_positions(d);
    x = embed(d, ids);
    for (int32_t i = 0; i < d->z.layers; i++) {
        char name[32];
        int y;

        snprintf(name, sizeof name, "layer_%d", (int)i);
        y = normalize(d, zoo_label(name, "attention_norm").text, x, &d->norms[i][NORM_ATTENTION]);
        y = attend(d, zoo_label(name, "attention").text, i, y);
        x = add(d, zoo_label(name, "attended").text, x, y, s);
        /* The caches of a prefill are all that it is for. */
        if (again && i == d->z.layers - 1)
            break;
        y = normalize(d, zoo_label(name, "hidden_norm").text, x, &d->norms[i][NORM_HIDDEN]);
        y = perceptron(d, zoo_label(name, "hidden").text, i, y);
        x = add(d, name, x, y, s);
    }
    if (!again) {
        x = normalize(d, "norm", x, &d->last_norm);
        d->outputs[0] = dense(d, "logits", x, &d->table);
        outputs[0] = "logits";
    }
    for (size_t i = 0; i < d->input_count; i++) {
        inputs[i] = d->names[i];
        if (i >= 4)
            outputs[i - 4 + !again] = d->names[i];
    }
    builder_inputs(b, d->input_count, d->inputs);
    builder_outputs(b, d->output_count, d->outputs);
    builder_signature(b, key, inputs, outputs);
}

static void set_matrices(struct decoder *d)
{
    const struct sizes *const z = &d->z;
    const int32_t N = z->heads * z->head, G = z->groups * z->head;
    const struct zoo_matrix norm = { .rows = 1, .width = z->width, .mean = 1, .deviation = 0.1 };
    const struct {
        int32_t rows, width;
    } of[MATRICES] = { [QUERY] = { N, z->width },        [KEY] = { G, z->width },
                       [VALUE] = { G, z->width },        [OUT] = { z->width, N },
                       [GATE] = { z->hidden, z->width }, [UP] = { z->hidden, z->width },
                       [DOWN] = { z->width, z->hidden } };

    for (int32_t i = 0; i < z->layers; i++) {
        for (int m = 0; m < MATRICES; m++)
            d->matrices[i][m] = (struct zoo_matrix){ .rows = of[m].rows,
                                                     .width = of[m].width,
                                                     .deviation = 1 / sqrt((double)of[m].width) };
        d->norms[i][NORM_ATTENTION] = d->norms[i][NORM_HIDDEN] = norm;
    }
    d->last_norm = norm;
    /* Small beside what the layers add, so that a token does not follow itself. */
    d->table = (struct zoo_matrix){ .rows = d->vocabulary,
                                    .width = z->width,
                                    .deviation = 2 / sqrt((double)z->width) };
}

static enum status build(struct zoo_net *net, const struct sizes *z,
                         const struct zoo_options *options)
{
    struct decoder *const d = mem_alloc(1, sizeof *d);
    char key[32];

    if (!d)
        return STATUS_NO_MEMORY;
    *d = (struct decoder){ .net = net,
                           .z = *z,
                           .slots = (int32_t)options->resolution,
                           .vocabulary = (int32_t)options->classes };
    set_matrices(d);
    build_signature(d, "decode", 1, false);
    builder_subgraph(&net->builder);
    snprintf(key, sizeof key, "prefill_%d", PREFILL);
    build_signature(d, key, PREFILL, true);
    mem_free(d);
    return STATUS_OK;
}

static enum status build_small(struct zoo_net *net, const struct zoo_options *options,
                               struct diag *diag)
{
    (void)diag;
    return build(net,
                 &(struct sizes){
                     .layers = 2, .width = 64, .heads = 4, .groups = 2, .head = 16, .hidden = 128 },
                 options);
}

static enum status build_270m(struct zoo_net *net, const struct zoo_options *options,
                              struct diag *diag)
{
    (void)diag;
    return build(
        net,
        &(struct sizes){
            .layers = 18, .width = 640, .heads = 4, .groups = 1, .head = 256, .hidden = 2048 },
        options);
}

const struct zoo_entry zoo_decoder = { .name = "decoder",
                                       .summary = "small language model, with caches",
                                       .resolution_is = "slots of the caches",
                                       .classes_are = "tokens of the vocabulary",
                                       .language = true,
                                       .width = 1,
                                       .resolution = 512,
                                       .resolution_min = 64,
                                       .resolution_step = 32,
                                       .resolution_max = 32768,
                                       .channels = 1,
                                       .classes = 256,
                                       .batch_max = 1,
                                       .build = build_small };

const struct zoo_entry zoo_decoder_270m = { .name = "decoder_270m",
                                            .summary = "language model of Gemma 3 270M's sizes",
                                            .resolution_is = "slots of the caches",
                                            .classes_are = "tokens of the vocabulary",
                                            .language = true,
                                            .width = 1,
                                            .resolution = 512,
                                            .resolution_min = 64,
                                            .resolution_step = 32,
                                            .resolution_max = 32768,
                                            .channels = 1,
                                            .classes = 262144,
                                            .batch_max = 1,
                                            .build = build_270m };
