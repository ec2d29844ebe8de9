#include "reference/format/sparse.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

static struct sparse_ints ints_of(struct model_ints v)
{
    return (struct sparse_ints){ .data = v.data, .count = v.count, .width = sizeof *v.data };
}

enum status sparse_check_model(const struct model_tensor *t, struct sparse_layout *layout,
                               struct sparse_fault *fault)
{
    const struct model_sparsity *const s = &t->sparsity;
    struct sparse_source source = { .shape = t->shape.data,
                                    .rank = t->shape.count,
                                    .order = ints_of(s->traversal_order),
                                    .block_map = ints_of(s->block_map),
                                    .level_count = s->dimension_count };

    for (size_t i = 0; i < s->dimension_count && i < SPARSE_LEVELS_MAX; i++)
        source.levels[i] =
            (struct sparse_source_level){ .format = s->dimensions[i].format,
                                          .dense_size = s->dimensions[i].dense_size,
                                          .segments = ints_of(s->dimensions[i].segments),
                                          .indices = ints_of(s->dimensions[i].indices) };
    return sparse_check(&source, layout, fault);
}

/* ---- dense to sparse ---- */

struct compression {
    const struct sparse_layout *layout; /* sizes and steps; its vectors are empty */
    const uint8_t *dense;
    uint8_t *values;
    size_t bytes, count; /* of an element; of elements in values */
    struct {
        int32_t *segments, *indices;
        size_t segment_count, index_count;
    } levels[SPARSE_LEVELS_MAX];
};

/* Whether all elements below index `at` of the levels before are zero. */
static bool is_zero(const struct compression *c, size_t level, size_t at)
{
    const struct sparse_level *const l = &c->layout->levels[level];

    if (level == c->layout->level_count) {
        for (size_t i = 0; i < c->bytes; i++)
            if (c->dense[at * c->bytes + i] != 0)
                return false;
        return true;
    }
    for (size_t i = 0; i < l->size; i++)
        if (!is_zero(c, level + 1, at + i * l->step))
            return false;
    return true;
}

static void compress(struct compression *c, size_t level, size_t at)
{
    const struct sparse_level *const l = &c->layout->levels[level];

    if (level == c->layout->level_count) {
        memcpy(c->values + c->count++ * c->bytes, c->dense + at * c->bytes, c->bytes);
        return;
    }
    for (size_t i = 0; i < l->size; i++) {
        if (l->compressed && is_zero(c, level + 1, at + i * l->step))
            continue;
        if (l->compressed)
            c->levels[level].indices[c->levels[level].index_count++] = (int32_t)i;
        compress(c, level + 1, at + i * l->step);
    }
    if (l->compressed)
        c->levels[level].segments[c->levels[level].segment_count++] =
            (int32_t)c->levels[level].index_count;
}

/* The layout of the form as if every level were dense, which finds what does not fit. */
static enum status layout_of(const struct sparse_form *form, const int32_t *shape, size_t rank,
                             struct sparse_source *s, int32_t *order, int32_t *map,
                             struct sparse_layout *layout, struct sparse_fault *fault)
{
    size_t blocks = 0;

    *s = (struct sparse_source){ .shape = shape,
                                 .rank = rank,
                                 .level_count = form->level_count,
                                 .order = { order, form->level_count, sizeof *order } };
    for (size_t l = 0; l < form->level_count; l++) {
        const struct sparse_form_level *const f = &form->levels[l];
        size_t number = 0;

        s->levels[l].dense_size = f->block;
        order[l] = f->dimension;
        if (f->block == 0)
            continue;
        /* Those of a block are numbered as the shape's are: the runtime knows no other map. */
        for (size_t k = 0; k < form->level_count; k++)
            number += form->levels[k].block > 0 && form->levels[k].dimension < f->dimension;
        order[l] = (int32_t)(rank + number);
        map[number] = f->dimension;
        blocks++;
    }
    s->block_map = (struct sparse_ints){ map, blocks, sizeof *map };
    for (size_t l = 0; l < form->level_count; l++) {
        const struct sparse_form_level *const f = &form->levels[l];

        if (f->block > 0 || f->dimension < 0 || (size_t)f->dimension >= rank)
            continue;
        s->levels[l].dense_size = shape[f->dimension];
        for (size_t k = 0; k < form->level_count; k++)
            if (form->levels[k].block > 0 && form->levels[k].dimension == f->dimension)
                s->levels[l].dense_size /= form->levels[k].block;
    }
    TRY(sparse_check(s, layout, fault));
    for (size_t l = 0; l < form->level_count; l++)
        layout->levels[l].compressed = form->levels[l].compressed != 0;
    return STATUS_OK;
}

static enum status fail_level(struct sparse_fault *fault, size_t level, const char *text)
{
    *fault = (struct sparse_fault){ .part = SPARSE_INDICES, .level = level, .index = SIZE_MAX };
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return STATUS_INVALID;
}

/* Vectors of u16 and u8 hold what they have to. */
static enum status check_width(const struct compression *c, size_t level, int kind,
                               struct sparse_fault *fault)
{
    const int64_t most = kind == 3 ? UINT8_MAX : kind == 2 ? UINT16_MAX : INT32_MAX;

    if ((int64_t)c->levels[level].index_count <= most &&
        (int64_t)c->layout->levels[level].size - 1 <= most)
        return STATUS_OK;
    return fail_level(fault, level, "more indices than its vectors can count");
}

static enum status fill(struct arena *arena, const struct sparse_form *form, struct compression *c,
                        struct model_dimension *out, struct sparse_fault *fault)
{
    for (size_t l = 0; l < form->level_count; l++) {
        if (!c->layout->levels[l].compressed)
            continue;
        /* No level has more rows, or indices, than there are elements. */
        c->levels[l].segments = ARENA_NEW(arena, c->layout->elements + 2, int32_t);
        c->levels[l].indices = ARENA_NEW(arena, c->layout->elements + 1, int32_t);
        if (!c->levels[l].segments || !c->levels[l].indices)
            return STATUS_NO_MEMORY;
        c->levels[l].segment_count = 1; /* it begins with 0 */
    }
    compress(c, 0, 0);
    for (size_t l = 0; l < form->level_count; l++) {
        const uint8_t kind = form->levels[l].compressed;

        out[l] = (struct model_dimension){ .format = kind != 0 };
        if (kind == 0) {
            out[l].dense_size = (int32_t)c->layout->levels[l].size;
            continue;
        }
        TRY(check_width(c, l, kind, fault));
        out[l].segments_type = out[l].indices_type = kind;
        out[l].segments = (struct model_ints){ c->levels[l].segments, c->levels[l].segment_count };
        out[l].indices = (struct model_ints){ c->levels[l].indices, c->levels[l].index_count };
    }
    return STATUS_OK;
}

enum status sparse_compress(struct arena *arena, const struct sparse_form *form,
                            const int32_t *shape, size_t rank, const void *dense,
                            size_t element_bytes, struct model_sparsity *sparsity,
                            struct model_bytes *values, struct sparse_fault *fault)
{
    int32_t *const order = ARENA_NEW(arena, SPARSE_LEVELS_MAX, int32_t);
    int32_t *const map = ARENA_NEW(arena, SPARSE_LEVELS_MAX, int32_t);
    struct model_dimension *const dimensions =
        ARENA_NEW(arena, form->level_count, struct model_dimension);
    struct sparse_layout layout;
    struct sparse_source source;
    struct compression c = { .layout = &layout, .dense = dense, .bytes = element_bytes };

    if (!order || !map || !dimensions)
        return STATUS_NO_MEMORY;
    TRY(layout_of(form, shape, rank, &source, order, map, &layout, fault));
    if (layout.elements == 0)
        return fail_level(fault, 0, "a tensor without elements");
    if (!(c.values = arena_alloc(arena, layout.elements, element_bytes)))
        return STATUS_NO_MEMORY;
    TRY(fill(arena, form, &c, dimensions, fault));
    *sparsity = (struct model_sparsity){ .present = true,
                                         .traversal_order = { order, form->level_count },
                                         .block_map = { map, source.block_map.count },
                                         .dimensions = dimensions,
                                         .dimension_count = form->level_count };
    *values = (struct model_bytes){ c.values, c.count * element_bytes };
    return STATUS_OK;
}

/* ---- the form of a tensor ---- */

static bool same_levels(const struct model_sparsity *a, const struct model_sparsity *b)
{
    if (!model_same_ints(a->traversal_order, b->traversal_order) ||
        !model_same_ints(a->block_map, b->block_map))
        return false;
    for (size_t l = 0; l < a->dimension_count; l++) {
        const struct model_dimension *const x = &a->dimensions[l], *const y = &b->dimensions[l];

        if (x->format != y->format || x->segments_type != y->segments_type ||
            x->indices_type != y->indices_type || !model_same_ints(x->segments, y->segments) ||
            !model_same_ints(x->indices, y->indices))
            return false;
    }
    return true;
}

bool sparse_form_of(const struct model_tensor *t, const struct sparse_layout *layout,
                    const struct model_bytes *values, size_t element_bytes,
                    struct sparse_form *form)
{
    const size_t rank = t->shape.count;
    struct arena arena = { 0 };
    void *const dense = arena_alloc(&arena, layout->elements, element_bytes);
    struct model_sparsity again;
    struct model_bytes stored;
    struct sparse_fault fault;
    bool same;

    *form = (struct sparse_form){ .level_count = layout->level_count };
    for (size_t l = 0; l < layout->level_count; l++) {
        const int32_t d = t->sparsity.traversal_order.data[l];
        const struct model_dimension *const from = &t->sparsity.dimensions[l];

        form->levels[l] = (struct sparse_form_level){
            .dimension = (size_t)d < rank ? d : t->sparsity.block_map.data[(size_t)d - rank],
            .block = (size_t)d < rank ? 0 : from->dense_size,
            .compressed = from->format == 1 ? from->indices_type : 0,
        };
    }
    if (dense)
        sparse_expand(layout, values->data, element_bytes, dense);
    same = dense && layout->elements > 0 &&
           sparse_compress(&arena, form, t->shape.data, rank, dense, element_bytes, &again, &stored,
                           &fault) == STATUS_OK &&
           same_levels(&t->sparsity, &again) && stored.count == values->count &&
           memcmp(stored.data, values->data, stored.count) == 0;
    arena_close(&arena);
    return same;
}
