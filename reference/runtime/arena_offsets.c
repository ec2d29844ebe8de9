/* Greedy by size: the largest first, each at the lowest offset where it overlaps no placed tensor
 * that is alive in one of its steps.  On the usual networks the total reaches the bound: the
 * largest sum of tensors alive in one step. */
#include "reference/runtime/tensor_memory.h"

#include "reference/base/memory.h"

#include <stdint.h>
#include <stdlib.h>

/* Larger first; of equal ones the earlier, so that the plan does not depend on qsort. */
static int by_size(const void *a, const void *b)
{
    const struct span *x = *(struct span *const *)a, *y = *(struct span *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool order_by_size(struct span *spans, size_t count, size_t *order)
{
    struct span **const sorted = mem_alloc(count, sizeof *sorted);

    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &spans[i];
    if (count > 0)
        qsort(sorted, count, sizeof(struct span *), by_size);
    for (size_t i = 0; i < count; i++)
        order[i] = (size_t)(sorted[i] - spans);
    mem_free(sorted);
    return true;
}

enum status arena_assign_offsets(struct span *spans, size_t count, size_t *total, size_t *bound)
{
    size_t *const order = mem_alloc(count, sizeof *order);
    struct spans_placer placer = { .count = 0 };
    size_t peak = SIZE_MAX;

    *total = *bound = 0;
    if (order && order_by_size(spans, count, order) && spans_placer_open(&placer, spans, count)) {
        *bound = spans_bound(spans, count);
        if (*bound != SIZE_MAX)
            peak = spans_place(&placer, order);
        spans_placer_close(&placer);
    }
    mem_free(order);
    if (peak == SIZE_MAX)
        return STATUS_NO_MEMORY;
    *total = peak;
    return STATUS_OK;
}
