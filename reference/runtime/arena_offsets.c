/* Greedy by size: the largest first, each at the lowest offset where it overlaps no placed tensor
 * that is alive in one of its steps.  On the usual networks the total reaches the bound: the
 * largest sum of tensors alive in one step. */
#include "reference/runtime/arena_offsets.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <stdbool.h>

#include <stdlib.h>

/* The search is quadratic and takes seconds for this many.  Beyond it, which no network reaches,
 * tensors share no memory, so that a hostile file cannot make planning slow. */
enum { SHARING_MAX = 50000 };

/* Larger first; of equal ones the earlier, so that the plan does not depend on qsort. */
static int by_size(const void *a, const void *b)
{
    const struct arena_item *x = *(struct arena_item *const *)a;
    const struct arena_item *y = *(struct arena_item *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x < y ? -1 : x > y;
}

struct edge {
    int step;
    bool begins;
    size_t bytes;
};

static int by_step(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (int)x->begins - (int)y->begins; /* ends first: they are one step after the last use */
}

static bool largest_sum(const struct arena_item *items, size_t count, struct edge *edges,
                        size_t *bound)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        edges[2 * i] = (struct edge){ items[i].first, true, items[i].bytes };
        edges[2 * i + 1] = (struct edge){ items[i].last + 1, false, items[i].bytes };
    }
    qsort(edges, 2 * count, sizeof *edges, by_step);
    *bound = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        if (!edges[i].begins)
            sum -= edges[i].bytes;
        else if (!checked_add(sum, edges[i].bytes, &sum))
            return false;
        if (sum > *bound)
            *bound = sum;
    }
    return true;
}

/* placed: items that have an offset, in order of it.  *at is where the item is to be inserted. */
static bool place(struct arena_item *item, struct arena_item *const *placed, size_t count,
                  size_t *at)
{
    size_t offset = 0;

    for (size_t i = 0; i < count; i++) {
        const struct arena_item *p = placed[i];
        if (p->first > item->last || p->last < item->first)
            continue;
        if (p->offset >= offset && p->offset - offset >= item->bytes)
            break; /* fits before this one */
        if (p->offset + p->bytes > offset)
            offset = p->offset + p->bytes;
    }
    item->offset = offset;
    for (*at = count; *at > 0 && placed[*at - 1]->offset > offset; --*at)
        ;
    return checked_add(offset, item->bytes, &offset);
}

static enum status one_after_another(struct arena_item *items, size_t count, size_t *total)
{
    for (size_t i = 0; i < count; i++) {
        items[i].offset = *total;
        if (!checked_add(*total, items[i].bytes, total))
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

enum status arena_assign_offsets(struct arena_item *items, size_t count, size_t *total,
                                 size_t *bound)
{
    struct arena_item **order = mem_alloc(count, sizeof *order);
    struct arena_item **placed = mem_alloc(count, sizeof *placed);
    struct edge *edges = mem_alloc(count, 2 * sizeof *edges);
    enum status s = STATUS_NO_MEMORY;

    *total = *bound = 0;
    if (!order || !placed || !edges || !largest_sum(items, count, edges, bound))
        goto done;
    if (count > SHARING_MAX) {
        s = one_after_another(items, count, total);
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = &items[i];
    qsort(order, count, sizeof(struct arena_item *), by_size);
    for (size_t i = 0; i < count; i++) {
        size_t at;
        if (!place(order[i], placed, i, &at))
            goto done;
        for (size_t j = i; j > at; j--)
            placed[j] = placed[j - 1];
        placed[at] = order[i];
        if (order[i]->offset + order[i]->bytes > *total)
            *total = order[i]->offset + order[i]->bytes;
    }
    s = STATUS_OK;
done:
    mem_free(order);
    mem_free(placed);
    mem_free(edges);
    return s;
}
