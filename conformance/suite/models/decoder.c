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
#include "conformance/suite/models/net_transformer.h"

#include <math.h>
#include <stdio.h>

enum { PREFILL = 32, LAYERS_MAX = 18, HEAD_MAX = 256 };

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
    struct zoo_signature signature;
};

/* x / sqrt(mean(x^2) + 1e-6) * w, in the nodes that exporters write. */
static int normalize(struct decoder *d, const char *name, int in, struct zoo_matrix *weights)
{
    const struct zoo_dims s = { 3, { 1, d->tokens, d->z.width } }, one = { 3, { 1, d->tokens, 1 } };
    int x = zoo_times(d->net, zoo_label(name, "squares").text, in, in, s);

    x = zoo_mean_of_row(d->net, zoo_label(name, "mean").text, x, s);
    x = zoo_plus(d->net, zoo_label(name, "biased").text, x,
                 zoo_real(d->net, zoo_label(name, "epsilon").text, 1e-6), one);
    x = zoo_unary(d->net, zoo_label(name, "rsqrt").text, BUILTIN_RSQRT, x, one);
    x = zoo_times(d->net, zoo_label(name, "unit").text, in, x, s);
    return zoo_times(d->net, name, x, zoo_matrix(d->net, zoo_label(name, "gamma").text, weights),
                     s);
}

/* ---- positions ---- */

static int half(struct decoder *d, const char *name, int in, int32_t heads, int32_t begin)
{
    const struct zoo_dims s = { 4, { 1, d->tokens, heads, d->z.head / 2 } };
    struct options o;

    options_init(&o, OPTIONS_SliceOptions);
    return zoo_node(d->net, name, BUILTIN_SLICE, 1, &o, 3,
                    (int[]){ in,
                             zoo_numbers(d->net, zoo_label(name, "begin").text, 4,
                                         (int32_t[]){ 0, 0, 0, begin }),
                             zoo_numbers(d->net, zoo_label(name, "size").text, 4, s.of) },
                    s);
}

/* Turns pairs (j, j + head / 2) by pos / 10000^(2 j / head). */
static int rotate(struct decoder *d, const char *name, int in, int32_t heads)
{
    const struct zoo_dims s = { 4, { 1, d->tokens, heads, d->z.head / 2 } },
                          whole = { 4, { 1, d->tokens, heads, d->z.head } };
    const int left = half(d, zoo_label(name, "left").text, in, heads, 0),
              right = half(d, zoo_label(name, "right").text, in, heads, d->z.head / 2),
              a = zoo_times(d->net, zoo_label(name, "left_cos").text, left, d->cosine, s),
              b = zoo_times(d->net, zoo_label(name, "right_sin").text, right, d->sine, s),
              e = zoo_times(d->net, zoo_label(name, "right_cos").text, right, d->cosine, s),
              f = zoo_times(d->net, zoo_label(name, "left_sin").text, left, d->sine, s);
    const int halves[] = { zoo_binary(d->net, zoo_label(name, "first").text, BUILTIN_SUB,
                                      OPTIONS_SubOptions, a, b, s),
                           zoo_plus(d->net, zoo_label(name, "second").text, e, f, s) };
    struct options o;

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    return zoo_node(d->net, name, BUILTIN_CONCATENATION, 1, &o, 2, halves, whole);
}

/* What all layers share: the angles, and where the caches are written. */
static void begin_positions(struct decoder *d)
{
    const int32_t pairs = d->z.head / 2;
    const struct zoo_dims s = { 4, { 1, d->tokens, 1, pairs } }, t = { 4, { 1, d->tokens, 1, 1 } },
                          flat = { 1, { d->tokens } }, row = { 4, { 1, 1, 1, pairs } };
    double frequencies[HEAD_MAX / 2];
    int angles;

    for (int32_t j = 0; j < pairs; j++)
        frequencies[j] = pow(10000, -2.0 * j / d->z.head);
    angles = zoo_to_float(d->net, "rope/positions", d->positions, flat);
    angles = zoo_reshaped(d->net, "rope/column", angles, t);
    angles = zoo_times(d->net, "rope/angles", angles,
                       zoo_reals(d->net, "rope/frequencies", row, frequencies), s);
    d->cosine = zoo_unary(d->net, "rope/cos", BUILTIN_COS, angles, s);
    d->sine = zoo_unary(d->net, "rope/sin", BUILTIN_SIN, angles, s);
    d->start = zoo_cache_start(d->net, d->positions);
}

/* ---- layers ---- */

static int dense(struct decoder *d, const char *name, int in, struct zoo_matrix *w)
{
    return zoo_linear(d->net, name, in, w, -1, (struct zoo_dims){ 3, { 1, d->tokens, w->rows } });
}

static int attend(struct decoder *d, const char *name, int layer, int in)
{
    const struct sizes *const z = &d->z;
    const struct zoo_heads heads = { .batch = 1,
                                     .tokens = d->tokens,
                                     .slots = d->slots,
                                     .heads = z->heads,
                                     .groups = z->groups,
                                     .width = z->head };
    const struct zoo_dims queries = { 4, { 1, d->tokens, z->heads, z->head } },
                          keys = { 4, { 1, d->tokens, z->groups, z->head } },
                          cache = { 4, { 1, d->slots, z->groups, z->head } };
    struct zoo_matrix *const w = d->matrices[layer];
    int q = dense(d, zoo_label(name, "query").text, in, &w[QUERY]);
    int k = dense(d, zoo_label(name, "key").text, in, &w[KEY]);
    int v = dense(d, zoo_label(name, "value").text, in, &w[VALUE]), x;

    q = zoo_reshaped(d->net, zoo_label(name, "queries").text, q, queries);
    q = rotate(d, zoo_label(name, "turned_queries").text, q, z->heads);
    k = zoo_reshaped(d->net, zoo_label(name, "keys").text, k, keys);
    k = rotate(d, zoo_label(name, "turned_keys").text, k, z->groups);
    v = zoo_reshaped(d->net, zoo_label(name, "values").text, v, keys);
    k = zoo_cache(d->net, &d->signature, 'k', layer, k, d->start, cache);
    v = zoo_cache(d->net, &d->signature, 'v', layer, v, d->start, cache);
    x = zoo_attend(d->net, name, &heads, q, k, v, d->masks[layer % 2]);
    return dense(d, zoo_label(name, "out").text, x, &w[OUT]);
}

static int perceptron(struct decoder *d, const char *name, int layer, int in)
{
    const struct sizes *const z = &d->z;
    const struct zoo_dims s = { 3, { 1, d->tokens, z->hidden } };
    struct zoo_matrix *const w = d->matrices[layer];
    const int gate = dense(d, zoo_label(name, "gate").text, in, &w[GATE]),
              up = dense(d, zoo_label(name, "up").text, in, &w[UP]);
    int x = zoo_unary(d->net, zoo_label(name, "logistic").text, BUILTIN_LOGISTIC, gate, s);

    x = zoo_times(d->net, zoo_label(name, "swish").text, gate, x, s);
    x = zoo_times(d->net, zoo_label(name, "gated").text, x, up, s);
    return dense(d, zoo_label(name, "down").text, x, &w[DOWN]);
}

/* ---- the model ---- */

static int add_input(struct decoder *d, int32_t type, const char *name, struct zoo_dims dims)
{
    return zoo_signature_input(d->net, &d->signature, type, name, dims);
}

static int add_mask(struct decoder *d, const char *name)
{
    return add_input(d, TENSOR_FLOAT32, name,
                     (struct zoo_dims){ 4, { 1, 1, d->tokens, d->slots } });
}

/* decode is built first: it alone has the last layer, and all weights. */
static void build_signature(struct decoder *d, const char *key, int32_t tokens, bool again)
{
    const struct zoo_dims s = { 3, { 1, tokens, d->z.width } };
    int ids, x;

    d->tokens = tokens;
    d->signature.input_count = 0;
    d->signature.output_count = 0;
    if (!again) /* made last */
        zoo_signature_output(&d->signature, "logits", -1);
    ids = add_input(d, TENSOR_INT32, "tokens", (struct zoo_dims){ 2, { 1, tokens } });
    d->positions = add_input(d, TENSOR_INT32, "input_pos", (struct zoo_dims){ 1, { tokens } });
    d->masks[0] = add_mask(d, "mask");
    d->masks[1] = add_mask(d, "mask_local");
    begin_positions(d);
    x = zoo_embedded(d->net, "embedding", ids, &d->table, s);
    for (int32_t i = 0; i < d->z.layers; i++) {
        char name[32];
        int y;

        snprintf(name, sizeof name, "layer_%d", (int)i);
        y = normalize(d, zoo_label(name, "attention_norm").text, x, &d->norms[i][NORM_ATTENTION]);
        y = attend(d, zoo_label(name, "attention").text, i, y);
        x = zoo_plus(d->net, zoo_label(name, "attended").text, x, y, s);
        /* The caches of a prefill are all that it is for. */
        if (again && i == d->z.layers - 1)
            break;
        y = normalize(d, zoo_label(name, "hidden_norm").text, x, &d->norms[i][NORM_HIDDEN]);
        y = perceptron(d, zoo_label(name, "hidden").text, i, y);
        x = zoo_plus(d->net, name, x, y, s);
    }
    if (!again) {
        x = normalize(d, "norm", x, &d->last_norm);
        d->signature.outputs[0] = dense(d, "logits", x, &d->table);
    }
    zoo_signature_end(d->net, &d->signature, key);
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

static void build(struct zoo_net *net)
{
    struct decoder d = { .net = net,
                         .z = *(const struct sizes *)net->sizes,
                         .slots = (int32_t)net->options.resolution,
                         .vocabulary = (int32_t)net->options.classes };
    uint64_t step;
    char key[32];

    set_matrices(&d);
    build_signature(&d, "decode", 1, false);
    builder_subgraph(&net->builder);
    snprintf(key, sizeof key, "prefill_%d", PREFILL);
    step = net->facts.multiply_adds; /* the facts are those of one step of decode */
    build_signature(&d, key, PREFILL, true);
    net->facts.multiply_adds = step;
}

/* Both, but for their sizes. */
#define LANGUAGE(...)                                                                              \
    {                                                                                              \
        .resolution_is = "slots of the caches", .classes_are = "tokens of the vocabulary",         \
        .weights_alone = true, .width = 1, .resolution = 512, .resolution_min = 64,                \
        .resolution_step = 32, .resolution_max = 32768, .channels = 1, .batch_max = 1,             \
        .build = build, __VA_ARGS__                                                                \
    }

const struct zoo_entry zoo_decoder =
    LANGUAGE(.name = "decoder", .summary = "small language model, with caches", .classes = 256,
             .sizes = &(const struct sizes){
                 .layers = 2, .width = 64, .heads = 4, .groups = 2, .head = 16, .hidden = 128 });

const struct zoo_entry zoo_decoder_270m = LANGUAGE(
        .name = "decoder_270m", .summary = "language model of Gemma 3 270M's sizes",
        .classes = 262144,
        .sizes = &(const struct sizes){
            .layers = 18, .width = 640, .heads = 4, .groups = 1, .head = 256, .hidden = 2048 });
