/* The loop that makes failures smaller, on a list of numbers that fails while it holds certain
 * ones; and which failures are of one kind. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/shrink/shrink.h"
#include "conformance/util/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS_MAX = 16 };

/* Numbers; the list fails while it holds 7 and one that is at least 3. */
struct list {
    int numbers[NUMBERS_MAX], candidate[NUMBERS_MAX];
    size_t count, candidate_count;
    size_t judged;
    size_t fails_until; /* from this judgement on nothing fails; 0: no such */
    size_t signal_at;   /* this judgement is ended by SIGTERM; 0: no such */
};

static bool fails(struct list *l, const int *numbers, size_t count)
{
    bool seven = false, large = false;

    l->judged++;
    if (l->judged == l->signal_at)
        raise(SIGTERM);
    if (interrupt_signal() || (l->fails_until && l->judged >= l->fails_until))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == 7 && !seven)
            seven = true;
        else
            large = large || numbers[i] >= 3;
    }
    return seven && large;
}

/* Reductions 2i and 2i + 1: number i is dropped; it is halved. */
static enum shrink_answer try_one(void *user, size_t reduction)
{
    struct list *const l = user;
    const size_t i = reduction / 2;

    if (i >= l->count)
        return SHRINK_END;
    memcpy(l->candidate, l->numbers, sizeof l->candidate);
    l->candidate_count = l->count;
    if (reduction % 2 == 0) {
        l->candidate_count--;
        memmove(&l->candidate[i], &l->candidate[i + 1], (l->count - i - 1) * sizeof(int));
    } else {
        if (l->numbers[i] == 0)
            return SHRINK_SKIP;
        l->candidate[i] /= 2;
    }
    return fails(l, l->candidate, l->candidate_count) ? SHRINK_FAILS_ALIKE : SHRINK_OTHER;
}

static void accept_one(void *user)
{
    struct list *const l = user;

    memcpy(l->numbers, l->candidate, sizeof l->numbers);
    l->count = l->candidate_count;
}

static bool judge_one(void *user)
{
    struct list *const l = user;

    return fails(l, l->numbers, l->count);
}

static struct shrink_problem problem_of(struct list *l)
{
    return (struct shrink_problem){ try_one, accept_one, judge_one, l };
}

TEST(test_smallest)
{
    struct list l = { .numbers = { 1, 9, 2, 7, 50 }, .count = 5 };
    const struct shrink_problem p = problem_of(&l);
    struct shrink_outcome o;

    shrink_run(&p, 100, &o);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.numbers[0], 7);
    assert_int_equal(l.numbers[1], 3); /* 50, 25, 12, 6, 3 */
    assert_int_equal(o.steps, l.judged);
    assert_int_equal(o.accepted, 7);
    assert_false(o.limited || o.flaky || o.flaky_end);
}

TEST(test_limit)
{
    struct list l = { .numbers = { 1, 9, 2, 7, 50 }, .count = 5 };
    const struct shrink_problem p = problem_of(&l);
    struct shrink_outcome o;

    shrink_run(&p, 2, &o);
    assert_true(o.limited);
    assert_int_equal(o.steps, SHRINK_REPEATS + 2 + 1);
    assert_int_equal(l.count, 3);
}

/* A trial that a signal ends does not fail: the form of the last one that did is kept, and is not
 * said to be flaky. */
TEST(test_signal)
{
    static const size_t at[] = { 1, SHRINK_REPEATS + 2 }, left[] = { 5, 4 };

    for (size_t i = 0; i < 2; i++) {
        struct list l = { .numbers = { 1, 9, 2, 7, 50 }, .count = 5, .signal_at = at[i] };
        const struct shrink_problem p = problem_of(&l);
        struct shrink_outcome o;

        interrupt_begin();
        shrink_run(&p, 100, &o);
        interrupt_end();
        assert_true(o.limited);
        assert_false(o.flaky || o.flaky_end);
        assert_int_equal(l.count, left[i]);
        assert_int_equal(l.judged, at[i]);
    }
    interrupt_begin(); /* forgets the signal */
    interrupt_end();
}

TEST(test_nothing_to_reduce)
{
    struct list l = { .numbers = { 7, 3 }, .count = 2 };
    const struct shrink_problem p = problem_of(&l);
    struct shrink_outcome o;

    shrink_run(&p, 100, &o);
    assert_int_equal(o.accepted, 0);
    assert_int_equal(l.count, 2);
    assert_int_equal(o.steps, SHRINK_REPEATS + 4);
    assert_false(o.limited || o.flaky || o.flaky_end);
}

TEST(test_flaky)
{
    struct list l = { .numbers = { 7, 3, 1 }, .count = 3, .fails_until = 2 };
    const struct shrink_problem p = problem_of(&l);
    struct shrink_outcome o;

    shrink_run(&p, 100, &o);
    assert_true(o.flaky);
    assert_int_equal(o.accepted, 0);
    assert_int_equal(l.count, 3);
    l = (struct list){ .numbers = { 7, 3, 1 }, .count = 3 };
    shrink_run(&p, 100, &o);
    l = (struct list){ .numbers = { 7, 3, 1 }, .count = 3, .fails_until = l.judged };
    shrink_run(&p, 100, &o); /* all but the last judgement fail as before */
    assert_false(o.flaky);
    assert_true(o.flaky_end);
    assert_int_equal(l.count, 2);
}

static struct case_result failure(enum case_status status, const char *reason)
{
    struct case_result r = { .status = status };

    snprintf(r.reason, sizeof r.reason, "%s", reason);
    return r;
}

static bool alike(enum case_status status, const char *a, const char *b)
{
    const struct case_result x = failure(status, a), y = failure(status, b);

    return result_fails_alike(&x, &y);
}

TEST(test_kinds)
{
    const struct case_result fail = failure(CASE_FAIL, "r"), crash = failure(CASE_CRASH, "r");

    assert_true(
        alike(CASE_FAIL, "over the limit (3 of 40 wrong)", "over the limit (1 of 2 wrong)"));
    assert_true(alike(CASE_FAIL, "invoke: node 12: failed", "invoke: node 3: failed"));
    assert_false(alike(CASE_FAIL, "input 3 was written to", "output 3 was written to"));
    assert_true(alike(CASE_FAIL, "over the limit (1 of 3 wrong)", "not equal (3 of 3 wrong)"));
    assert_false(alike(CASE_FAIL, "over the limit", "poison=nan changes the result"));
    assert_true(alike(CASE_CRASH, "signal 11 in S0: frame A; free(): invalid pointer",
                      "signal 11 in S0: frame A"));
    assert_true(alike(CASE_CRASH, "SIGSEGV in S0: frame A", "SIGSEGV: frame A"));
    assert_false(alike(CASE_CRASH, "signal 11 in S0: prepare", "signal 11 in S0: frame A"));
    assert_false(alike(CASE_PASS, "", ""));
    assert_false(alike(CASE_DECLINED, "not taken", "not taken"));
    assert_false(result_fails_alike(&fail, &crash));
}
