/* Runs that stop early: interrupted by a signal, or because a subject answers nothing; and runs
 * that go on from there. */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/judge/give_up.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/judge/time_left.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASES = 17 };
static struct test_case *cases;
static size_t case_count;

FIXTURE(open_cases)
{
    const char *patterns[] = { "relu.f32.c[0-9]*" };
    const struct selection s = { .filters = { patterns, 1 } };

    default_signals();
    return cases_list(&cases, &case_count, NULL) == STATUS_OK &&
                   select_cases(cases, &case_count, &s, NULL) == STATUS_OK && case_count == CASES
               ? 0
               : -1;
}

FIXTURE(close_cases)
{
    mem_free(cases);
    return 0;
}

static struct subject subject_of(const char *fault)
{
    char option[64];
    const char *options[] = { option };
    const struct string_list list = { options, 1 };
    struct subject s;

    snprintf(option, sizeof option, "fault=%s", fault);
    KIT_OK(subject_init(&s, mock_path("delegate.so"), &list, &err));
    return s;
}

/* Runs all cases on one or two subjects; what is 0 or NULL in *extra has its default. */
static struct run_outcome run(const char *fault, const char *second,
                              const struct run_request *extra)
{
    struct subject subjects[2] = { subject_of(fault), subject_of(second ? second : "none") };
    struct run_request request = *extra;
    struct run_outcome outcome;

    request.subjects = subjects;
    request.subject_count = second ? 2 : 1;
    request.cases = cases;
    request.case_count = case_count;
    request.seed = 1;
    request.quiet = true;
    if (request.jobs == 0)
        request.jobs = 2;
    if (request.timeout_s == 0)
        request.timeout_s = 60;
    KIT_OK(runner_run(&request, &outcome, &err));
    subject_close(&subjects[0]);
    subject_close(&subjects[1]);
    return outcome;
}

static size_t count_status(const struct run_outcome *o, enum case_status status)
{
    size_t n = 0;

    for (size_t i = 0; i < o->count; i++)
        n += !o->results[i].absent && o->results[i].status == status;
    return n;
}

static size_t count_missing(const struct run_outcome *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->count; i++) {
        n += o->results[i].missing;
        assert_true(o->results[i].absent || !o->results[i].missing);
    }
    return n;
}

/* ---- giving up ---- */

/* Notes results "t" (timeout), "c" (crash) and "." (an answer); returns how many until it is given
 * up, 0: it is not. */
static size_t give_up_after(uint64_t limit, const char *pattern, size_t count)
{
    struct give_up g = { .timeouts = 0 };

    for (size_t i = 0; i < count; i++) {
        const char c = pattern[i % strlen(pattern)];

        give_up_note(&g, limit, c == 't' ? CASE_TIMEOUT : c == 'c' ? CASE_CRASH : CASE_DECLINED);
        if (g.why[0])
            return i + 1;
    }
    return 0;
}

TEST(test_rules_of_giving_up)
{
    assert_int_equal(give_up_after(20, "t", 1000), 20);
    assert_int_equal(give_up_after(20, "tc", 1000), 39); /* a crash is no answer */
    assert_int_equal(give_up_after(20, "t.", 1000), 2 * 60 - 1);
    assert_int_equal(give_up_after(20, "c", 1000), 500);
    assert_int_equal(give_up_after(20, "cccccccccc.", 10000), 0);
    assert_int_equal(give_up_after(20, ".", 10000), 0);
    assert_int_equal(give_up_after(0, "t", 10000), 0);
    assert_int_equal(give_up_after(1, "t", 10), 1);
}

/* A delegate that hangs does not take its time limit from every case; the other one is run. */
TEST(test_hanging_subject_is_given_up)
{
    const double begin = clock_s();
    struct run_outcome o =
        run("hang", "none", &(struct run_request){ .timeout_s = 0.5, .give_up = 3 });
    size_t late = 0, passed = 0;

    for (size_t i = 0; i < CASES; i++) {
        late += !o.results[i].absent && o.results[i].status == CASE_TIMEOUT;
        passed += !o.results[CASES + i].absent && o.results[CASES + i].status == CASE_PASS;
    }
    assert_true(late >= 3 && late <= 4 + 2); /* some may run when the third is counted */
    assert_int_equal(passed, CASES);
    assert_int_equal(o.missing, CASES - late);
    assert_int_equal(count_missing(&o), o.missing);
    assert_non_null(strstr(o.stopped, "giving up delegate.so fault=hang after "));
    assert_non_null(strstr(o.stopped, " timeouts"));
    assert_null(o.signal);
    assert_true(clock_s() - begin < 10);
    run_outcome_close(&o);
    o = run("crash", NULL, &(struct run_request){ .give_up = 20 });
    assert_int_equal(count_status(&o, CASE_CRASH), CASES);
    assert_int_equal(o.missing, 0);
    assert_string_equal(o.stopped, "");
    run_outcome_close(&o);
}

/* A process that a delegate leaves behind is ended, and nobody waits for it. */
TEST(test_delegate_that_forks)
{
    const double begin = clock_s();
    struct run_outcome o CLOSED_BY(run_outcome_close) =
        run("fork", NULL, &(struct run_request){ .jobs = 2 });

    assert_int_equal(count_status(&o, CASE_PASS), CASES);
    assert_int_equal(o.broken_ends, 0);
    assert_true(clock_s() - begin < 15);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

/* ---- signals ---- */

struct stop {
    size_t after, stored;
    int number;
};

static void stop_after(void *user, size_t subject, size_t test_case,
                       const struct case_result *result)
{
    struct stop *const s = user;

    assert_true(subject < 2 && test_case < CASES && !result->absent);
    if (++s->stored == s->after)
        raise(s->number);
}

static void expect_same(const struct run_outcome *a, const struct run_outcome *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        struct case_result x = a->results[i], y = b->results[i];

        x.ms = y.ms = 0;
        assert_int_equal(x.absent, y.absent);
        assert_int_equal(x.missing, y.missing);
        assert_int_equal(x.status, y.status);
        assert_string_equal(x.reason, y.reason);
        assert_string_equal(x.where, y.where);
        assert_string_equal(x.by_element, y.by_element);
        assert_true(x.margin == y.margin && x.bytes == y.bytes && x.habits == y.habits);
    }
}

/* What was done is kept, what was not is known, and a second run does that alone. */
TEST(test_interrupted_and_resumed)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    static const char *const names[] = { "SIGINT", "SIGTERM", "SIGHUP" };
    struct run_outcome whole CLOSED_BY(run_outcome_close) =
        run("ulps", "none", &(struct run_request){ .jobs = 2 });

    assert_int_equal(whole.missing, 0);
    for (size_t i = 0; i < 3; i++) {
        struct stop stop = { .after = 5, .number = numbers[i] };
        struct stop never = { .after = 0 };
        struct run_outcome cut, rest;
        size_t done;

        /* A shell may have started this program with these signals ignored, as in the background.
         */
        signal(numbers[i], SIG_DFL);
        interrupt_begin();
        cut = run("ulps", "none",
                  &(struct run_request){ .stored = stop_after, .stored_user = &stop });
        interrupt_end();
        done = 2 * CASES - cut.missing;
        assert_true(done >= 5 && done < 2 * CASES);
        assert_int_equal(stop.stored, done);
        assert_int_equal(count_missing(&cut), cut.missing);
        assert_string_equal(cut.stopped, names[i]);
        assert_string_equal(cut.signal, names[i]);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        interrupt_begin(); /* forgets the signal */
        interrupt_end();
        rest = run("ulps", "none",
                   &(struct run_request){
                       .known = cut.results, .stored = stop_after, .stored_user = &never });
        assert_int_equal(never.stored, cut.missing);
        assert_int_equal(rest.missing, 0);
        assert_null(rest.signal);
        expect_same(&rest, &whole);
        run_outcome_close(&cut);
        run_outcome_close(&rest);
    }
}

/* Workers that hang are not waited for. */
TEST(test_interrupted_while_it_hangs)
{
    const double begin = clock_s();
    const pid_t parent = getpid();
    struct run_outcome o;
    pid_t child = fork();

    if (child == 0) {
        usleep(700000);
        kill(parent, SIGTERM);
        _exit(0);
    }
    interrupt_begin();
    o = run("hang", NULL, &(struct run_request){ .jobs = 2 });
    interrupt_end();
    assert_int_equal(o.missing, CASES);
    assert_string_equal(o.signal, "SIGTERM");
    assert_true(clock_s() - begin < 10);
    run_outcome_close(&o);
    waitpid(child, NULL, 0);
    interrupt_begin();
    interrupt_end();
}

TEST(test_second_signal_ends_the_program)
{
    int status;
    const pid_t child = fork();

    if (child == 0) {
        interrupt_begin();
        raise(SIGINT);
        raise(SIGINT); /* as timeout(1) sends it, to the process and to its group */
        usleep(600000);
        if (interrupt_signal() == SIGINT)
            raise(SIGTERM);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* nohup and background jobs of a shell ignore signals, and so does the run. */
TEST(test_ignored_signals_stay_ignored)
{
    signal(SIGHUP, SIG_IGN);
    interrupt_begin();
    raise(SIGHUP);
    assert_int_equal(interrupt_signal(), 0);
    assert_null(interrupt_name());
    interrupt_end();
    signal(SIGHUP, SIG_DFL);
}

/* ---- time ---- */

/* 100 cheap cases of one op, then 10 dear ones of another. */
TEST(test_time_left)
{
    struct time_left t = { .all = { .left = 0 } };

    for (int i = 0; i < 100; i++)
        time_left_add(&t, 3);
    for (int i = 0; i < 10; i++)
        time_left_add(&t, 9);
    assert_true(time_left_seconds(&t, 2) < 0);
    for (int i = 0; i < 100; i++)
        time_left_done(&t, 3, 0.1);
    assert_true(fabs(time_left_seconds(&t, 1) - 1) < 1e-9); /* all that is known */
    for (int i = 0; i < 5; i++)
        time_left_done(&t, 9, 8);
    assert_true(time_left_seconds(&t, 1) > 25 && time_left_seconds(&t, 1) < 40);
    assert_true(fabs(time_left_seconds(&t, 5) - time_left_seconds(&t, 1) / 5) < 1e-9);
    assert_true(fabs(time_left_seconds(&t, 50) - time_left_seconds(&t, 5)) < 1e-9);
    for (int i = 0; i < 5; i++)
        time_left_drop(&t, 9);
    assert_true(time_left_seconds(&t, 1) == 0);
}

TEST_FILE(.setup = open_cases, .teardown = close_cases);
