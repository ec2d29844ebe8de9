#include "delegate/offsets.h"

#include "reference/checked.h"
#include "reference/memory.h"

#include <stdint.h>
#include <string.h>

enum { ROUNDS = 60 };

static bool overlap(const struct span *a, const struct span *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Places spans in the given order; placed[] is kept sorted by offset.  SIZE_MAX: does not fit. */
static size_t place(struct span *spans, const size_t *order, size_t count, size_t *placed)
{
    size_t peak = 0;

    for (size_t i = 0; i < count; i++) {
        struct span *s = &spans[order[i]];
        size_t at = 0, end, where = 0;

        for (size_t j = 0; j < i; j++) {
            const struct span *o = &spans[placed[j]];

            if (!overlap(s, o) || o->offset + o->bytes <= at)
                continue;
            if (o->offset >= at && o->offset - at >= s->bytes)
                break; /* the gap before o holds it; what follows lies higher */
            at = o->offset + o->bytes;
        }
        if (!checked_add(at, s->bytes, &end))
            return SIZE_MAX;
        s->offset = at;
        if (end > peak)
            peak = end;
        while (where < i && spans[placed[where]].offset <= at)
            where++;
        memmove(&placed[where + 1], &placed[where], (i - where) * sizeof placed[0]);
        placed[where] = order[i];
    }
    return peak;
}

/* Largest first; equal ones by their place, so that the result does not depend on a sort. */
static void order_by_size(const struct span *spans, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = i;

        while (j > 0 && spans[order[j - 1]].bytes < spans[i].bytes) {
            order[j] = order[j - 1];
            j--;
        }
        order[j] = i;
    }
}

size_t offsets_assign(struct span *spans, size_t count, bool *ok)
{
    size_t *order = mem_alloc(count, sizeof *order);
    size_t *placed = mem_alloc(count + 1, sizeof *placed);
    size_t *best = mem_alloc(count, sizeof *best); /* offsets */
    const size_t bound = offsets_bound(spans, count);
    size_t best_peak = SIZE_MAX;

    *ok = order && placed && best && bound != SIZE_MAX;
    if (!*ok)
        goto done;
    order_by_size(spans, order, count);
    for (int round = 0; round < ROUNDS && best_peak > bound; round++) {
        const size_t peak = place(spans, order, count, placed);
        size_t top = 0;

        if (peak < best_peak) {
            best_peak = peak;
            for (size_t i = 0; i < count; i++)
                best[i] = spans[i].offset;
        }
        if (peak == SIZE_MAX || count == 0)
            break;
        for (size_t i = 0; i < count; i++)
            if (spans[order[i]].offset + spans[order[i]].bytes == peak)
                top = i;
        const size_t moved = order[top];
        memmove(&order[1], &order[0], top * sizeof order[0]);
        order[0] = moved;
    }
    *ok = best_peak != SIZE_MAX;
    for (size_t i = 0; i < count && *ok; i++)
        spans[i].offset = best[i];
done:
    mem_free(order);
    mem_free(placed);
    mem_free(best);
    return *ok ? best_peak : 0;
}

size_t offsets_bound(const struct span *spans, size_t count)
{
    size_t bound = 0;

    /* The sum changes only where a span begins. */
    for (size_t i = 0; i < count; i++) {
        size_t sum = 0;

        for (size_t j = 0; j < count; j++)
            if (spans[j].first <= spans[i].first && spans[i].first <= spans[j].last &&
                !checked_add(sum, spans[j].bytes, &sum))
                return SIZE_MAX;
        if (sum > bound)
            bound = sum;
    }
    return bound;
}
