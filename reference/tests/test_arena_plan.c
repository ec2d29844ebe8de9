/* The activation arena: tensors of random lifetimes never overlap, and random graphs give the same
 * outputs as without sharing, whatever the memory contained before. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/runtime/state.h"
#include "reference/runtime/tensor_memory.h"

enum { ITEMS = 60, STEPS = 30 };

static void check_plan(const struct span *items, size_t count, size_t total, size_t bound)
{
    size_t sum = 0, end = 0, largest = 0;

    for (size_t i = 0; i < count; i++) {
        sum += items[i].bytes;
        if (items[i].offset + items[i].bytes > end)
            end = items[i].offset + items[i].bytes;
        assert_int_equal(items[i].offset % 64, 0);
        for (size_t j = 0; j < i; j++) {
            const struct span *a = &items[i], *b = &items[j];
            if (a->first > b->last || b->first > a->last)
                continue;
            if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                fail_msg("items %zu and %zu are alive at once and overlap", j, i);
        }
    }
    for (int step = 0; step <= STEPS; step++) {
        size_t live = 0;
        for (size_t i = 0; i < count; i++)
            if (items[i].first <= step && step <= items[i].last)
                live += items[i].bytes;
        if (live > largest)
            largest = live;
    }
    assert_int_equal(bound, largest);
    assert_int_equal(total, end);
    assert_true(total >= bound);
    assert_true(total <= sum);
}

TEST(random_lifetimes)
{
    size_t totals = 0, bounds = 0;

    for (uint64_t round = 1; round <= 2000; round++) {
        struct span items[ITEMS];
        uint64_t seed = round;
        const size_t count = round % ITEMS;
        size_t total, bound;

        for (size_t i = 0; i < count; i++) {
            items[i].first = kit_below(&seed, STEPS);
            items[i].last = items[i].first + kit_below(&seed, (int)(1 + round % 10));
            if (items[i].last > STEPS)
                items[i].last = STEPS;
            items[i].bytes = 64 * (size_t)kit_below(&seed, 20); /* 0 too */
            items[i].offset = SIZE_MAX;
        }
        assert_int_equal(arena_assign_offsets(items, count, &total, &bound), STATUS_OK);
        check_plan(items, count, total, bound);
        totals += total;
        bounds += bound;
    }
    /* A plan that shares little has no overlaps either, so the total must also be near the bound.
     */
    assert_true((double)totals < 1.15 * (double)bounds);
}

/* Two steps of a chain at a time: the bound is reached. */
TEST(a_chain_reaches_the_bound)
{
    struct span items[STEPS];
    size_t total, bound;

    for (int i = 0; i < STEPS; i++)
        items[i] = (struct span){ .bytes = (size_t)(STEPS - i) * 64, .first = i, .last = i + 1 };
    assert_int_equal(arena_assign_offsets(items, STEPS, &total, &bound), STATUS_OK);
    assert_int_equal(bound, (STEPS + STEPS - 1) * 64);
    assert_int_equal(total, bound);
}

TEST(sizes_that_do_not_fit)
{
    struct span items[3];
    size_t total, bound;

    for (int i = 0; i < 3; i++)
        items[i] = (struct span){ .bytes = (SIZE_MAX / 2) & ~(size_t)63, .first = 0, .last = 5 };
    assert_int_equal(arena_assign_offsets(items, 3, &total, &bound), STATUS_NO_MEMORY);
    for (int i = 0; i < 3; i++) /* one after another they do */
        items[i].first = items[i].last = i;
    assert_int_equal(arena_assign_offsets(items, 3, &total, &bound), STATUS_OK);
    assert_int_equal(total, items[0].bytes);
    for (long n = 0; n < 3; n++) {
        mem_fail_after(n);
        assert_int_equal(arena_assign_offsets(items, 3, &total, &bound), STATUS_NO_MEMORY);
        mem_fail_after(-1);
    }
}

/* So many tensors that a quadratic search would take minutes. */
TEST(very_many_items)
{
    const size_t count = 200000;
    struct span *items CLOSED_BY(kit_free) = calloc(count, sizeof *items);
    size_t total, bound;

    assert_non_null(items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct span){ .bytes = 64, .first = (int)i, .last = (int)i + 1 };
    assert_int_equal(arena_assign_offsets(items, count, &total, &bound), STATUS_OK);
    assert_int_equal(total, 128);
    assert_int_equal(bound, 128);
    for (size_t i = 0; i < count; i++)
        assert_true(items[i].offset == 64 * (i % 2));
    items[5].bytes = SIZE_MAX & ~(size_t)63;
    assert_int_equal(arena_assign_offsets(items, count, &total, &bound), STATUS_NO_MEMORY);
}

/* The plan of a graph: tensors that are alive in the same step share no byte. */
static void check_graph_plan(struct interpreter *in)
{
    const int nodes = (int)interpreter_node_count(in);
    int first[KIT_TENSORS * 3], last[KIT_TENSORS * 3];
    size_t count;
    const int *ends;

    for (size_t t = 0; t < interpreter_tensor_count(in); t++)
        first[t] = nodes + 1, last[t] = -1;
    for (int n = 0; n < nodes; n++) {
        const TfLiteNode *node = interpreter_node(in, n);
        for (int i = 0; i < node->inputs->size; i++)
            last[node->inputs->data[i]] = n;
        first[node->outputs->data[0]] = n;
        if (last[node->outputs->data[0]] < n)
            last[node->outputs->data[0]] = n;
    }
    ends = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++)
        first[ends[i]] = 0, last[ends[i]] = nodes;
    ends = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++)
        last[ends[i]] = nodes;
    for (size_t a = 0; a < interpreter_tensor_count(in); a++) {
        const TfLiteTensor *x = interpreter_tensor(in, (int)a);
        if (x->allocation_type != kTfLiteArenaRw || last[a] < 0)
            continue;
        assert_non_null(x->data.raw);
        assert_int_equal((uintptr_t)x->data.raw % 64, 0);
        for (size_t b = 0; b < a; b++) {
            const TfLiteTensor *y = interpreter_tensor(in, (int)b);
            if (y->allocation_type != kTfLiteArenaRw || last[b] < 0 || first[a] > last[b] ||
                first[b] > last[a])
                continue;
            if (x->data.raw < y->data.raw + y->bytes && y->data.raw < x->data.raw + x->bytes)
                fail_msg("tensors %zu and %zu are alive at once and overlap", b, a);
        }
    }
}

TEST(random_graphs)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const struct interpreter_options apart = { .preserve_all = true };
        struct interpreter_options shared = { .poison = true, .poison_word = 0x7FC0BEEF };

        MODEL_BY(m, kit_random_graph(&m, seed, 1 + (int)(seed % 50), (int)(seed % 9)));
        struct interpreter *a CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&a, &m, &apart, &err));
        struct interpreter *b CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&b, &m, &shared, &err));
        KIT_OK(interpreter_allocate(a, &err));
        KIT_OK(interpreter_allocate(b, &err));
        assert_true(interpreter_arena_bytes(b) <= interpreter_arena_bytes(a));
        assert_true(b->arena_bound <= interpreter_arena_bytes(b));
        check_graph_plan(b);
        for (uint64_t frame = 0; frame < 3; frame++) {
            kit_fill_inputs(a, seed + frame % 2); /* A, B, A */
            kit_fill_inputs(b, seed + frame % 2);
            KIT_OK(interpreter_invoke(a, &err));
            KIT_OK(interpreter_invoke(b, &err));
            kit_same_outputs(a, b, seed);
        }
    }
}

/* With guard zones nothing is shared and no kernel writes past its tensor. */
TEST(random_graphs_between_guards)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const struct interpreter_options options = { .guard_bytes = 1 + seed,
                                                     .poison = true,
                                                     .poison_word = 0xFFFFFFFF };

        MODEL_BY(m, kit_random_graph(&m, seed, 20, 2));
        struct interpreter *a CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&a, &m, NULL, &err));
        struct interpreter *b CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&b, &m, &options, &err));
        KIT_OK(interpreter_allocate(a, &err));
        KIT_OK(interpreter_allocate(b, &err));
        kit_fill_inputs(a, seed);
        kit_fill_inputs(b, seed);
        KIT_OK(interpreter_invoke(a, &err));
        KIT_OK(interpreter_invoke(b, &err));
        KIT_OK(interpreter_check_guards(b, &err));
        kit_same_outputs(a, b, seed);
    }
}
