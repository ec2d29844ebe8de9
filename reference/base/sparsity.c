#include "reference/base/sparsity.h"

#include "reference/base/builtin.h"
#include "reference/base/byte_order.h"
#include "reference/base/checked.h"
#include "reference/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int64_t int_at(const struct sparse_ints *v, size_t i)
{
    const uint8_t *const at = (const uint8_t *)v->data + i * v->width;
    uint16_t half;
    int32_t whole;

    if (v->width == 1)
        return *at;
    if (v->width == 2) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

const char *sparse_part_name(const struct sparse_fault *fault)
{
    static const char *const names[] = {
        [SPARSE_ORDER] = "traversal_order", [SPARSE_BLOCK_MAP] = "block_map",
        [SPARSE_LEVELS] = "dim_metadata",   [SPARSE_FORMAT] = "format",
        [SPARSE_DENSE_SIZE] = "dense_size", [SPARSE_SEGMENTS] = "array_segments",
        [SPARSE_INDICES] = "array_indices"
    };

    return names[fault->part];
}

/* Where a fault is; the text follows. */
static enum status fail_as(struct sparse_fault *fault, enum status s, int part, size_t level,
                           size_t index, const char *format, ...) PRINTF_LIKE(6, 7);

static enum status fail_as(struct sparse_fault *fault, enum status s, int part, size_t level,
                           size_t index, const char *format, ...)
{
    va_list args;

    *fault = (struct sparse_fault){ .level = level, .index = index };
    fault->part = part;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return s;
}

#define fail(fault, part, level, index, ...)                                                       \
    fail_as((fault), STATUS_INVALID, (part), (level), (index), __VA_ARGS__)

/* Elements first to end of v are a permutation of the numbers first to end. */
static enum status check_permutation(const struct sparse_ints *v, size_t first, size_t end,
                                     struct sparse_fault *fault)
{
    bool seen[SPARSE_LEVELS_MAX] = { false };

    for (size_t i = first; i < end; i++) {
        const int64_t d = int_at(v, i);

        if (d < (int64_t)first || d >= (int64_t)end)
            return fail(fault, SPARSE_ORDER, 0, i, "%lld, expected %zu to %zu", (long long)d, first,
                        end - 1);
        if (seen[d])
            return fail(fault, SPARSE_ORDER, 0, i, "%lld a second time", (long long)d);
        seen[d] = true;
    }
    return STATUS_OK;
}

/* The counts of all parts agree; so there are at most SPARSE_LEVELS_MAX levels. */
static enum status check_counts(const struct sparse_source *s, struct sparse_fault *fault)
{
    const size_t levels = s->rank + s->block_map.count;

    if (s->rank > SPARSE_RANK_MAX)
        return fail_as(fault, STATUS_UNSUPPORTED, SPARSE_ORDER, 0, SIZE_MAX,
                       "a sparse tensor of rank %zu, expected at most %d", s->rank,
                       SPARSE_RANK_MAX);
    if (s->block_map.count > s->rank)
        return fail(fault, SPARSE_BLOCK_MAP, 0, SIZE_MAX,
                    "%zu dimensions of a block, the tensor has rank %zu", s->block_map.count,
                    s->rank);
    if (s->order.count != levels)
        return fail(fault, SPARSE_ORDER, 0, SIZE_MAX,
                    "%zu dimensions, expected the %zu of shape and block", s->order.count, levels);
    if (s->level_count != levels)
        return fail(fault, SPARSE_LEVELS, 0, SIZE_MAX,
                    "%zu dimensions, expected the %zu of the traversal order", s->level_count,
                    levels);
    TRY(check_permutation(&s->order, 0, s->rank, fault));
    return check_permutation(&s->order, s->rank, levels, fault);
}

/* What a block divides each dimension of the shape by, and the dimension of each of its own. */
struct blocks {
    int32_t size[SPARSE_RANK_MAX]; /* by dimension of the shape; 1: none */
    size_t map[SPARSE_RANK_MAX];   /* by dimension of the block */
};

static enum status check_blocks(const struct sparse_source *s, struct blocks *b,
                                struct sparse_fault *fault)
{
    bool seen[SPARSE_RANK_MAX] = { false };

    for (size_t d = 0; d < s->rank; d++)
        b->size[d] = 1;
    for (size_t i = 0; i < s->block_map.count; i++) {
        const int64_t d = int_at(&s->block_map, i);

        if (d < 0 || d >= (int64_t)s->rank)
            return fail(fault, SPARSE_BLOCK_MAP, 0, i, "%lld, expected 0 to %zu", (long long)d,
                        s->rank - 1);
        if (seen[d])
            return fail(fault, SPARSE_BLOCK_MAP, 0, i, "%lld a second time", (long long)d);
        seen[d] = true;
        b->map[i] = (size_t)d;
    }
    for (size_t l = s->rank; l < s->order.count; l++) {
        const size_t d = b->map[(size_t)int_at(&s->order, l) - s->rank];
        const int32_t size = s->levels[l].dense_size;

        if (s->levels[l].format != 0)
            return fail_as(fault, STATUS_UNSUPPORTED, SPARSE_FORMAT, l, SIZE_MAX,
                           "%d, expected 0 (dense) inside of a block", s->levels[l].format);
        if (size < 1 || s->shape[d] % size != 0)
            return fail(fault, SPARSE_DENSE_SIZE, l, SIZE_MAX,
                        "%d, expected a divisor of dimension %zu, which is %d", size, d,
                        s->shape[d]);
        b->size[d] = size;
    }
    return STATUS_OK;
}

/* *nodes: rows of the levels before, then of this one, too. */
static enum status check_compressed(const struct sparse_source_level *from, size_t level,
                                    size_t size, uint64_t *nodes, struct sparse_fault *fault)
{
    int64_t before = 0;

    if (!from->segments.data || from->segments.count - 1 != *nodes)
        return fail(fault, SPARSE_SEGMENTS, level, SIZE_MAX, "%zu segments, expected %llu",
                    from->segments.count, (unsigned long long)*nodes + 1);
    for (size_t i = 0; i < from->segments.count; i++) {
        const int64_t at = int_at(&from->segments, i);

        if (i == 0 && at != 0)
            return fail(fault, SPARSE_SEGMENTS, level, i, "%lld, expected 0", (long long)at);
        if (at < before)
            return fail(fault, SPARSE_SEGMENTS, level, i, "%lld, less than %lld before it",
                        (long long)at, (long long)before);
        before = at;
    }
    if ((uint64_t)before != from->indices.count)
        return fail(fault, SPARSE_SEGMENTS, level, from->segments.count - 1,
                    "%lld, expected the number of indices, %zu", (long long)before,
                    from->indices.count);
    for (size_t i = 0; i < from->indices.count; i++) {
        const int64_t at = int_at(&from->indices, i);

        if (at < 0 || (uint64_t)at >= size)
            return fail(fault, SPARSE_INDICES, level, i, "%lld, expected 0 to %lld", (long long)at,
                        (long long)size - 1);
    }
    *nodes = from->indices.count;
    return STATUS_OK;
}

static enum status check_level(const struct sparse_source *s, const struct blocks *b, size_t level,
                               struct sparse_level *to, uint64_t *nodes, struct sparse_fault *fault)
{
    const struct sparse_source_level *const from = &s->levels[level];
    const size_t d = (size_t)int_at(&s->order, level);
    const size_t dimension = d < s->rank ? d : b->map[d - s->rank];

    *to = (struct sparse_level){ .size = (size_t)(d < s->rank ? s->shape[d] / b->size[d]
                                                              : from->dense_size),
                                 .step = d < s->rank ? (size_t)b->size[d] : 1,
                                 .compressed = from->format == 1,
                                 .segments = from->segments,
                                 .indices = from->indices };
    for (size_t i = dimension + 1; i < s->rank; i++) /* no more than there are elements */
        to->step *= (size_t)s->shape[i];
    if (from->format == 1)
        return check_compressed(from, level, to->size, nodes, fault);
    if (from->format != 0)
        return fail(fault, SPARSE_FORMAT, level, SIZE_MAX, "%d, expected 0 (dense) or 1 (CSR)",
                    from->format);
    if (from->dense_size < 0 || (size_t)from->dense_size != to->size)
        return fail(fault, SPARSE_DENSE_SIZE, level, SIZE_MAX,
                    "%d, expected %zu, as the shape and its blocks have", from->dense_size,
                    to->size);
    if (!checked_mul_u64(*nodes, to->size, nodes))
        return fail(fault, SPARSE_DENSE_SIZE, level, SIZE_MAX, "%d, too many values with it",
                    from->dense_size);
    return STATUS_OK;
}

enum status sparse_check(const struct sparse_source *s, struct sparse_layout *layout,
                         struct sparse_fault *fault)
{
    uint64_t nodes = 1;
    struct blocks b;

    *layout = (struct sparse_layout){ .level_count = s->level_count };
    TRY(check_counts(s, fault));
    if (!checked_elements(s->shape, s->rank, &layout->elements))
        return fail(fault, SPARSE_LEVELS, 0, SIZE_MAX, "a shape of more elements than are counted");
    TRY(check_blocks(s, &b, fault));
    for (size_t l = 0; l < s->level_count; l++)
        TRY(check_level(s, &b, l, &layout->levels[l], &nodes, fault));
    if (nodes > SIZE_MAX)
        return fail(fault, SPARSE_LEVELS, 0, SIZE_MAX, "more values than can be counted");
    layout->stored = (size_t)nodes;
    return STATUS_OK;
}

static struct sparse_ints ints_of(const TfLiteIntArray *a)
{
    if (!a || a->size < 0)
        return (struct sparse_ints){ .data = NULL };
    return (struct sparse_ints){ .data = a->data, .count = (size_t)a->size, .width = 4 };
}

enum status sparse_check_tensor(const TfLiteTensor *t, struct sparse_layout *layout,
                                struct sparse_fault *fault)
{
    const TfLiteSparsity *const s = t->sparsity;
    const unsigned bits = runtime_type_bits(t->type);
    struct sparse_source source = { .order = ints_of(s->traversal_order),
                                    .block_map = ints_of(s->block_map) };

    if (t->dims && t->dims->size >= 0) {
        source.shape = t->dims->data;
        source.rank = (size_t)t->dims->size;
    }
    if (s->dim_metadata && s->dim_metadata_size > 0)
        source.level_count = (size_t)s->dim_metadata_size;
    for (size_t l = 0; l < source.level_count && l < SPARSE_LEVELS_MAX; l++) {
        const TfLiteDimensionMetadata *const d = &s->dim_metadata[l];

        source.levels[l] = (struct sparse_source_level){ .format = (int32_t)d->format,
                                                         .dense_size = d->dense_size,
                                                         .segments = ints_of(d->array_segments),
                                                         .indices = ints_of(d->array_indices) };
    }
    TRY(sparse_check(&source, layout, fault));
    if (bits < 8 || !t->data.raw || layout->stored > t->bytes / (bits / 8))
        return fail(fault, SPARSE_LEVELS, 0, SIZE_MAX, "%zu values of type %s, in %zu bytes",
                    layout->stored, runtime_type_name(t->type), t->data.raw ? t->bytes : 0);
    return STATUS_OK;
}

struct expansion {
    const struct sparse_layout *layout;
    size_t bytes; /* of an element */
    const uint8_t *value;
    uint8_t *dense;
};

/* The values below node `node` of a level, whose first element is `at`.  No deeper than there are
 * levels. */
static void expand(struct expansion *e, size_t level, size_t node, size_t at)
{
    const struct sparse_level *const l = &e->layout->levels[level];

    if (level == e->layout->level_count) {
        memcpy(e->dense + at * e->bytes, e->value, e->bytes);
        e->value += e->bytes;
    } else if (!l->compressed) {
        for (size_t i = 0; i < l->size; i++)
            expand(e, level + 1, node * l->size + i, at + i * l->step);
    } else {
        const size_t end = (size_t)int_at(&l->segments, node + 1);

        for (size_t i = (size_t)int_at(&l->segments, node); i < end; i++)
            expand(e, level + 1, i, at + (size_t)int_at(&l->indices, i) * l->step);
    }
}

void sparse_expand(const struct sparse_layout *layout, const void *values, size_t element_bytes,
                   void *dense)
{
    struct expansion e = {
        .layout = layout, .bytes = element_bytes, .value = values, .dense = dense
    };

    memset(dense, 0, layout->elements * element_bytes);
    if (layout->stored > 0) /* else levels may have more indices than there are elements */
        expand(&e, 0, 0, 0);
}
