/* The runner against mock delegates that crash, exit or hang: that is a result, not the end of the
 * run. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/util/process.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static struct test_case *cases;
static size_t case_count;

FIXTURE(open_cases)
{
    const char *patterns[] = { "relu.f32.c[0-9]*" };
    const struct selection s = { .filters = { patterns, 1 } };

    return cases_list(&cases, &case_count, NULL) == STATUS_OK &&
                   select_cases(cases, &case_count, &s, NULL) == STATUS_OK
               ? 0
               : -1;
}

FIXTURE(close_cases)
{
    mem_free(cases);
    return 0;
}

static struct subject subject_of(const char *mock, const char *fault)
{
    char option[64];
    const char *options[] = { option };
    const struct string_list list = { options, 1 };
    struct subject s;

    default_signals();
    snprintf(option, sizeof option, "fault=%s", fault);
    KIT_OK(subject_init(&s, mock_path(mock), &list, &err));
    return s;
}

static struct run_outcome run_with(const char *fault, size_t jobs, double timeout_s,
                                   const char *repro_dir)
{
    struct subject subject = subject_of("delegate.so", fault);
    struct run_request request = kit_request(&subject, 1, cases, case_count, jobs);
    struct run_outcome outcome;

    request.timeout_s = timeout_s;
    request.repro_dir = repro_dir;
    KIT_OK(runner_run(&request, &outcome, &err));
    subject_close(&subject);
    assert_int_equal(outcome.count, case_count);
    return outcome;
}

static void expect_all(const char *fault, size_t jobs, double timeout_s, enum case_status status,
                       const char *reason)
{
    struct run_outcome o CLOSED_BY(run_outcome_close) = run_with(fault, jobs, timeout_s, NULL);

    for (size_t i = 0; i < o.count; i++) {
        if (o.results[i].status != status || !strstr(o.results[i].reason, reason))
            fail_msg("fault=%s: %s: %s: %s", fault, cases[i].name,
                     case_status_name(o.results[i].status), o.results[i].reason);
    }
    assert_int_equal(o.broken_ends, 0);
}

TEST(test_pass)
{
    assert_int_equal(case_count, 17);
    expect_all("none", 1, 60, CASE_PASS, "");
    expect_all("none", 3, 60, CASE_PASS, "");
    expect_all("none", 100, 60, CASE_PASS, ""); /* more workers than cases */
}

TEST(test_fail_and_decline)
{
    expect_all("nan", 2, 60, CASE_FAIL, "NaN");
    expect_all("decline", 2, 60, CASE_DECLINED, "not taken");
}

/* Each case crashes its worker, and each case has a result. */
TEST(test_crash)
{
    expect_all("crash", 2, 60, CASE_CRASH, "SIGSEGV in S2: frame A");
    expect_all("crash_prepare", 2, 60, CASE_CRASH, "SIGSEGV in S2: prepare");
    expect_all("abort", 1, 60, CASE_CRASH, "SIGABRT in S2: frame A");
    expect_all("exit", 2, 60, CASE_CRASH, "exit status 0 in S2: frame A");
}

/* What was checked before is kept, and the reason names the habit. */
TEST(test_crash_in_a_habit)
{
    struct run_outcome o CLOSED_BY(run_outcome_close);

    for (size_t i = 0; i < case_count; i++)
        cases[i].habits = 1u << HABIT_RUNS | 1u << HABIT_ADDRESSES;
    o = run_with("odd_crash", 2, 60, NULL);
    for (size_t i = 0; i < o.count; i++) {
        cases[i].habits = 0;
        if (o.results[i].status != CASE_CRASH ||
            !strstr(o.results[i].reason, "SIGSEGV in S0: addresses"))
            fail_msg("%s: %s", cases[i].name, o.results[i].reason);
        assert_true(o.results[i].habits >> HABIT_RUNS & 1);
    }
}

TEST(test_timeout)
{
    const size_t all = case_count;
    const time_t start = time(NULL);

    case_count = 2;
    expect_all("hang", 2, 2, CASE_TIMEOUT, "no answer within 2 s in S2: frame A");
    assert_true(time(NULL) - start < 6);
    case_count = all;
}

/* What reports plot and name: error over limit along the output, and the inputs. */
TEST(test_profiles_and_inputs)
{
    struct run_outcome good = run_with("none", 2, 60, NULL), bad = run_with("nan", 2, 60, NULL);
    struct run_outcome lost CLOSED_BY(run_outcome_close) = run_with("crash", 2, 60, NULL);

    for (size_t i = 0; i < case_count; i++) {
        const struct case_result *const r = &good.results[i];

        assert_int_equal(strspn(r->by_element, "0"), r->elements < 32 ? r->elements : 32);
        assert_int_equal(strspn(r->by_channel, "0"), r->channels < 32 ? r->channels : 32);
        assert_non_null(strchr(bad.results[i].by_element, 'z'));
        assert_non_null(strchr(bad.results[i].by_channel, 'z'));
        assert_int_equal(bad.results[i].elements, r->elements);
        assert_int_equal(bad.results[i].channels, r->channels);
        assert_string_equal(lost.results[i].by_element, "");
        assert_int_equal(strncmp(r->inputs, "f32 [", 5), 0);
        assert_int_equal(r->inputs[strlen(r->inputs) - 1], ']');
        assert_string_equal(lost.results[i].inputs, r->inputs);
    }
    run_outcome_close(&good);
    run_outcome_close(&bad);
}

/* A crash after the last case belongs to no case, and is reported. */
TEST(test_crash_at_the_end)
{
    struct run_outcome o CLOSED_BY(run_outcome_close) = run_with("crash_destroy", 2, 60, NULL);

    for (size_t i = 0; i < o.count; i++)
        assert_int_equal(o.results[i].status, CASE_PASS);
    assert_int_equal(o.broken_ends, 2);
    assert_non_null(strstr(o.end, "SIGSEGV (destroy)"));
}

/* Results but for their times do not depend on the number of workers. */
TEST(test_same_with_any_number_of_workers)
{
    struct run_outcome one = run_with("ulps", 1, 60, NULL), four = run_with("ulps", 4, 60, NULL);

    for (size_t i = 0; i < one.count; i++) {
        assert_int_equal(one.results[i].status, four.results[i].status);
        assert_string_equal(one.results[i].reason, four.results[i].reason);
        assert_memory_equal(&one.results[i].margin, &four.results[i].margin, sizeof(double));
    }
    run_outcome_close(&one);
    run_outcome_close(&four);
}

/* A worker that has grown ends behind its case, and another goes on: no result is lost, and none of
 * them grows further. */
TEST(test_grown_workers_are_replaced)
{
    enum { MIB = 1 << 20 };
    struct subject subject CLOSED_BY(subject_close) = subject_of("delegate.so", "leak");
    const uint64_t now = process_resident_bytes();
    struct run_request request = kit_request(&subject, 1, cases, case_count, 1);
    struct rusage children;

    request.worker_bytes = now + 32 * MIB;
    assert_true(now > 0);
    for (int replaces = 1; replaces >= 0; replaces--) {
        struct run_outcome o CLOSED_BY(run_outcome_close);

        if (!replaces)
            request.worker_bytes = UINT64_MAX;
        assert_int_equal(runner_run(&request, &o, &err), STATUS_OK);
        for (size_t i = 0; i < o.count; i++)
            assert_int_equal(o.results[i].status, CASE_PASS);
        assert_int_equal(o.missing, 0);
        assert_int_equal(o.broken_ends, 0);
        assert_int_equal(getrusage(RUSAGE_CHILDREN, &children), 0);
        if (replaces)
            assert_in_range(o.replaced, 3, case_count);
        else
            assert_int_equal(o.replaced, 0);
        /* A case adds some 8 MiB, all cases more than 100. */
        assert_true((children.ru_maxrss < (long)(now / 1024 + 90 * 1024)) == replaces);
    }
}

/* A driver that holds as much from its first case on would hold it in each new process. (Sanitizers
 * keep what was freed: it grows by some 40 MiB with them.) */
TEST(test_large_workers_stay)
{
    struct subject subject CLOSED_BY(subject_close) = subject_of("delegate.so", "none");
    struct run_request request = kit_request(&subject, 1, cases, case_count, 1);
    struct run_outcome o CLOSED_BY(run_outcome_close);

    request.worker_bytes = 256 << 20;
    assert_int_equal(subject_set(&subject, "grow", "300", &err), STATUS_OK); /* MiB */
    assert_int_equal(runner_run(&request, &o, &err), STATUS_OK);
    for (size_t i = 0; i < o.count; i++)
        assert_int_equal(o.results[i].status, CASE_PASS);
    assert_int_equal(o.replaced, 0);
}

TEST(test_two_subjects)
{
    struct subject subjects[] = { subject_of("delegate.so", "none"),
                                  subject_of("gpu.so", "decline") };
    const struct run_request request = kit_request(subjects, 2, cases, case_count, 2);
    struct run_outcome o;

    assert_int_equal(runner_run(&request, &o, &err), STATUS_OK);
    assert_int_equal(o.count, 2 * case_count);
    for (size_t i = 0; i < case_count; i++) {
        assert_int_equal(o.results[i].status, CASE_PASS);
        assert_int_equal(o.results[case_count + i].status, CASE_DECLINED);
    }
    run_outcome_close(&o);
    subject_close(&subjects[0]);
    subject_close(&subjects[1]);
}

/* Cases that a subject does not run are absent. */
/* The suite of a case whose worker has no memory left from here on. */
static void build_without_memory(struct case_builder *m)
{
    (void)m;
    mem_fail_after(0);
}

/* That is an error of the run: it says nothing about the delegate. */
TEST(test_no_memory)
{
    struct subject subject CLOSED_BY(subject_close) = subject_of("delegate.so", "none");
    struct suite suite = *cases[0].suite;
    struct test_case one = cases[0];
    const struct run_request request = kit_request(&subject, 1, &one, 1, 1);
    struct run_outcome outcome;

    suite.build = build_without_memory;
    one.suite = &suite;
    assert_int_equal(runner_run(&request, &outcome, &err), STATUS_NO_MEMORY);
    assert_non_null(strstr(err.text, one.name));
    assert_non_null(strstr(err.text, "no memory in the worker"));
    assert_null(outcome.results);
}

TEST(test_absent)
{
    struct subject subjects[] = { subject_of("delegate.so", "none"),
                                  subject_of("gpu.so", "crash") };
    const struct run_request request = kit_request(subjects, 2, cases, case_count, 2);
    struct run_outcome o;

    subjects[1].skips_floats = true;
    assert_int_equal(runner_run(&request, &o, &err), STATUS_OK);
    for (size_t i = 0; i < case_count; i++) {
        assert_int_equal(o.results[i].status, CASE_PASS);
        assert_false(o.results[i].absent);
        assert_true(o.results[case_count + i].absent);
        assert_false(result_fails_run(&o.results[case_count + i]));
    }
    run_outcome_close(&o);
    subject_close(&subjects[0]);
    subject_close(&subjects[1]);
}

TEST(test_no_cases)
{
    const size_t all = case_count;

    case_count = 0;
    expect_all("none", 2, 60, CASE_PASS, "");
    case_count = all;
}

/* Model and inputs of a case that crashed are written, too. */
TEST(test_repro_of_a_crash)
{
    char base[256], path[512];
    struct run_outcome o;
    struct stat st;

    snprintf(base, sizeof base, "%s", scratch("repro"));
    o = run_with("crash", 2, 60, base);
    run_outcome_close(&o);
    for (size_t i = 0; i < case_count; i++) {
        snprintf(path, sizeof path, "%s/%s@delegate.so_fault=crash/model.tflite", base,
                 cases[i].name);
        assert_int_equal(stat(path, &st), 0);
        snprintf(path, sizeof path, "%s/%s@delegate.so_fault=crash/input0_B.npy", base,
                 cases[i].name);
        assert_int_equal(stat(path, &st), 0);
    }
}

/* One process tries them all, but for the one that crashes. */
TEST(test_probe)
{
    static const struct {
        const char *fault;
        enum status status;
        const char *text;
    } tries[] = { { "none", STATUS_OK, "" },
                  { "no_device", STATUS_NO_DEVICE, "there is no device" },
                  { "crash_create", STATUS_DEVICE,
                    "creating a delegate ended the process: SIGSEGV" },
                  { "colour", STATUS_USAGE, "option fault" },
                  { "none", STATUS_OK, "" } };
    enum { TRIES = sizeof tries / sizeof tries[0] };
    struct subject subjects[TRIES];
    struct prober prober = { .subjects = subjects, .timeout_s = 60 };
    struct judge_device device;

    for (size_t i = 0; i < TRIES; i++)
        subjects[i] = subject_of("gpu.so", tries[i].fault);
    for (size_t i = 0; i < TRIES; i++) {
        diag_clear(&err);
        assert_int_equal(prober_try(&prober, i, &device, &err), tries[i].status);
        assert_non_null(strstr(err.text, tries[i].text));
        assert_string_equal(device.name, tries[i].status == STATUS_OK ? "Mock 3000" : "");
        assert_null(subjects[i].library); /* the parent loads nothing */
        assert_int_equal(prober.process.pid == 0, tries[i].status == STATUS_DEVICE);
    }
    prober_close(&prober);
    assert_int_equal(prober.process.pid, 0);
    for (size_t i = 0; i < TRIES; i++)
        subject_close(&subjects[i]);
}

TEST_FILE(.setup = open_cases, .teardown = close_cases);
