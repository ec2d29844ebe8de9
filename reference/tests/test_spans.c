/* Spans of memory with lifetimes: many are placed as a few are, as long as that is quick. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/base/spans.h"

enum { COUNT = 3000, MANY = 200000 };

/* The lowest gap, by comparing with every span that was placed before. */
static size_t lowest_gap(const struct span *spans, const size_t *order, size_t placed)
{
    const struct span *s = &spans[order[placed]];
    size_t at = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (size_t i = 0; i < placed; i++) {
            const struct span *o = &spans[order[i]];

            if (o->first <= s->last && s->first <= o->last && o->offset < at + s->bytes &&
                at < o->offset + o->bytes) {
                at = o->offset + o->bytes;
                moved = true;
            }
        }
    }
    return at;
}

TEST(many_as_a_few)
{
    struct span *spans = calloc(COUNT, sizeof *spans), *naive = calloc(COUNT, sizeof *naive);
    size_t *order CLOSED_BY(kit_free) = calloc(COUNT, sizeof *order);

    assert_true(spans && naive && order);
    for (uint64_t seed = 1, round = 0; round < 4; round++) {
        const int steps = round == 3 ? 40 : 1000;
        struct spans_placer p;
        size_t peak = 0;

        for (size_t i = 0; i < COUNT; i++) {
            const int first = kit_below(&seed, steps);
            const int last = first + kit_below(&seed, round == 0 ? 4 : 60);

            spans[i] =
                (struct span){ 64 * (size_t)(1 + kit_below(&seed, 30)), first, last, SIZE_MAX };
            order[i] = i;
        }
        for (size_t i = COUNT - 1; i > 0; i--) {
            const size_t j = (size_t)kit_below(&seed, (int)i + 1), moved = order[i];

            order[i] = order[j];
            order[j] = moved;
        }
        memcpy(naive, spans, COUNT * sizeof *naive);
        for (size_t i = 0; i < COUNT; i++) {
            struct span *s = &naive[order[i]];

            s->offset = lowest_gap(naive, order, i);
            peak = s->offset + s->bytes > peak ? s->offset + s->bytes : peak;
        }
        assert_true(spans_placer_open(&p, spans, COUNT));
        for (int again = 0; again < 2; again++)
            assert_int_equal(spans_place(&p, order), peak);
        spans_placer_close(&p);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(spans[i].offset, naive[i].offset);
    }
    free(spans);
    free(naive);
}

/* Spans that all live at once: a search for gaps among so many takes minutes. */
TEST(all_at_once)
{
    struct span *spans CLOSED_BY(kit_free) = calloc(MANY, sizeof *spans);
    size_t *order CLOSED_BY(kit_free) = calloc(MANY, sizeof *order);
    struct spans_placer p CLOSED_BY(spans_placer_close);

    assert_true(spans && order);
    for (size_t i = 0; i < MANY; i++) {
        spans[i] = (struct span){ .bytes = 64, .first = (int)i, .last = MANY + 1 };
        order[i] = i;
    }
    assert_true(spans_placer_open(&p, spans, MANY));
    assert_int_equal(spans_bound(spans, MANY), 64 * (size_t)MANY);
    assert_int_equal(spans_place(&p, order), 64 * (size_t)MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(spans[i].offset, 64 * i);
}

/* Every offset of spans beyond SPANS_EXACT, of which some have more company than others, is valid.
 */
TEST(no_two_overlap)
{
    enum { N = SPANS_EXACT + 4000 };
    struct span *spans CLOSED_BY(kit_free) = calloc(N, sizeof *spans);
    size_t *order CLOSED_BY(kit_free) = calloc(N, sizeof *order), peak, highest = 0;
    struct spans_placer p;
    uint64_t seed = 9;

    assert_true(spans && order);
    for (size_t i = 0; i < N; i++) {
        const int first = kit_below(&seed, N);
        const int life = kit_below(&seed, 3) ? kit_below(&seed, 5) : kit_below(&seed, N);

        spans[i] = (struct span){ 64 * (size_t)kit_below(&seed, 9), first, first + life, SIZE_MAX };
        order[i] = i;
    }
    assert_true(spans_placer_open(&p, spans, N));
    peak = spans_place(&p, order);
    spans_placer_close(&p);
    for (size_t i = 0; i < N; i++) {
        const struct span *a = &spans[i];

        highest = a->offset + a->bytes > highest ? a->offset + a->bytes : highest;
        for (size_t j = 0; j < i; j++) {
            const struct span *b = &spans[j];

            if (a->first <= b->last && b->first <= a->last && a->offset < b->offset + b->bytes &&
                b->offset < a->offset + a->bytes)
                fail_msg("spans %zu and %zu share bytes", i, j);
        }
    }
    assert_int_equal(highest, peak);
}

TEST(without_memory)
{
    struct span *spans CLOSED_BY(kit_free) = calloc(COUNT, sizeof *spans);
    struct spans_placer p CLOSED_BY(spans_placer_close);
    long fails = 0;
    bool opened;

    assert_non_null(spans);
    do {
        mem_fail_after(fails++);
        opened = spans_placer_open(&p, spans, COUNT);
        mem_fail_after(-1);
        assert_true(opened || (!p.index && !p.placed));
    } while (!opened);
    assert_true(fails > 10);
}
