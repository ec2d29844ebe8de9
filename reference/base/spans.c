#include "reference/base/spans.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bound ---- */

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

size_t spans_bound(const struct span *spans, size_t count)
{
    struct edge *const edges = mem_alloc(count, 2 * sizeof *edges);
    size_t sum = 0, bound = 0;

    if (!edges)
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        edges[2 * i] = (struct edge){ spans[i].first, true, spans[i].bytes };
        edges[2 * i + 1] = (struct edge){ spans[i].last + 1, false, spans[i].bytes };
    }
    if (count > 0)
        qsort(edges, 2 * count, sizeof *edges, by_step);
    for (size_t i = 0; i < 2 * count && bound != SIZE_MAX; i++) {
        if (!edges[i].begins)
            sum -= edges[i].bytes;
        else if (!checked_add(sum, edges[i].bytes, &sum))
            bound = SIZE_MAX;
        else if (sum > bound)
            bound = sum;
    }
    mem_free(edges);
    return bound;
}

/* ---- an index of many spans ---- */

/* Spans that the search for gaps may look at: for all, and for each.  One that lives together with
 * fewer than NEAR placed ones is always searched for. */
enum { LOOKS = 1 << 20, LOOKS_EACH = 16, NEAR = 64 };
/* So few are compared pair by pair at once, which is as quick. */
enum { FEW = 1024 };

struct found {
    size_t offset, end;
};

/* Two spans that live at the same time do so at the first step of one of them, so that these steps,
 * sorted, stand for time.  A tree over them has at each node the last step of the placed spans that
 * begin there, and the ends of those that live there. */
struct spans_index {
    size_t leaves;         /* a power of two */
    size_t *order;         /* spans by their first step */
    size_t *leaf;          /* of a span, in that order */
    size_t *begin, *until; /* the leaves at which a span lives */
    int *latest;           /* by node: the last step of placed spans; INT_MIN: none */
    size_t *top, *raised;  /* by node: the largest end below it; of spans that live at all of it */
    struct found *found;
    size_t found_count, found_max, looks;
};

static void close_index(struct spans_index *x)
{
    if (!x)
        return;
    mem_free(x->order);
    mem_free(x->leaf);
    mem_free(x->begin);
    mem_free(x->until);
    mem_free(x->latest);
    mem_free(x->top);
    mem_free(x->raised);
    mem_free(x->found);
    mem_free(x);
}

struct start {
    int step;
    size_t span;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->span < y->span ? -1 : 1;
}

/* How many spans begin before the step. */
static size_t begun_before(const struct start *starts, size_t count, long long step)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (starts[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool fill_index(struct spans_index *x, const struct span *spans, size_t count)
{
    struct start *const starts = mem_alloc(count, sizeof *starts);

    if (!starts)
        return false;
    for (size_t i = 0; i < count; i++)
        starts[i] = (struct start){ spans[i].first, i };
    qsort(starts, count, sizeof *starts, by_start);
    for (size_t i = 0; i < count; i++) {
        const struct span *s = &spans[starts[i].span];

        x->order[i] = starts[i].span;
        x->leaf[starts[i].span] = i;
        x->begin[starts[i].span] = begun_before(starts, count, s->first);
        x->until[starts[i].span] = begun_before(starts, count, (long long)s->last + 1);
    }
    mem_free(starts);
    return true;
}

static struct spans_index *open_index(const struct span *spans, size_t count)
{
    struct spans_index *x = mem_alloc(1, sizeof *x);

    if (!x)
        return NULL;
    for (x->leaves = 1; x->leaves < count;)
        x->leaves *= 2;
    x->order = mem_alloc(count, sizeof *x->order);
    x->leaf = mem_alloc(count, sizeof *x->leaf);
    x->begin = mem_alloc(count, sizeof *x->begin);
    x->until = mem_alloc(count, sizeof *x->until);
    x->latest = mem_alloc(2 * x->leaves, sizeof *x->latest);
    x->top = mem_alloc(2 * x->leaves, sizeof *x->top);
    x->raised = mem_alloc(2 * x->leaves, sizeof *x->raised);
    x->found = mem_alloc(count, sizeof *x->found);
    if (x->order && x->leaf && x->begin && x->until && x->latest && x->top && x->raised &&
        x->found && fill_index(x, spans, count))
        return x;
    close_index(x);
    return NULL;
}

static void clear_index(struct spans_index *x, size_t count)
{
    for (size_t i = 0; i < 2 * x->leaves; i++)
        x->latest[i] = INT_MIN;
    memset(x->top, 0, 2 * x->leaves * sizeof *x->top);
    memset(x->raised, 0, 2 * x->leaves * sizeof *x->raised);
    x->looks = LOOKS + LOOKS_EACH * count;
}

/* The part of the leaves from..to that a node stands for: its own are at, at + 1, .. of `width`. */
struct range {
    size_t from, to;
};

static void raise_top(struct spans_index *x, size_t node, size_t at, size_t width, struct range r,
                      size_t end)
{
    size_t below;

    if (r.to <= at || at + width <= r.from)
        return;
    if (r.from <= at && at + width <= r.to) {
        if (end > x->raised[node])
            x->raised[node] = end;
        if (end > x->top[node])
            x->top[node] = end;
        return;
    }
    raise_top(x, 2 * node, at, width / 2, r, end);
    raise_top(x, 2 * node + 1, at + width / 2, width / 2, r, end);
    below = x->top[2 * node] > x->top[2 * node + 1] ? x->top[2 * node] : x->top[2 * node + 1];
    x->top[node] = below > x->raised[node] ? below : x->raised[node];
}

static size_t find_top(const struct spans_index *x, size_t node, size_t at, size_t width,
                       struct range r)
{
    size_t left, right, top;

    if (r.to <= at || at + width <= r.from)
        return 0;
    if (r.from <= at && at + width <= r.to)
        return x->top[node];
    left = find_top(x, 2 * node, at, width / 2, r);
    right = find_top(x, 2 * node + 1, at + width / 2, width / 2, r);
    top = left > right ? left : right;
    return top > x->raised[node] ? top : x->raised[node];
}

/* Adds the placed spans that live at the same time as s to `found`; false: there are too many. */
static bool find_live(struct spans_index *x, const struct span *spans, size_t node, size_t at,
                      size_t width, const struct span *s, size_t until)
{
    const struct span *o;

    if (at >= until || x->latest[node] == INT_MIN || x->latest[node] < s->first)
        return true;
    if (width > 1)
        return find_live(x, spans, 2 * node, at, width / 2, s, until) &&
               find_live(x, spans, 2 * node + 1, at + width / 2, width / 2, s, until);
    if (x->found_count == x->found_max)
        return false;
    o = &spans[x->order[at]];
    x->found[x->found_count++] = (struct found){ o->offset, o->offset + o->bytes };
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static size_t lowest_gap(struct spans_index *x, size_t bytes)
{
    size_t at = 0;

    if (x->found_count > 1)
        qsort(x->found, x->found_count, sizeof *x->found, by_offset);
    for (size_t i = 0; i < x->found_count; i++) {
        const struct found *o = &x->found[i];

        if (o->end <= at)
            continue;
        if (o->offset >= at && o->offset - at >= bytes)
            break;
        at = o->end;
    }
    return at;
}

/* *exact is false when a gap may have been missed. */
static size_t place_indexed(struct spans_placer *p, const size_t *order, bool *exact)
{
    struct spans_index *const x = p->index;
    size_t peak = 0;

    *exact = true;
    clear_index(x, p->count);
    for (size_t i = 0; i < p->count; i++) {
        struct span *s = &p->spans[order[i]];
        const struct range live = { x->begin[order[i]], x->until[order[i]] };
        size_t end;

        x->found_count = 0;
        x->found_max = x->looks > NEAR ? x->looks : NEAR;
        if (x->found_max > p->count)
            x->found_max = p->count;
        if (find_live(x, p->spans, 1, 0, x->leaves, s, live.to)) {
            s->offset = lowest_gap(x, s->bytes);
        } else {
            s->offset = find_top(x, 1, 0, x->leaves, live);
            *exact = false;
        }
        x->looks -= x->found_count < x->looks ? x->found_count : x->looks;
        if (!checked_add(s->offset, s->bytes, &end))
            return SIZE_MAX;
        if (end > peak)
            peak = end;
        raise_top(x, 1, 0, x->leaves, live, end);
        for (size_t node = x->leaves + x->leaf[order[i]]; node > 0; node /= 2)
            if (x->latest[node] < s->last)
                x->latest[node] = s->last;
    }
    return peak;
}

/* ---- a few spans ---- */

static bool overlap(const struct span *a, const struct span *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* placed[] stays sorted by offset. */
static size_t place_scanned(struct spans_placer *p, const size_t *order)
{
    struct span *const spans = p->spans;
    size_t *const placed = p->placed;
    size_t peak = 0;

    for (size_t i = 0; i < p->count; i++) {
        struct span *s = &spans[order[i]];
        size_t at = 0, end, where = 0;

        for (size_t j = 0; j < i; j++) {
            const struct span *o = &spans[placed[j]];

            if (!overlap(s, o) || o->offset + o->bytes <= at)
                continue;
            if (o->offset >= at && o->offset - at >= s->bytes)
                break; /* the gap before o is large enough, and the lowest */
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

/* ---- both ---- */

bool spans_placer_open(struct spans_placer *p, struct span *spans, size_t count)
{
    *p = (struct spans_placer){ .spans = spans, .count = count };
    if (count <= SPANS_EXACT)
        p->placed = mem_alloc(count + 1, sizeof *p->placed);
    if (count > FEW)
        p->index = open_index(spans, count);
    if ((p->placed || count > SPANS_EXACT) && (p->index || count <= FEW))
        return true;
    spans_placer_close(p);
    return false;
}

void spans_placer_close(struct spans_placer *p)
{
    close_index(p->index);
    mem_free(p->placed);
    *p = (struct spans_placer){ 0 };
}

size_t spans_place(struct spans_placer *p, const size_t *order)
{
    if (p->index) {
        bool exact;
        const size_t peak = place_indexed(p, order, &exact);

        if (exact || !p->placed)
            return peak;
    }
    return place_scanned(p, order);
}
