/* Graphs of ops that composites stand for, in the spellings of converters; parameters are those of
 * the row (decompositions.h). */
#include "conformance/suite/suites/decompositions.h"

#include "reference/base/half.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- ops ---- */

struct value composite_op(struct case_builder *m, int32_t code, int32_t version,
                          const struct options *options, size_t count, const struct value *in,
                          const struct shape *shape)
{
    int tensors[OPERANDS_MAX];

    for (size_t i = 0; i < count; i++)
        tensors[i] = in[i].tensor;
    return graph_add_op(m, code, version, options, count, tensors, shape);
}

static struct value binary(struct case_builder *m, int32_t code, struct value a, struct value b)
{
    return row_of(m)->spelled & REVERSED && (code == BUILTIN_ADD || code == BUILTIN_MUL)
               ? graph_add_binary(m, code, b, a, ACTIVATION_NONE)
               : graph_add_binary(m, code, a, b, ACTIVATION_NONE);
}

static struct value by_number(struct case_builder *m, int32_t code, struct value x, double v)
{
    const struct shape scalar = SCALAR;

    return binary(m, code, x, graph_add_number(m, &scalar, (float)v));
}

/* Numbers of dimension 1 of a tensor that has `more` after it. */
static struct value numbers(struct case_builder *m, int32_t count, int more)
{
    static const float values[4] = { 0.25F, 0.5F, 0.75F, 1 };
    const struct shape shape = { .rank = 2 + more, .d = { 1, count, 1, 1 } };

    assert(count <= 4);
    return (struct value){ case_operand_values(m, false, "scales", &shape, values, (size_t)count),
                           shape, -1 };
}

static double attribute(const struct row *r, const char *key, double absent)
{
    for (int i = 0; i < ATTRIBUTES_MAX; i++)
        if (r->attributes[i].kind != NO_ATTRIBUTE && strcmp(r->attributes[i].key, key) == 0)
            return r->attributes[i].value;
    return absent;
}

/* ---- norms ---- */

static unsigned last_axis(struct value x)
{
    return 1u << (x.shape.rank - 1);
}

static struct value square(struct case_builder *m, struct value x)
{
    return row_of(m)->spelled & SQUARED ? graph_add_unary(m, BUILTIN_SQUARE, x)
                                        : binary(m, BUILTIN_MUL, x, x);
}

/* x / sqrt(s + epsilon) */
static struct value over_root(struct case_builder *m, const struct row *r, struct value x,
                              struct value s)
{
    s = r->spelled & EPSILONS ? binary(m, BUILTIN_ADD, s, numbers(m, s.shape.d[1], 1))
                              : by_number(m, BUILTIN_ADD, s, attribute(r, "epsilon", 0));
    return binary(m, BUILTIN_MUL, x, graph_add_unary(m, BUILTIN_RSQRT, s));
}

/* x / sqrt(mean of x^2 + epsilon), times a weight where there is one.  With an axis of its own or
 * another factor than x only most of a norm. */
struct value decompose_rms_norm(struct case_builder *m, const struct row *r, const struct value *in)
{
    struct value s = in[2].shape.rank > 0 ? binary(m, BUILTIN_MUL, in[0], in[2]) : square(m, in[0]);

    s = graph_add_mean(m, s, 1u << (int)attribute(r, "axis", in[0].shape.rank - 1), true);
    s = over_root(m, r, in[0], s);
    return in[1].shape.rank > 0 ? binary(m, BUILTIN_MUL, s, in[1]) : s;
}

/* The mean as a sum and a factor. */
struct value decompose_rms_norm_by_sum(struct case_builder *m, const struct row *r,
                                       const struct value *in)
{
    struct value s = binary(m, BUILTIN_MUL, in[0], in[0]);

    s = graph_add_reduction(m, BUILTIN_SUM, s, last_axis(s), true);
    s = by_number(m, BUILTIN_MUL, s, 1.0 / in[0].shape.d[in[0].shape.rank - 1]);
    return binary(m, BUILTIN_MUL, over_root(m, r, in[0], s), in[1]);
}

struct value decompose_l2_norm(struct case_builder *m, const struct row *r, const struct value *in)
{
    struct value s = binary(m, BUILTIN_MUL, in[0], in[0]);

    return over_root(m, r, in[0], graph_add_reduction(m, BUILTIN_SUM, s, last_axis(s), true));
}

/* (x - mean) / sqrt(variance + epsilon) over some axes. */
static struct value centred(struct case_builder *m, const struct row *r, struct value x,
                            unsigned axes)
{
    const struct value d = binary(m, BUILTIN_SUB, x, graph_add_mean(m, x, axes, true));

    return over_root(m, r, d, graph_add_mean(m, square(m, d), axes, true));
}

static struct value affine(struct case_builder *m, struct value y, const struct value *in)
{
    y = binary(m, BUILTIN_MUL, y, in[1]);
    return row_of(m)->spelled & ACTIVATED
               ? graph_add_binary(m, BUILTIN_ADD, y, in[2], ACTIVATION_RELU)
               : binary(m, BUILTIN_ADD, y, in[2]);
}

struct value decompose_layer_norm(struct case_builder *m, const struct row *r,
                                  const struct value *in)
{
    return affine(m, centred(m, r, in[0], last_axis(in[0])), in);
}

/* With SQUARED_DIFFERENCE, and the mean subtracted last. */
struct value decompose_layer_norm_by_squares(struct case_builder *m, const struct row *r,
                                             const struct value *in)
{
    const unsigned axis = last_axis(in[0]);
    const struct value mean = graph_add_mean(m, in[0], axis, true);
    const struct options squares = { .tag = OPTIONS_SquaredDifferenceOptions };
    struct value s = composite_op(m, BUILTIN_SQUARED_DIFFERENCE, 1, &squares, 2,
                                  (const struct value[]){ in[0], mean }, &in[0].shape);

    s = graph_add_mean(m, s, axis, true);
    s = graph_add_unary(m, BUILTIN_RSQRT, by_number(m, BUILTIN_ADD, s, attribute(r, "epsilon", 0)));
    return affine(m, binary(m, BUILTIN_MUL, binary(m, BUILTIN_SUB, in[0], mean), s), in);
}

struct value decompose_negated(struct case_builder *m, const struct row *r, const struct value *in)
{
    const struct options options = { .tag = OPTIONS_NegOptions };

    (void)r;
    return composite_op(m, BUILTIN_NEG, 1, &options, 1, in, &in[0].shape);
}

/* As Keras spells it: x f + (b - mean f), f = w / sqrt(variance + epsilon); without w and b
 * x f + -mean f.  With the mean of another tensor (other 1), or its variance (2), another factor of
 * the mean (3), or a mean that is added (4) only most of a norm. */
struct value decompose_layer_norm_by_factors(struct case_builder *m, const struct row *r,
                                             const struct value *in)
{
    const unsigned axis = last_axis(in[0]);
    const int other = (int)attribute(r, "other", 0);
    const struct value mean = graph_add_mean(m, in[other == 1 ? 3 : 0], axis, true);
    const struct options squares = { .tag = OPTIONS_SquaredDifferenceOptions };
    struct value s =
        composite_op(m, BUILTIN_SQUARED_DIFFERENCE, 1, &squares, 2,
                     (const struct value[]){ in[other == 2 ? 3 : 0], mean }, &in[0].shape);

    s = by_number(m, BUILTIN_ADD, graph_add_mean(m, s, axis, true), attribute(r, "epsilon", 0));
    s = graph_add_unary(m, BUILTIN_RSQRT, s);
    const bool bare = in[1].shape.rank == 0;
    const struct value f = bare ? s : binary(m, BUILTIN_MUL, s, in[1]);
    const struct value x = binary(m, BUILTIN_MUL, in[0], f);

    if (bare)
        s = binary(m, BUILTIN_MUL, other == 4 ? mean : decompose_negated(m, r, &mean), f);
    else
        s = binary(m, BUILTIN_SUB, in[2], binary(m, BUILTIN_MUL, mean, other == 3 ? in[1] : f));
    return binary(m, BUILTIN_ADD, x, s);
}

/* Over height, width and the channels of a group. */
struct value decompose_group_norm(struct case_builder *m, const struct row *r,
                                  const struct value *in)
{
    const int32_t *const d = in[0].shape.d;
    const int32_t groups = (int32_t)attribute(r, "num_groups", 1);
    const struct shape parts = DIMS(d[0], d[1] * d[2], groups, d[3] / groups);
    const struct value y = centred(m, r, graph_add_reshape(m, in[0], &parts), 1u << 1 | 1u << 3);

    return affine(m, graph_add_reshape(m, y, &in[0].shape), in);
}

/* ---- other functions ---- */

struct value decompose_softmax(struct case_builder *m, const struct row *r, const struct value *in)
{
    (void)r;
    return graph_add_softmax(m, in[0]);
}

struct value decompose_gelu(struct case_builder *m, const struct row *r, const struct value *in)
{
    struct options options;

    (void)r;
    options_init(&options, OPTIONS_GeluOptions);
    return composite_op(m, BUILTIN_GELU, 1, &options, 1, in, &in[0].shape);
}

/* Halves of the channels, turned by angles of the place: x [B, T, N, R], angles [1, T, 1, R / 2].
 * R is the last dimension.  With the second half first, or other angles for one sine or (other 1)
 * cosine, or (other 2) second halves of another tensor, with a difference the other way round, or
 * halves that begin elsewhere only most of an embedding. */
struct value decompose_rope(struct case_builder *m, const struct row *r, const struct value *in)
{
    const int axis = in[0].shape.rank - 1;
    const int32_t half = in[0].shape.d[axis] / 2,
                  first = attribute(r, "swapped", 0) != 0 ? half : 0;
    const int of_other = (int)attribute(r, "other", 0);
    const struct value left = graph_add_slice(m, in[0], axis, first, half),
                       right = graph_add_slice(m, in[of_other == 2 ? 2 : 0], axis,
                                               (int32_t)attribute(r, "begin", half - first), half);
    const struct options cosine = { .tag = OPTIONS_CosOptions };
    const bool has_other = in[2].shape.rank > 0 && of_other < 2;
    const struct value s = graph_add_unary(m, BUILTIN_SIN, in[1]),
                       other =
                           has_other && of_other == 0 ? graph_add_unary(m, BUILTIN_SIN, in[2]) : s,
                       c = composite_op(m, BUILTIN_COS, 1, &cosine, 1, &in[1], &in[1].shape),
                       other_c =
                           has_other && of_other == 1
                               ? composite_op(m, BUILTIN_COS, 1, &cosine, 1, &in[2], &in[2].shape)
                               : c;
    const struct value left_c = binary(m, BUILTIN_MUL, left, c),
                       right_s = binary(m, BUILTIN_MUL, right, s),
                       right_c = binary(m, BUILTIN_MUL, right, other_c),
                       left_s = binary(m, BUILTIN_MUL, left, other);
    struct value parts[2];

    parts[0] = attribute(r, "reversed", 0) != 0 ? binary(m, BUILTIN_SUB, right_s, left_c)
                                                : binary(m, BUILTIN_SUB, left_c, right_s);
    parts[1] = binary(m, BUILTIN_ADD, right_c, left_s);
    return graph_add_concatenation(m, 2, parts, axis);
}

static const struct value absent = { .tensor = -1 };

/* FULLY_CONNECTED whose bias is absent: no tensor of the caller may stand in for it. */
struct value decompose_dense(struct case_builder *m, const struct row *r, const struct value *in)
{
    struct options options;
    const struct shape out = DIMS(in[0].shape.d[0], in[1].shape.d[0]);

    (void)r;
    options_init(&options, OPTIONS_FullyConnectedOptions);
    return composite_op(m, BUILTIN_FULLY_CONNECTED, 6, &options, 3,
                        (const struct value[]){ in[0], in[1], absent }, &out);
}

/* The same with i4 weights of its own in blocks of 32, whose scales are a tensor of the subgraph.
 */
static struct value packed_dense(struct case_builder *m, struct value x, size_t step,
                                 struct value bias)
{
    enum { DEPTH = 64, BLOCK = 32, BLOCKS = DEPTH / BLOCK };
    const struct shape out = DIMS(x.shape.d[0], UNITS);
    struct value w = { .shape = DIMS(UNITS, DEPTH) };
    uint8_t packed[UNITS * DEPTH / 2];
    uint16_t scales[UNITS * BLOCKS];
    struct options options;
    int s;

    assert(x.shape.d[1] == DEPTH);
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (uint8_t)(i * step + 11);
    for (size_t i = 0; i < UNITS * BLOCKS; i++)
        scales[i] = float_to_half(0.015625F * (float)(1 + i));
    s = builder_constant(&m->builder, TENSOR_FLOAT16, "scales", 2,
                         (const int32_t[]){ UNITS, BLOCKS }, scales, sizeof scales);
    w.tensor = builder_constant(&m->builder, TENSOR_INT4, "w", 2, w.shape.d, packed, sizeof packed);
    builder_blockwise(&m->builder, w.tensor, s, BLOCK);
    options_init(&options, OPTIONS_FullyConnectedOptions);
    return composite_op(m, BUILTIN_FULLY_CONNECTED, 6, &options, 3,
                        (const struct value[]){ x, w, bias }, &out);
}

struct value decompose_dense_blocks(struct case_builder *m, const struct row *r,
                                    const struct value *in)
{
    (void)r;
    return packed_dense(m, in[0], 37, absent);
}

/* The bias is computed. */
struct value decompose_blocks_bias(struct case_builder *m, const struct row *r,
                                   const struct value *in)
{
    return packed_dense(m, in[0], 37, decompose_negated(m, r, &in[1]));
}

/* Two such products of one shape are added to what another op computes. */
struct value decompose_blocks_residual(struct case_builder *m, const struct row *r,
                                       const struct value *in)
{
    const struct value product = packed_dense(m, in[0], 37, absent);
    const struct value sum = binary(m, BUILTIN_ADD, decompose_negated(m, r, &in[1]), product);

    return binary(m, BUILTIN_ADD, sum, packed_dense(m, in[0], 53, absent));
}

/* All of x is overwritten, between other ops. */
struct value decompose_whole_update(struct case_builder *m, const struct row *r,
                                    const struct value *in)
{
    const struct options options = { .tag = OPTIONS_DynamicUpdateSliceOptions };
    const struct shape vector = DIMS(in[0].shape.rank);
    const struct value start = { .tensor = case_constant_i32(
                                     m, "start", &vector, (const int32_t[SHAPE_RANK_MAX]){ 1 }) };
    const struct value y = composite_op(
        m, BUILTIN_DYNAMIC_UPDATE_SLICE, 1, &options, 3,
        (const struct value[]){ in[0], decompose_negated(m, r, in), start }, &in[0].shape);

    return decompose_negated(m, r, &y);
}

/* ---- attention ---- */

static struct value matmul(struct case_builder *m, struct value a, bool a_turned, struct value b,
                           bool b_turned)
{
    struct options options;
    struct shape out = a.shape;

    if (b.shape.d[0] > out.d[0])
        out.d[0] = b.shape.d[0];
    if (a_turned)
        out.d[2] = a.shape.d[3];
    out.d[3] = b.shape.d[b_turned ? 2 : 3];
    options_init(&options, OPTIONS_BatchMatMulOptions);
    options_set_int(&options, "adj_x", a_turned);
    options_set_int(&options, "adj_y", b_turned);
    return composite_op(m, BUILTIN_BATCH_MATMUL, 1, &options, 2, (const struct value[]){ a, b },
                        &out);
}

/* [B, S, N, H] or [B, S, N H] as [B, N, S, H], or turned as [B, N, H, S]. */
static struct value heads_first(struct case_builder *m, struct value x, int32_t heads, bool turned)
{
    static const int perms[2][4] = { { 0, 2, 1, 3 }, { 0, 2, 3, 1 } };
    const int32_t *const d = x.shape.d;
    const unsigned how = row_of(m)->spelled;

    if (how & HEADS_FIRST || (how & KEYS_FIRST && d[1] == heads))
        return x;
    if (how & FLAT)
        x = graph_add_reshape(m, x, &(struct shape)DIMS(d[0], d[1], heads, d[2] / heads));
    return graph_add_transpose(m, x, perms[turned]);
}

/* The same of keys or values: each head of K is that of N / K in a row. */
static struct value for_each_head(struct case_builder *m, struct value x, int32_t heads,
                                  bool turned)
{
    const struct value t = heads_first(m, x, row_of(m)->attention.kv_heads, turned);
    const int32_t *const d = t.shape.d, group = heads / d[1];
    const struct shape apart = DIMS(d[0], d[1], 1, d[2], d[3]);
    const struct shape all = DIMS(d[0], d[1], group, d[2], d[3]);
    const struct shape joined = DIMS(d[0], heads, d[2], d[3]);
    const struct shape vector = DIMS(5);
    struct value in[2], y;

    if (group == 1 || row_of(m)->spelled & JOINED)
        return t;
    in[0] = graph_add_reshape(m, t, &apart);
    in[1] = (struct value){ .tensor = case_constant_i32(m, "shape", &vector, all.d) };
    y = composite_op(m, BUILTIN_BROADCAST_TO, 2,
                     &(struct options){ .tag = OPTIONS_BroadcastToOptions }, 2, in, &all);
    return graph_add_reshape(m, y, &joined);
}

static struct value shares_of(struct case_builder *m, struct value l, bool sharper)
{
    struct options options;

    if (!sharper)
        return graph_add_softmax(m, l);
    options_init(&options, OPTIONS_SoftmaxOptions);
    options_set_float(&options, "beta", 2);
    return composite_op(m, BUILTIN_SOFTMAX, 1, &options, 1, &l, &l.shape);
}

/* q [B, T, N, H], k and v [B, S, K, H], the mask: softmax(cap(scale q k^T) + mask) v. */
struct value decompose_attend(struct case_builder *m, const struct row *r, const struct value *in)
{
    const struct attention *const a = &r->attention;
    const unsigned how = r->spelled;
    const bool behind = how & (BEHIND | DIVIDED | ACTIVATED);
    const int32_t by = how & DIVIDED ? BUILTIN_DIV : BUILTIN_MUL;
    const double cap = attribute(r, "logit_cap", 0),
                 scale = attribute(r, "scale", 1 / sqrt((double)a->depth));
    struct value q = heads_first(m, in[0], a->heads, how & QUERIES_TURNED), l, y;

    if (!behind)
        q = by_number(m, BUILTIN_MUL, q, scale);
    const struct value k = for_each_head(m, in[1], a->heads, how & KEYS_TURNED),
                       v = for_each_head(m, in[2], a->heads, how & VALUES_TURNED);

    if (how & JOINED)
        q = graph_add_reshape(m, q,
                              &(struct shape)DIMS(a->batch, a->kv_heads,
                                                  a->heads / a->kv_heads * a->queries, a->depth));
    l = matmul(m, q, how & QUERIES_TURNED, k, !(how & KEYS_TURNED));
    const struct shape rows = l.shape, heads = DIMS(a->batch, a->heads, a->queries, a->keys);

    if (how & ACTIVATED)
        l = graph_add_binary(m, BUILTIN_MUL, l,
                             graph_add_number(m, &(struct shape)SCALAR, (float)scale),
                             ACTIVATION_RELU);
    else if (behind)
        l = by_number(m, by, l, how & DIVIDED ? 1 / scale : scale);
    for (int i = 0; i < (cap == 0 ? 0 : how & CAPPED_TWICE ? 2 : 1); i++) {
        l = by_number(m, by, l, how & DIVIDED ? cap : 1 / cap);
        l = by_number(m, BUILTIN_MUL, graph_add_unary(m, BUILTIN_TANH, l), cap);
    }
    if (how & JOINED)
        l = graph_add_reshape(m, l, &heads);
    if (how & HEAD_SCALES)
        l = binary(m, BUILTIN_MUL, l, numbers(m, a->heads, 2));
    if (a->mask != NO_MASK)
        l = binary(m, BUILTIN_ADD, l, in[3]);
    if (how & SLOTS_JOINED)
        l = graph_add_reshape(m, l,
                              &(struct shape)DIMS(a->batch, a->heads, a->queries / 2, 2 * a->keys));
    l = shares_of(m, l, how & SHARPER);
    if (how & (JOINED | SLOTS_JOINED))
        l = graph_add_reshape(m, l, &rows);
    y = matmul(m, l, how & SHARES_TURNED, v, how & VALUES_TURNED);
    if (how & JOINED)
        y = graph_add_reshape(m, y,
                              &(struct shape)DIMS(a->batch, a->heads, a->queries, y.shape.d[3]));
    if (how & HEADS_FIRST)
        return y;
    y = graph_add_transpose(m, y, (const int[]){ 0, 2, 1, 3 });
    return how & FLAT ? graph_add_reshape(m, y, &in[0].shape) : y;
}
