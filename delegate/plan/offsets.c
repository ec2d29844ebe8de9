/* Speed: all tensors, at each start */
#include "delegate/plan/offsets.h"

#include "reference/base/memory.h"

#include <stdint.h>
#include <string.h>

/* Rounds per initial order; rounds of random moves; pairs of spans that all rounds may compare. */
enum { RAISES_MAX = 60, SHUFFLES_MAX = 2000, COMPARISONS_MAX = 50000000 };

/* The initial orders.  Equal spans keep their order, so that the result is deterministic. */
enum criterion { BY_BYTES, BY_AREA, BY_LIFETIME, BY_BEGIN, CRITERIA };

static bool comes_first(const struct span *a, const struct span *b, enum criterion by)
{
    const double life_a = (double)a->last - a->first + 1, life_b = (double)b->last - b->first + 1;

    switch (by) {
    case BY_AREA: return (double)a->bytes * life_a > (double)b->bytes * life_b;
    case BY_LIFETIME: return life_a > life_b || (life_a == life_b && a->bytes > b->bytes);
    case BY_BEGIN: return a->first < b->first || (a->first == b->first && a->bytes > b->bytes);
    default: return a->bytes > b->bytes;
    }
}

/* Merges sorted runs of doubling length; `other` has room for as many. */
static void order_by(const struct span *spans, size_t *order, size_t *other, size_t count,
                     enum criterion by)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            const size_t middle = from + run < count ? from + run : count;
            const size_t end = middle + run < count ? middle + run : count;
            size_t left = from, right = middle;

            for (size_t i = from; i < end; i++)
                other[i] = left < middle && (right == end || !comes_first(&spans[order[right]],
                                                                          &spans[order[left]], by))
                               ? order[left++]
                               : order[right++];
        }
        memcpy(order, other, count * sizeof order[0]);
    }
}

static void move(size_t *order, size_t from, size_t to)
{
    const size_t moved = order[from];

    if (from < to)
        memmove(&order[from], &order[from + 1], (to - from) * sizeof order[0]);
    else
        memmove(&order[to + 1], &order[to], (from - to) * sizeof order[0]);
    order[to] = moved;
}

struct search {
    struct span *spans;
    size_t count, bound;
    struct spans_placer placer;
    size_t *order; /* of this round */
    size_t *sorted;
    size_t *best_order, *best_offset, best_peak;
    size_t rounds_left;
};

/* Places the spans in the current order, and keeps the result if it is the best so far. */
static size_t try_order(struct search *s)
{
    const size_t peak = spans_place(&s->placer, s->order);

    s->rounds_left--;
    if (peak < s->best_peak) {
        s->best_peak = peak;
        memcpy(s->best_order, s->order, s->count * sizeof s->order[0]);
        for (size_t i = 0; i < s->count; i++)
            s->best_offset[i] = s->spans[i].offset;
    }
    return peak;
}

static bool done(const struct search *s)
{
    return s->best_peak <= s->bound || s->rounds_left == 0;
}

/* Places the spans in one of the initial orders, then again and again with the span that sets the
 * peak moved to the front. */
static void search_by_peak(struct search *s, enum criterion by)
{
    order_by(s->spans, s->order, s->sorted, s->count, by);
    for (int round = 0; round < RAISES_MAX && !done(s); round++) {
        const size_t peak = try_order(s);
        size_t top = 0;

        if (peak == SIZE_MAX)
            return;
        for (size_t i = 0; i < s->count; i++) {
            const struct span *span = &s->spans[s->order[i]];

            if (span->offset + span->bytes == peak)
                top = i;
        }
        move(s->order, top, 0);
    }
}

/* splitmix64 */
static size_t draw(uint64_t *state, size_t below)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (size_t)((z ^ (z >> 31)) % below);
}

/* Local search: moves one or two spans in the order, and keeps the move if the peak is no larger.
 */
static void shuffle(struct search *s)
{
    uint64_t random = 1;
    size_t from[2], to[2], peak = s->best_peak;

    memcpy(s->order, s->best_order, s->count * sizeof s->order[0]);
    for (int i = 0; i < SHUFFLES_MAX && !done(s) && peak != SIZE_MAX; i++) {
        const size_t moves = 1 + draw(&random, 2);

        for (size_t m = 0; m < moves; m++) {
            from[m] = draw(&random, s->count);
            to[m] = draw(&random, s->count);
            move(s->order, from[m], to[m]);
        }
        const size_t now = try_order(s);
        for (size_t m = moves; m > 0 && now > peak; m--)
            move(s->order, to[m - 1], from[m - 1]);
        if (now < peak)
            peak = now;
    }
}

size_t offsets_assign(struct span *spans, size_t count, bool *ok)
{
    struct search s = { .spans = spans,
                        .count = count,
                        .bound = spans_bound(spans, count),
                        .order = mem_alloc(count, sizeof(size_t)),
                        .sorted = mem_alloc(count, sizeof(size_t)),
                        .best_order = mem_alloc(count, sizeof(size_t)),
                        .best_offset = mem_alloc(count, sizeof(size_t)),
                        .best_peak = count ? SIZE_MAX : 0,
                        /* A round compares all pairs of spans, so large plans get fewer rounds. */
                        .rounds_left = 1 + COMPARISONS_MAX / (count * count + 1) };

    *ok = s.order && s.sorted && s.best_order && s.best_offset && s.bound != SIZE_MAX &&
          spans_placer_open(&s.placer, spans, count);
    for (int by = 0; by < CRITERIA && *ok && !done(&s); by++)
        search_by_peak(&s, (enum criterion)by);
    if (*ok && !done(&s))
        shuffle(&s);
    *ok = *ok && s.best_peak != SIZE_MAX;
    for (size_t i = 0; i < count && *ok; i++)
        spans[i].offset = s.best_offset[i];
    mem_free(s.order);
    mem_free(s.sorted);
    spans_placer_close(&s.placer);
    mem_free(s.best_order);
    mem_free(s.best_offset);
    return *ok ? s.best_peak : 0;
}
