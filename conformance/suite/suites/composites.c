/* Composites: nodes with a name, whose meaning is a subgraph, as converters of transformers write
 * norms and attention.  The judge runs the decomposition as a plain graph and then the model with
 * its composites, both held to the decomposition (composites.h).  Rows named canary_* compute half
 * of what their name says: who computes by the name is twice as far.
 *
 * Attention has masks of -infinity and of finite numbers, rows that are wholly masked, heads that
 * share keys, and caches whose unused slots hold 1,000. */
#include "conformance/suite/suites/decompositions.h"

#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MASK_MAX = 4900, CACHE_MAX = 512 };

static const struct suite_member members[] = {
    { SUITE_OP("composite", STABLEHLO_COMPOSITE, 1), .types = TYPE_BIT(CASE_F32),
      .sets = SET_BIT(SET_RANDOM) },
};

/* ---- operands ---- */

static struct shape mask_shape(const struct row *r)
{
    const struct attention *const a = &r->attention;

    return r->spelled & MASK_FLAT
               ? (struct shape)DIMS(a->queries, a->keys)
               : (struct shape)DIMS(r->spelled & MASK_WIDER ? 2 : 1, a->each_head ? a->heads : 1,
                                    a->queries, a->keys);
}

/* Rows of heads, as the caller has them. */
static struct shape rows_of(const struct row *r, int32_t tokens, int32_t heads, int32_t channels,
                            bool turned)
{
    const int32_t batch = r->attention.batch;

    if (r->spelled & FLAT)
        return (struct shape)DIMS(batch, tokens, heads * channels);
    if (!(r->spelled & HEADS_FIRST))
        return (struct shape)DIMS(batch, tokens, heads, channels);
    return turned ? (struct shape)DIMS(batch, heads, channels, tokens)
                  : (struct shape)DIMS(batch, heads, tokens, channels);
}

static int operands_of(const struct row *r, struct shape shapes[OPERANDS_MAX])
{
    const struct attention *const a = &r->attention;
    int count = 0;

    memcpy(shapes, r->in, sizeof r->in);
    if (a->heads > 0) {
        shapes[0] = rows_of(r, a->queries, a->heads, a->depth, r->spelled & QUERIES_TURNED);
        shapes[1] = rows_of(r, a->keys, a->kv_heads, a->depth, r->spelled & KEYS_TURNED);
        shapes[2] = rows_of(r, a->keys, a->kv_heads, a->width > 0 ? a->width : a->depth,
                            r->spelled & VALUES_TURNED);
        shapes[3] = a->mask != NO_MASK ? mask_shape(r) : (struct shape){ .rank = 0 };
        if (r->spelled & KEYS_FIRST)
            shapes[1] = (struct shape)DIMS(a->batch, a->kv_heads, a->keys, a->depth);
        for (int i = 1; i < 3; i++)
            if (r->spelled & KEYS_WIDER || (i == 2 && r->spelled & VALUES_WIDER))
                shapes[i].d[0] = 2;
    }
    while (count < OPERANDS_MAX && shapes[count].rank > 0)
        count++;
    return count;
}

static bool is_masked(const struct attention *a, int32_t t, int32_t s)
{
    const int32_t at = a->keys - a->queries + t; /* the place of the query among the keys */

    switch (a->mask) {
    case NO_MASK: return false;
    case CAUSAL: return s > at;
    case WINDOW: return s > at || s < at - 2;
    case UNUSED: return s >= a->used;
    case A_ROW: return s >= a->used || t == 1;
    case EVERYTHING: break;
    }
    return true;
}

static struct value add_mask(struct case_builder *m, const struct attention *a)
{
    struct value mask = { .shape = mask_shape(row_of(m)) };
    const int32_t count = (int32_t)shape_elements(&mask.shape);
    float values[MASK_MAX];

    assert(count <= MASK_MAX);
    for (int32_t i = 0; i < count; i++)
        values[i] = is_masked(a, i / a->keys % a->queries, i % a->keys) ? a->masked
                    : row_of(m)->spelled & MASK_WIDER                   ? (float)(i % 7) / 4
                                                                        : 0;
    mask.tensor = case_operand_values(m, a->mask_input, "mask", &mask.shape, values, (size_t)count);
    return mask;
}

/* A cache, whose slots from `used` on hold 1,000; in frame B the first ones do, as it is the other
 * way round. */
static struct value add_cache(struct case_builder *m, const struct attention *a, const char *name)
{
    struct value cache = { .shape = DIMS(a->batch, a->keys, a->kv_heads, a->depth) };
    const int32_t count = (int32_t)shape_elements(&cache.shape), slot = a->kv_heads * a->depth;
    float values[CACHE_MAX];

    assert(count <= CACHE_MAX);
    for (int32_t i = 0; i < count; i++)
        values[i] = i / slot % a->keys < a->used ? (float)((i * 37 + name[0]) % 23 - 11) / 8 : 1000;
    cache.tensor = case_operand_values(m, true, name, &cache.shape, values, (size_t)count);
    return cache;
}

/* Where the keys of the queries are written: the last slots that are used, in frame B the first. */
static struct value add_start(struct case_builder *m, const struct attention *a)
{
    const struct shape vector = DIMS(4);
    const int32_t last[4] = { 0, a->used - a->queries }, first[4] = { 0, a->keys - a->used };

    return (struct value){ case_input_values(m, "start", &vector, TENSOR_INT32, last, first),
                           vector, -1 };
}

static struct value update(struct case_builder *m, struct value cache, struct value part,
                           struct value start)
{
    const struct options options = { .tag = OPTIONS_DynamicUpdateSliceOptions };

    return composite_op(m, BUILTIN_DYNAMIC_UPDATE_SLICE, 1, &options, 3,
                        (const struct value[]){ cache, part, start }, &cache.shape);
}

static void add_attention(struct case_builder *m, const struct attention *a, struct value *in)
{
    struct shape shapes[OPERANDS_MAX];

    operands_of(row_of(m), shapes);
    for (int i = 1; i < 3 && a->cache; i++)
        shapes[i].d[1] = a->queries;
    if (row_of(m)->spelled & LAST_FIRST)
        in[3] = add_mask(m, a);
    in[0] = graph_add_input(m, "q", &shapes[0]);
    in[1] = graph_add_input(m, "k", &shapes[1]);
    in[2] = graph_add_input(m, "v", &shapes[2]);
    if (a->cache) {
        const struct value keys = add_cache(m, a, "keys"), values = add_cache(m, a, "values"),
                           start = add_start(m, a);

        in[1] = update(m, keys, in[1], start);
        in[2] = update(m, values, in[2], start);
    }
    if (a->mask != NO_MASK && !(row_of(m)->spelled & LAST_FIRST))
        in[3] = add_mask(m, a);
}

/* ---- subgraphs ---- */

static struct value add_composite(struct case_builder *m, const char *name, int graph, int count,
                                  const struct value *in, const struct shape *shape)
{
    const struct row *const r = row_of(m);
    struct flex_writer w = { .count = 0 };
    struct value y = { .shape = *shape };
    struct options options;
    uint8_t *bytes;
    size_t size;

    for (int i = 0; i < ATTRIBUTES_MAX; i++) {
        const struct attribute *const a = &r->attributes[i];

        if (a->kind == FLOAT_4)
            flex_write_float(&w, a->key, (float)a->value);
        else if (a->kind == FLOAT_8)
            flex_write_double(&w, a->key, a->value);
        else if (a->kind == INTEGER)
            flex_write_int(&w, a->key, (int64_t)a->value);
    }
    if (m->status == STATUS_OK)
        m->status = flex_write_finish(&w, &bytes, &size, m->diag);
    if (m->status != STATUS_OK)
        return y;
    options_init(&options, OPTIONS_StableHLOCompositeOptions);
    options_set_text(&options, "name", name);
    options_set_int(&options, "decomposition_subgraph_index", graph);
    options_set_bytes(&options, "composite_attributes", bytes, size);
    y = composite_op(m, BUILTIN_STABLEHLO_COMPOSITE, 1, &options, (size_t)count, in, shape);
    mem_free(bytes);
    return y;
}

/* Begins a subgraph with the operands of the row; how many there are. */
static int begin_subgraph(struct case_builder *m, struct value in[OPERANDS_MAX])
{
    struct shape shapes[OPERANDS_MAX];
    const int count = operands_of(row_of(m), shapes);
    int tensors[OPERANDS_MAX];

    builder_subgraph(&m->builder);
    for (int i = 0; i < count; i++) {
        in[i] = (struct value){ .shape = shapes[i], .op = -1 };
        in[i].tensor = tensors[i] = case_tensor(m, "in", &shapes[i]);
    }
    builder_inputs(&m->builder, (size_t)count, tensors);
    return count;
}

static void end_subgraph(struct case_builder *m, struct value y)
{
    builder_outputs(&m->builder, 1, &y.tensor);
}

/* The subgraphs behind the first. */
static void add_decompositions(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    struct value in[OPERANDS_MAX] = { { .tensor = -1 } }, y;
    int count;

    if (r->nested) {
        count = begin_subgraph(m, in);
        y = add_composite(m, r->name, 2, count, in, &in[0].shape);
        end_subgraph(m, graph_add_unary(m, BUILTIN_RELU, y));
    }
    begin_subgraph(m, in);
    y = r->decompose(m, r, in);
    if (r->factor != 0)
        y = graph_add_binary(m, BUILTIN_MUL, y,
                             graph_add_number(m, &(struct shape)SCALAR, r->factor),
                             ACTIVATION_NONE);
    end_subgraph(m, y);
}

static void build(struct case_builder *m)
{
    const struct row *const r = row_of(m);
    struct value in[OPERANDS_MAX] = { { .tensor = -1 } }, y;
    struct shape shapes[OPERANDS_MAX], out;
    const int count = operands_of(r, shapes);

    if (r->attention.heads > 0)
        add_attention(m, &r->attention, in);
    for (int k = 0; k < count && r->attention.heads == 0; k++) {
        const int i = r->spelled & LAST_FIRST ? count - 1 - k : k;

        in[i] = i == 0 || r->inputs || i == 3
                    ? graph_add_input(m, i == 0 ? "x" : "angle", &shapes[i])
                    : graph_add_constant(m, &shapes[i]);
    }
    out = shapes[0];
    if (r->units > 0)
        out.d[1] = r->units;
    if (r->attention.width > 0)
        out.d[3] = r->attention.width;
    if (r->spelled & (MASK_WIDER | KEYS_WIDER | VALUES_WIDER))
        out.d[0] = 2;
    if (m->status != STATUS_OK)
        return;
    m->more = add_decompositions;
    y = add_composite(m, r->nested ? "assay.block" : r->name, 1, count, in, &out);
    if (r->twice) {
        in[0] = y;
        y = add_composite(m, r->name, 1, count, in, &out);
    }
    graph_add_output(m, y);
}

/* ---- rows ---- */

#define ATTRIBUTE(key_, kind_, value_)                                                             \
    {                                                                                              \
        {                                                                                          \
            key_, kind_, value_                                                                    \
        }                                                                                          \
    }
#define COMPOSITE(row_, why_, name_, function_, ...)                                               \
    ROW(row_, why_), .name = (name_), .decompose = decompose_##function_, .in = { __VA_ARGS__ }
/* With an epsilon of 2^-10, which shows. */
#define RMS(row_, why_, kind_, ...)                                                                \
    COMPOSITE(row_, why_, "odml.rms_norm", rms_norm, __VA_ARGS__),                                 \
        .attributes = ATTRIBUTE("epsilon", kind_, 0x1p-10)
/* As converters write it: one group, and the channel axis 1, though channels are last. */
#define LAYER(row_, why_, function_, kind_, ...)                                                   \
    COMPOSITE(row_, why_, "odml.group_norm", function_, __VA_ARGS__),                              \
        .attributes = { { "num_groups", INTEGER, 1 },                                              \
                        { "epsilon", kind_, 0x1p-10 },                                             \
                        { "channel_axis", INTEGER, 1 } }
#define GROUP(row_, why_, ...)                                                                     \
    COMPOSITE(row_, why_, "odml.group_norm", group_norm, __VA_ARGS__),                             \
        .attributes = { { "num_groups", INTEGER, 2 },                                              \
                        { "epsilon", FLOAT_4, 0x1p-10 },                                           \
                        { "channel_axis", INTEGER, 3 } }
#define NEAR(row_, why_, function_, other_, ...)                                                   \
    COMPOSITE(row_, why_, "assay.near", function_, __VA_ARGS__),                                   \
        .inputs = false,                                                                           \
        .attributes = { { "epsilon", FLOAT_4, 0x1p-10 }, { "other", INTEGER, other_ } }
#define ROPE(row_, why_, name_, ...) COMPOSITE(row_, why_, name_, rope, __VA_ARGS__), .inputs = true
/* Batch, queries, keys, heads, heads of keys, depth, then more of struct attention. */
#define ATTENTION(row_, name_, why_, values_, batch_, ...)                                         \
    ROW(row_, why_, values_), .name = (name_), .decompose = decompose_attend,                      \
                              .attention = { .batch = (batch_), __VA_ARGS__ }
#define SDPA_OF(row_, why_, values_, ...)                                                          \
    ATTENTION("sdpa_" row_, "odml.scaled_dot_product_attention", why_, values_, __VA_ARGS__)
#define SDPA(row_, why_, ...) SDPA_OF(row_, why_, .full_mantissas = true, __VA_ARGS__)
#define NEAR_SDPA(row_, why_, ...)                                                                 \
    ATTENTION("near_sdpa_" row_, "assay.near", why_, .full_mantissas = true, __VA_ARGS__)
/* A finite mask is -65,504 for class fp16: products with 1,000 are far from 0, so that what a
 * device makes of a larger one would show. */
#define CACHED(row_, why_, masked_, used_, ...)                                                    \
    SDPA_OF("cache_" row_, why_, .specials = true, __VA_ARGS__, MASK(UNUSED, masked_), MASK_INPUT, \
            CACHE(used_)),                                                                         \
        SCALE(FLOAT_4)
#define SCALE(kind_)   .attributes = ATTRIBUTE("scale", kind_, 0.75)
#define MASK(kind_, v) .mask = (kind_), .masked = (v)
#define MASK_INPUT     .mask_input = true
#define CACHE(n)       .used = (n), .cache = true

static const float far = -0.7F * FLT_MAX; /* what older exporters mask with */

static const struct row rows[] = {
    { RMS("rms_norm", "three dimensions", FLOAT_4, DIMS(2, 3, 32), DIMS(32)) },
    { RMS("rms_norm_c6", "channels that do not fill their slices", FLOAT_4, DIMS(1, 5, 6),
          DIMS(6)) },
    { RMS("rms_norm_rank2", "two dimensions", FLOAT_4, DIMS(3, 9), DIMS(9)) },
    { RMS("rms_norm_rank4", "heads that are normalized each", FLOAT_4, DIMS(1, 4, 3, 8), DIMS(8)) },
    { RMS("rms_norm_c1", "one channel", FLOAT_4, DIMS(2, 3, 1), DIMS(1)) },
    { RMS("rms_norm_c257", "more channels than a workgroup has invocations", FLOAT_4,
          DIMS(1, 2, 257), DIMS(257)) },
    { RMS("rms_norm_bare", "there is no weight", FLOAT_4, DIMS(2, 3, 32)) },
    { RMS("rms_norm_double", "epsilon has 8 bytes", FLOAT_8, DIMS(2, 3, 32), DIMS(32)) },
    { COMPOSITE("rms_norm_by_sum", "the mean is a sum and a factor", "odml.rms_norm",
                rms_norm_by_sum, DIMS(2, 3, 16), DIMS(16)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { ROW("rms_norm_small", "epsilon is more than the mean", .scale = 0.01),
      .name = "odml.rms_norm", .decompose = decompose_rms_norm, .in = { DIMS(2, 3, 12), DIMS(12) },
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { RMS("rms_norm_twice", "one decomposition, called twice", FLOAT_4, DIMS(1, 3, 8), DIMS(8)),
      .twice = true },
    { RMS("rms_norm_nested", "a composite within another", FLOAT_4, DIMS(1, 3, 8), DIMS(8)),
      .nested = true },
    { RMS("canary_rms_norm", "half of what the name says", FLOAT_4, DIMS(1, 5, 8), DIMS(8)),
      .factor = 0.5F },
    { LAYER("layer_norm", "three dimensions", layer_norm, FLOAT_4, DIMS(2, 3, 32), DIMS(32),
            DIMS(32)) },
    { LAYER("layer_norm_c7", "channels that do not fill their slices", layer_norm, FLOAT_4,
            DIMS(1, 5, 7), DIMS(7), DIMS(7)) },
    { LAYER("layer_norm_rank2", "two dimensions", layer_norm, FLOAT_4, DIMS(3, 12), DIMS(12),
            DIMS(12)) },
    { LAYER("layer_norm_rank4", "four dimensions: not the groups of an image", layer_norm, FLOAT_4,
            DIMS(1, 4, 3, 8), DIMS(8), DIMS(8)) },
    { LAYER("layer_norm_double", "epsilon has 8 bytes, and so have the integers", layer_norm,
            FLOAT_8, DIMS(2, 3, 12), DIMS(12), DIMS(12)) },
    { LAYER("layer_norm_by_squares", "with SQUARED_DIFFERENCE", layer_norm_by_squares, FLOAT_4,
            DIMS(2, 3, 12), DIMS(12), DIMS(12)) },
    { ROW("layer_norm_offset", "a mean far from 0", .offset = 40), .name = "odml.group_norm",
      .decompose = decompose_layer_norm, .in = { DIMS(1, 5, 12), DIMS(12), DIMS(12) },
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { LAYER("canary_layer_norm", "half of what the name says", layer_norm, FLOAT_4, DIMS(1, 5, 8),
            DIMS(8), DIMS(8)),
      .factor = 0.5F },
    { GROUP("group_norm", "over height, width and the channels of a group", DIMS(2, 3, 4, 8),
            DIMS(8), DIMS(8)) },
    { GROUP("group_norm_c6", "groups that end within a slice", DIMS(1, 3, 2, 6), DIMS(6),
            DIMS(6)) },
    { COMPOSITE("l2_norm", "the sum, not the mean", "odml.l2_norm", l2_norm, DIMS(2, 5, 12)),
      .attributes = { { "epsilon", FLOAT_4, 0x1p-10 }, { "axis", INTEGER, 2 } } },
    { COMPOSITE("canary_l2_norm", "half of what the name says", "odml.l2_norm", l2_norm,
                DIMS(2, 5, 12)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10), .factor = 0.5F },
    { COMPOSITE("softmax", "one op with another name", "odml.softmax", softmax, DIMS(2, 3, 7)),
      .attributes = ATTRIBUTE("dim", INTEGER, 2) },
    { COMPOSITE("canary_softmax", "half of what the name says", "odml.softmax", softmax,
                DIMS(2, 3, 7)),
      .attributes = ATTRIBUTE("dim", INTEGER, 2), .factor = 0.5F },
    { COMPOSITE("gelu", "one op with another name", "aten.gelu.default", gelu, DIMS(1, 3, 4, 5)) },
    { COMPOSITE("canary_gelu", "half of what the name says", "aten.gelu.default", gelu,
                DIMS(1, 3, 4, 5)),
      .factor = 0.5F },
    { ROPE("rope", "halves are turned by the angle of their place", "odml.rope", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4)) },
    { ROPE("rope_c6", "halves that end within a slice", "odml.rope", DIMS(1, 5, 3, 6),
           DIMS(1, 5, 1, 3)) },
    { ROPE("canary_rope", "half of what the name says", "odml.rope", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4)),
      .factor = 0.5F },
    { COMPOSITE("unknown_name", "a name that nobody knows", "assay.negated", negated,
                DIMS(1, 3, 4, 5)) },
    { COMPOSITE("marker", "a mark for another processor, which is decomposed", "odml.npu_call",
                negated, DIMS(1, 3, 4, 5)) },
    { COMPOSITE("absent_input", "an op of the decomposition lacks an input", "assay.dense", dense,
                DIMS(3, 8), DIMS(5, 8)),
      .units = 5 },
    { COMPOSITE("blocks_inside", "weights of the decomposition have scales of blocks",
                "assay.dense", dense_blocks, DIMS(3, 64)),
      .units = UNITS },
    /* Attention. */
    { SDPA("no_mask", "as many heads of keys as of queries", 1, 4, 6, 4, 4, 8) },
    { SDPA("batch", "a batch of two", 2, 3, 5, 2, 2, 8) },
    { SDPA("grouped", "two heads for one of keys", 1, 4, 6, 4, 2, 8) },
    { SDPA("grouped_batch", "in a batch", 2, 3, 5, 4, 2, 8) },
    { SDPA("one_head", "one head of keys for all", 1, 4, 6, 4, 1, 8) },
    { SDPA("eight_to_one", "eight heads for one of keys, one query", 1, 1, 7, 8, 1, 4) },
    { SDPA("h5", "a depth that does not fill its slices", 1, 3, 6, 2, 2, 5) },
    { SDPA("h3_grouped", "likewise of a group", 1, 2, 5, 4, 2, 3) },
    { SDPA("one_query", "one query", 1, 1, 9, 4, 2, 8) },
    { SDPA("one_key", "one key", 1, 3, 1, 2, 2, 8) },
    { SDPA("keys_65", "more keys than a subgroup has invocations", 1, 1, 65, 2, 1, 4) },
    { SDPA("scale", "a scale of 4 bytes", 1, 4, 6, 4, 2, 8), SCALE(FLOAT_4) },
    { SDPA("scale_double", "a scale of 8 bytes", 1, 4, 6, 4, 2, 8), SCALE(FLOAT_8) },
    { SDPA("scale_integer", "a scale that is an integer", 1, 4, 6, 4, 2, 8),
      .attributes = ATTRIBUTE("scale", INTEGER, 1) },
    { SDPA("scale_widened", "a scale that is widened by another float of 8 bytes", 1, 4, 6, 4, 2,
           8),
      .attributes = { { "scale", FLOAT_4, 0.5 }, { "logit_cap", FLOAT_8, 1.7 } } },
    { SDPA("cap", "logits are capped", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -INFINITY)),
      .attributes = { { "scale", FLOAT_4, 0.75 }, { "logit_cap", FLOAT_4, 1.5 } } },
    { SDPA("cap_integer", "the cap is an integer", 1, 4, 6, 4, 2, 8),
      .attributes = { { "scale", FLOAT_4, 0.75 }, { "logit_cap", INTEGER, 2 } } },
    { SDPA("causal_infinite", "later keys are masked by -infinity", 1, 4, 6, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)) },
    { SDPA("causal_1e9", "by -1e9", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -1e9F)) },
    { SDPA("causal_1e4", "by -1e4", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -1e4F)) },
    { SDPA("causal_far", "by -0.7 of the largest number", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, far)) },
    { SDPA("causal_lowest", "by the lowest number", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -FLT_MAX)) },
    { SDPA("causal_input", "the mask is an input", 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -INFINITY),
           MASK_INPUT) },
    { SDPA("causal_heads", "a mask for each head", 1, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY),
           .each_head = true) },
    { SDPA("causal_batch", "one mask for a batch of two", 2, 3, 5, 2, 1, 8, MASK(CAUSAL, -1e9F)) },
    { SDPA("window", "a window of three keys", 1, 5, 7, 2, 1, 8, MASK(WINDOW, -INFINITY)) },
    { SDPA("row_infinite", "a row that is wholly masked by -infinity: the mean of all", 1, 4, 6, 4,
           2, 8, MASK(A_ROW, -INFINITY), .used = 4) },
    { SDPA("row_infinite_input", "likewise by an input", 1, 4, 6, 2, 2, 8, MASK(A_ROW, -INFINITY),
           MASK_INPUT, .used = 4) },
    { SDPA("row_1e9", "a row that is wholly masked by -1e9", 1, 4, 6, 4, 2, 8, MASK(A_ROW, -1e9F),
           .used = 4) },
    { SDPA("row_far", "by -0.7 of the largest number", 1, 4, 6, 4, 2, 8, MASK(A_ROW, far),
           .used = 4) },
    { SDPA("all_infinite", "nothing is left", 1, 2, 6, 2, 1, 8, MASK(EVERYTHING, -INFINITY)) },
    { SDPA("all_lowest", "nothing is left, by the lowest number", 1, 2, 6, 2, 1, 8,
           MASK(EVERYTHING, -FLT_MAX)) },
    { CACHED("infinite", "a step: unused slots hold 1,000 and are masked by -infinity", -INFINITY,
             5, 1, 1, 9, 4, 2, 8) },
    { CACHED("1e9", "a step, by -1e9", -1e9F, 5, 1, 1, 9, 4, 2, 8) },
    { CACHED("far", "a step, by -0.7 of the largest number", far, 6, 1, 1, 9, 4, 1, 8) },
    { CACHED("prefill", "three tokens at once", -INFINITY, 7, 1, 3, 9, 4, 2, 8) },
    { CACHED("h5", "a depth that does not fill its slices", -INFINITY, 3, 1, 2, 7, 2, 1, 5) },
    { CACHED("first", "the first token of all", -INFINITY, 1, 1, 1, 9, 2, 1, 8) },
    { ROW("canary_sdpa", "half of what the name says"), .name = "odml.scaled_dot_product_attention",
      .decompose = decompose_attend, .attention = { .batch = 1, 4, 6, 4, 4, 4 }, .factor = 0.5F },
    { ROW("canary_sdpa_grouped", "likewise, with groups and a mask", .full_mantissas = true),
      .name = "odml.scaled_dot_product_attention", .decompose = decompose_attend,
      .attention = { .batch = 1, 4, 6, 4, 2, 8, MASK(CAUSAL, -INFINITY) }, .factor = 0.5F },
    { ROPE("rope_c16", "halves of two slices", "odml.rope", DIMS(1, 5, 3, 16), DIMS(1, 5, 1, 8)) },
    /* Most of a norm or an embedding, which no rewrite may take for one. */
    { COMPOSITE("near_norm_axis", "the mean is of a column", "assay.near", rms_norm,
                DIMS(2, 12, 12), DIMS(12)),
      .attributes = { { "epsilon", FLOAT_4, 0x1p-10 }, { "axis", INTEGER, 1 } } },
    { COMPOSITE("near_norm_weights", "each row has weights of its own", "assay.near", rms_norm,
                DIMS(2, 3, 12), DIMS(3, 12)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { COMPOSITE("near_norm_product", "the mean is of products, not of squares", "assay.near",
                rms_norm, DIMS(2, 3, 12), DIMS(12), DIMS(2, 3, 12)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 8) },
    { ROPE("near_rope_swapped", "the second half comes first", "assay.near", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4)),
      .attributes = ATTRIBUTE("swapped", INTEGER, 1) },
    { ROPE("near_rope_angles", "the halves have other sines", "assay.near", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4), DIMS(1, 5, 1, 4)) },
    { ROPE("near_rope_apart", "angles of two dimensions that are apart", "assay.near",
           DIMS(2, 5, 3, 8), DIMS(2, 1, 3, 4)) },
    { ROPE("rope_rank5", "angles are the same along two dimensions", "odml.rope",
           DIMS(1, 5, 3, 2, 8), DIMS(1, 5, 1, 1, 4)) },
    { COMPOSITE("blocks_residual", "products with weights of blocks, which add to a tensor",
                "assay.dense", blocks_residual, DIMS(3, 64), DIMS(3, 3)),
      .inputs = true, .units = UNITS },
    { COMPOSITE("update_whole", "an update of all of a tensor, which no node need compute",
                "assay.update", whole_update, DIMS(3, 5)) },
    /* Rows that a workgroup goes over several times, and more rows than 16 bits count. */
    { RMS("rms_norm_c1031", "1,031 channels", FLOAT_4, DIMS(1, 3, 1031), DIMS(1031)) },
    { LAYER("layer_norm_c1031", "1,031 channels", layer_norm, FLOAT_4, DIMS(1, 3, 1031), DIMS(1031),
            DIMS(1031)) },
    { LAYER("layer_norm_squares_c1031", "1,031 channels, with SQUARED_DIFFERENCE",
            layer_norm_by_squares, FLOAT_4, DIMS(1, 2, 1031), DIMS(1031), DIMS(1031)) },
    { ROW("rms_norm_rows66001", "66,001 rows", LARGE_F32), .name = "odml.rms_norm",
      .decompose = decompose_rms_norm, .in = { DIMS(66001, 2), DIMS(2) },
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { ROW("layer_norm_rows66001", "66,001 rows", LARGE_F32), .name = "odml.group_norm",
      .decompose = decompose_layer_norm, .in = { DIMS(66001, 3), DIMS(3), DIMS(3) },
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { SDPA("keys_257", "a cache of 257 places, of which 200 are used", 1, 1, 257, 2, 1, 4,
           MASK(UNUSED, -INFINITY), .used = 200) },
    { SDPA("keys_1031", "1,031 keys", 1, 1, 1031, 2, 1, 4) },
    { SDPA("queries_70", "70 tokens at once", 1, 70, 70, 2, 1, 4, MASK(CAUSAL, -INFINITY)) },
    { SDPA("heads_16", "sixteen heads in two groups", 1, 2, 9, 16, 2, 16,
           MASK(CAUSAL, -INFINITY)) },
    { SDPA("h64", "a depth of 64", 1, 2, 5, 2, 1, 64) },
    { SDPA("h80", "a depth of 80", 1, 3, 5, 2, 2, 80, MASK(CAUSAL, -1e9F)) },
    { SDPA("h256", "a depth of 256", 1, 1, 5, 2, 1, 256) },
    { SDPA("batch_keys_65", "a batch of three, more keys than a subgroup has invocations", 3, 2, 67,
           4, 2, 8) },
    { COMPOSITE("near_norm_one", "one weight for all channels", "assay.near", rms_norm,
                DIMS(2, 3, 12), DIMS(1)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10) },
    { ROPE("near_rope_one", "one angle for all channels", "assay.near", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 1)) },
    { COMPOSITE("blocks_bias", "a bias that is computed, and weights of blocks", "assay.dense",
                blocks_bias, DIMS(3, 64), DIMS(3)),
      .inputs = true, .units = UNITS },
    /* Keys and values that are shared out, and rows that share them. */
    { SDPA("keys_513", "513 keys of 65 channels", 1, 1, 513, 2, 1, 65) },
    { SDPA("keys_513_used", "the first 100 of 513 keys are used", 1, 2, 513, 2, 1, 33,
           MASK(UNUSED, -INFINITY), .used = 100) },
    { SDPA_OF("rows_300", "300 rows with the same 259 keys", .sets = SET_BIT(SET_RANDOM), 1, 150,
              259, 2, 1, 64) },
    /* The same, spelled in other ways. */
    { RMS("rms_norm_reversed", "operands are the other way round", FLOAT_4, DIMS(2, 3, 12),
          DIMS(12)),
      .spelled = REVERSED },
    { RMS("rms_norm_square", "squares are SQUARE's, weights have three dimensions", FLOAT_4,
          DIMS(2, 3, 12), DIMS(1, 1, 12)),
      .spelled = SQUARED },
    { LAYER("layer_norm_reversed", "operands are the other way round", layer_norm, FLOAT_4,
            DIMS(2, 3, 12), DIMS(12), DIMS(12)),
      .spelled = REVERSED | SQUARED },
    { LAYER("layer_norm_factors", "x f + (b - mean f)", layer_norm_by_factors, FLOAT_4,
            DIMS(2, 3, 12), DIMS(12), DIMS(12)) },
    { LAYER("layer_norm_factors_reversed", "operands are the other way round",
            layer_norm_by_factors, FLOAT_4, DIMS(2, 3, 12), DIMS(12), DIMS(12)),
      .spelled = REVERSED },
    { LAYER("layer_norm_factors_bare", "x f + -mean f", layer_norm_by_factors, FLOAT_4,
            DIMS(2, 3, 12)) },
    { NEAR("near_norm_mean", "the mean is of another tensor", layer_norm_by_factors, 1,
           DIMS(2, 3, 12), DIMS(12), DIMS(12), DIMS(2, 3, 12)) },
    { NEAR("near_norm_variance", "the variance is of another tensor", layer_norm_by_factors, 2,
           DIMS(2, 3, 12), DIMS(12), DIMS(12), DIMS(2, 3, 12)) },
    { NEAR("near_norm_factor", "the mean has another factor", layer_norm_by_factors, 3,
           DIMS(2, 3, 12), DIMS(12), DIMS(12), DIMS(2, 3, 12)) },
    { NEAR("near_norm_sign", "the mean is added", layer_norm_by_factors, 4, DIMS(2, 3, 12)) },
    { ROPE("rope_reversed", "operands are the other way round", "odml.rope", DIMS(2, 5, 3, 8),
           DIMS(1, 5, 1, 4)),
      .spelled = REVERSED },
    { ROPE("rope_batch", "angles of each row of a batch", "odml.rope", DIMS(2, 5, 3, 8),
           DIMS(2, 5, 1, 4)) },
    { ROPE("rope_heads", "angles of each head", "odml.rope", DIMS(2, 5, 3, 8), DIMS(1, 1, 3, 4)) },
    { ROPE("rope_one_place", "the same angles for all", "odml.rope", DIMS(2, 5, 3, 8),
           DIMS(1, 1, 1, 4)) },
    { ROPE("near_rope_cosines", "the halves have other cosines", "assay.near", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4), DIMS(1, 5, 1, 4)),
      .attributes = ATTRIBUTE("other", INTEGER, 1) },
    { ROPE("near_rope_sources", "the second half is another tensor's", "assay.near",
           DIMS(1, 5, 3, 8), DIMS(1, 5, 1, 4), DIMS(1, 5, 3, 8)),
      .attributes = ATTRIBUTE("other", INTEGER, 2) },
    { ROPE("near_rope_difference", "the difference is the other way round", "assay.near",
           DIMS(1, 5, 3, 8), DIMS(1, 5, 1, 4)),
      .attributes = ATTRIBUTE("reversed", INTEGER, 1) },
    { ROPE("near_rope_begin", "halves that overlap", "assay.near", DIMS(1, 5, 3, 8),
           DIMS(1, 5, 1, 4)),
      .attributes = ATTRIBUTE("begin", INTEGER, 3) },
    { SDPA("reversed", "operands are the other way round", 2, 3, 5, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = REVERSED },
    { SDPA("behind", "the scale is a factor of logits", 2, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY)),
      SCALE(FLOAT_4), .spelled = BEHIND },
    { SDPA("divided", "scale and cap are divisors", 2, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY)),
      .attributes = { { "scale", FLOAT_4, 0.75 }, { "logit_cap", FLOAT_4, 1.5 } },
      .spelled = DIVIDED },
    { SDPA("turned", "keys and values are transposed", 2, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY)),
      .spelled = KEYS_TURNED | VALUES_TURNED },
    { SDPA("mask_flat", "a mask of two dimensions", 2, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY)),
      .spelled = MASK_FLAT },
    { SDPA("joined", "queries of a group are rows of one matrix", 2, 3, 5, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = JOINED },
    { SDPA("heads_first", "operands as products read them", 2, 3, 5, 4, 2, 8,
           MASK(CAUSAL, -INFINITY), .each_head = true),
      .spelled = HEADS_FIRST },
    { SDPA("heads_first_turned", "keys and values that no row of memory holds", 2, 3, 5, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = HEADS_FIRST | KEYS_TURNED | VALUES_TURNED },
    { SDPA("wide", "values have more channels than keys", 2, 3, 5, 4, 2, 8, MASK(CAUSAL, -INFINITY),
           .width = 20) },
    { SDPA("narrow", "values have fewer channels than keys", 1, 2, 259, 2, 1, 36, .width = 9) },
    { SDPA("mask_first", "the mask is the first tensor of the file", 1, 4, 6, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = LAST_FIRST },
    { RMS("rms_norm_weights_first", "the weights are the first tensor of the file", FLOAT_4,
          DIMS(2, 3, 12), DIMS(12)),
      .spelled = LAST_FIRST },
    { LAYER("layer_norm_bias_first", "the bias is the first tensor of the file", layer_norm,
            FLOAT_4, DIMS(2, 3, 12), DIMS(12), DIMS(12)),
      .spelled = LAST_FIRST },
    { SDPA("keys_batch", "keys and values have a batch, queries have none", 1, 3, 6, 4, 4, 8),
      .spelled = KEYS_WIDER },
    { NEAR_SDPA("values_batch", "values have a batch, shares have none", 1, 3, 6, 4, 4, 8),
      .spelled = VALUES_WIDER },
    { NEAR_SDPA("slots", "a row of SOFTMAX has the logits of two", 1, 4, 6, 4, 4, 8),
      .spelled = SLOTS_JOINED },
    { NEAR_SDPA("shares_turned", "shares are transposed", 1, 6, 6, 4, 4, 8),
      .spelled = SHARES_TURNED },
    { NEAR_SDPA("cap_twice", "logits are capped twice", 1, 4, 6, 4, 2, 8),
      .attributes = { { "scale", FLOAT_4, 0.75 }, { "logit_cap", FLOAT_4, 1.5 } },
      .spelled = CAPPED_TWICE },
    { NEAR_SDPA("relu", "the scale has a fused RELU", 1, 4, 6, 4, 2, 8), .spelled = ACTIVATED },
    { COMPOSITE("near_norm_relu", "the last op has a fused RELU", "assay.near", layer_norm,
                DIMS(2, 3, 12), DIMS(12), DIMS(12)),
      .attributes = ATTRIBUTE("epsilon", FLOAT_4, 0x1p-10), .spelled = ACTIVATED },
    { COMPOSITE("near_norm_epsilons", "each row has an epsilon of its own", "assay.near", rms_norm,
                DIMS(2, 3, 12), DIMS(12)),
      .spelled = EPSILONS },
    { SDPA("keys_first", "keys lie by heads, values by tokens", 2, 3, 5, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = KEYS_FIRST },
    { SDPA("flat", "heads are channels of a row", 2, 3, 5, 4, 4, 8, MASK(CAUSAL, -INFINITY)),
      .spelled = FLAT },
    { ROPE("near_rope_heads", "one angle for all channels, and half as many heads as channels",
           "assay.near", DIMS(1, 5, 4, 8), DIMS(1, 5, 4, 1)) },
    { SDPA("keys_300", "300 keys, of which a GPU makes two parts", 1, 1, 300, 2, 1, 32) },
    { SDPA("heads_first_square", "likewise, as many keys as channels", 2, 3, 8, 4, 2, 8,
           MASK(CAUSAL, -INFINITY)),
      .spelled = HEADS_FIRST | KEYS_TURNED | VALUES_TURNED },
    { NEAR_SDPA("beta", "beta is 2", 1, 4, 6, 4, 2, 8), .spelled = SHARPER },
    { NEAR_SDPA("scales", "each head has a scale of its own", 1, 3, 6, 4, 2, 8),
      .spelled = HEAD_SCALES },
    { NEAR_SDPA("batch", "the mask has a batch, the logits have none", 1, 3, 6, 4, 2, 8,
                MASK(CAUSAL, -1e4F)),
      .spelled = MASK_WIDER },
    { NEAR_SDPA("turned", "queries are transposed", 1, 8, 6, 4, 2, 8), .spelled = QUERIES_TURNED },
};

SUITE_UNDRAWN(composites, members, rows, build);
