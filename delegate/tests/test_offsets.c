/* Offsets from lifetimes: no two live spans overlap, and the peak is close to the lower bound. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/plan/offsets.h"

static void check(const struct span *s, size_t count, size_t peak)
{
    size_t end = 0;

    for (size_t i = 0; i < count; i++) {
        if (s[i].offset + s[i].bytes > end)
            end = s[i].offset + s[i].bytes;
        for (size_t j = 0; j < i; j++) {
            const bool live = s[i].first <= s[j].last && s[j].first <= s[i].last;
            const bool apart =
                s[i].offset + s[i].bytes <= s[j].offset || s[j].offset + s[j].bytes <= s[i].offset;

            if (live && !apart && s[i].bytes && s[j].bytes)
                fail_msg("spans %zu and %zu are live together and overlap", i, j);
        }
    }
    assert_int_equal(end, peak);
    assert_true(peak >= spans_bound(s, count));
}

TEST(chain)
{
    struct span s[] = { { 100, 0, 1, 0 }, { 200, 1, 2, 0 }, { 100, 2, 3, 0 }, { 50, 3, 4, 0 } };
    bool ok;
    const size_t peak = offsets_assign(s, 4, &ok);

    assert_true(ok);
    assert_int_equal(peak, 300);
    assert_int_equal(spans_bound(s, 4), 300);
    check(s, 4, peak);
}

TEST(nothing)
{
    bool ok;

    assert_int_equal(offsets_assign(NULL, 0, &ok), 0);
    assert_true(ok);
}

TEST(sizes_that_do_not_fit)
{
    struct span s[] = { { SIZE_MAX - 10, 0, 1, 0 }, { SIZE_MAX - 10, 1, 2, 0 } };
    bool ok = true;

    assert_int_equal(offsets_assign(s, 2, &ok), 0);
    assert_false(ok);
}

TEST(no_memory)
{
    struct span s[] = { { 100, 0, 1, 0 }, { 200, 1, 2, 0 } };
    bool ok = true;

    for (long n = 0; n < 4; n++) {
        mem_fail_after(n);
        offsets_assign(s, 2, &ok);
        mem_fail_after(-1);
        assert_false(ok);
    }
}

/* A branch that stays live over a chain whose tensors grow and shrink: greedy placement by size
 * leaves a gap, which the search closes. */
TEST(reaches_the_bound)
{
    struct span s[] = { { 6, 0, 1, 0 }, { 5, 1, 2, 0 }, { 4, 2, 3, 0 },
                        { 7, 3, 4, 0 }, { 3, 0, 4, 0 }, { 5, 4, 5, 0 } };
    bool ok;
    const size_t count = sizeof s / sizeof s[0];
    const size_t peak = offsets_assign(s, count, &ok);

    assert_true(ok);
    check(s, count, peak);
    assert_int_equal(peak, spans_bound(s, count));
}

TEST(random_lifetimes)
{
    double worst = 1, sum = 0;

    for (uint64_t seed = 1; seed <= 1000; seed++) {
        uint64_t r = seed;
        struct span s[40];
        const size_t count = 1 + (size_t)kit_below(&r, 40);
        bool ok;
        size_t peak;

        for (size_t i = 0; i < count; i++) {
            const int first = kit_below(&r, 30);

            s[i] = (struct span){ .bytes = 256 * (size_t)(1 + kit_below(&r, 64)),
                                  .first = first,
                                  .last = first + kit_below(&r, 6) };
        }
        peak = offsets_assign(s, count, &ok);
        assert_true(ok);
        check(s, count, peak);
        const double ratio = (double)peak / (double)spans_bound(s, count);
        sum += ratio;
        if (ratio > worst)
            worst = ratio;
    }
    print_message("peak / lower bound over 1000 random sets: mean %.4f, worst %.4f\n", sum / 1000,
                  worst);
    assert_true(worst < 1.25);
}
