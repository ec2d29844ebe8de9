/* --repeat against mock delegates that are wrong in some runs, under load or at some addresses, and
 * runs that are cut. */
/* Needs: mock/delegate.so */
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "conformance/util/interrupt.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 459 }; /* of 1 % one is found with 99 % certainty: 0.99^459 < 0.01 */

static struct subject subject_of(const char *fault, int node, pid_t interrupt)
{
    char first[64], second[64], third[64];
    const char *options[] = { first, second, third };
    const struct string_list list = { options, interrupt ? 3 : 2 };
    struct subject s;

    snprintf(first, sizeof first, "fault=%s", fault);
    snprintf(second, sizeof second, "node=%d", node);
    snprintf(third, sizeof third, "interrupt=%ld", (long)interrupt);
    KIT_OK(subject_init(&s, mock_path("delegate.so"), &list, &err));
    return s;
}

static struct case_result repeat_one(const char *name, const char *fault,
                                     const struct repeat_plan *plan)
{
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage, .repeat = *plan };
    struct subject s CLOSED_BY(subject_close) = subject_of(fault, 0, 0);
    struct case_result result;
    struct judge *judge;

    KIT_OK(judge_open(&judge, &s, &how, &err));
    judge_case(judge, kit_case(name), &result);
    judge_close(judge);
    return result;
}

static const char *const samples[] = { "relu.f32.c5", "conv_2d.f32.c5", "add.i8.c5",
                                       "gap.f32.conv_2d_runtime_both" };

TEST(test_honest)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct case_result r =
            repeat_one(samples[i], "none", &(struct repeat_plan){ RUNS, 60 });

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", samples[i], r.reason);
        assert_int_equal(r.repeat.asked, RUNS);
        assert_int_equal(r.repeat.runs, RUNS);
        assert_int_equal(r.repeat.wrong, 0);
        assert_string_equal(r.repeat.cut, "");
    }
}

static void expect_wrong(const char *fault, uint64_t at_least, uint64_t at_most)
{
    static const char *const floats[] = { "relu.f32.c5", "conv_2d.f32.c5" };

    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        const struct case_result r =
            repeat_one(floats[i], fault, &(struct repeat_plan){ RUNS, 60 });

        assert_int_equal(r.status, CASE_FAIL);
        assert_int_equal(r.repeat.runs, RUNS);
        if (r.repeat.wrong < at_least || r.repeat.wrong > at_most)
            fail_msg("%s: fault=%s: %d of %d runs are wrong", floats[i], fault, (int)r.repeat.wrong,
                     (int)r.repeat.runs);
        assert_true(r.has_set && r.has_element);
    }
}

TEST(test_some_runs)
{
    expect_wrong("rare", 1, 14);         /* 4.6 are expected; more than 14 in 1 of 10,000 */
    expect_wrong("sometimes", 123, 183); /* a third, by three sigma; it fails its judgement, too */
}

TEST(test_load_and_addresses)
{
    expect_wrong("loaded", 30, RUNS - 30);
    expect_wrong("address", 30, RUNS - 30);
}

/* Interpreters that live at a time are asked in turns. */
TEST(test_turns)
{
    expect_wrong("last_made", 30, RUNS - 30);
}

/* No run is right: there are no bits that the others could be held to. */
TEST(test_always)
{
    const struct case_result r =
        repeat_one("relu.f32.c5", "ulps", &(struct repeat_plan){ RUNS, 60 });
    const struct case_result swapped =
        repeat_one("conv_2d.f32.c5", "swap", &(struct repeat_plan){ RUNS, 60 });

    assert_int_equal(r.repeat.wrong, 0); /* ulps=0 is no fault */
    assert_int_equal(swapped.status, CASE_FAIL);
    assert_int_equal(swapped.repeat.runs, swapped.repeat.wrong);
    assert_true(swapped.repeat.runs > 0 && swapped.repeat.runs < RUNS);
    assert_string_equal(swapped.repeat.cut, "want of a run that is right");
}

TEST(test_declined)
{
    const struct case_result r =
        repeat_one("relu.f32.c5", "decline", &(struct repeat_plan){ RUNS, 60 });

    assert_int_equal(r.status, CASE_DECLINED);
    assert_int_equal(r.repeat.asked, 0);
}

TEST(test_time_limit)
{
    const struct case_result r =
        repeat_one("relu.f32.c5", "none", &(struct repeat_plan){ 1000000000, 0.05 });

    assert_int_equal(r.status, CASE_PASS);
    assert_true(r.repeat.runs > 0 && r.repeat.runs < r.repeat.asked);
    assert_string_equal(r.repeat.cut, "the time limit of 0.05 s");
}

/* ---- in workers ---- */

static struct case_result run_one(const char *fault, int node, pid_t interrupt, double timeout_s,
                                  struct run_outcome *o)
{
    struct subject s = subject_of(fault, node, interrupt);
    struct run_request request = kit_request(&s, 1, kit_case("relu.f32.c5"), 1, 1);
    struct case_result r;

    request.timeout_s = timeout_s;
    request.repeat = (struct repeat_plan){ 100000, timeout_s };
    default_signals();
    interrupt_begin();
    KIT_OK(runner_run(&request, o, &err));
    interrupt_end();
    subject_close(&s);
    r = o->results[0];
    run_outcome_close(o);
    return r;
}

TEST(test_crash_and_timeout)
{
    struct run_outcome o;
    struct case_result r = run_one("crash", 200, 0, 60, &o);

    assert_int_equal(r.status, CASE_CRASH);
    assert_true(r.repeat.runs > 100 && r.repeat.runs < 200);
    assert_int_equal(r.repeat.wrong, 1);
    assert_string_equal(r.repeat.cut, "SIGSEGV");
    r = run_one("hang", 200, 0, 0.5, &o);
    assert_int_equal(r.status, CASE_TIMEOUT);
    assert_true(r.repeat.runs > 100 && r.repeat.runs < 200);
    assert_int_equal(r.repeat.wrong, 1);
    assert_string_equal(r.repeat.cut, "no answer within 1 s");
}

TEST(test_signal)
{
    struct run_outcome o;
    const struct case_result r = run_one("none", 200, getpid(), 60, &o);

    assert_false(r.absent);
    assert_int_equal(r.status, CASE_PASS);
    assert_int_equal(r.repeat.asked, 100000);
    assert_true(r.repeat.runs > 100 && r.repeat.runs < 200);
    assert_string_equal(r.repeat.cut, "SIGTERM");
}

/* ---- in reports ---- */

static void sample_open(struct record *r)
{
    sample_record_open(r, 3);
    r->run.repeat = 459;
    r->run.statistics = true;
    for (size_t c = 0; c < 2; c++) {
        struct record_result *const x = sample_record_result(r, 0, c);

        x->repeats.asked = 459;
        x->repeats.runs = c ? 100 : 459;
        x->repeats.wrong = c ? 0 : 5;
        x->repeats.cut = c ? "SIGINT" : NULL;
    }
}

/* Wilson's interval of 5 of 459: (2 k + z^2 -+ z sqrt(z^2 + 4 k (1 - k / n))) / 2 (n + z^2). */
TEST(test_forms)
{
    static const char some[] = "5 of 459 runs wrong: 1.09 %, of all runs 0.466 to 2.52 % (95 %)";
    static const char cut[] = "0 of 100 runs wrong: 0 %, of all runs 0 to 3.7 % (95 %); cut of 459 "
                              "by SIGINT";
    char text[RECORD_REPEATS_BYTES];
    struct record r CLOSED_BY(record_close);

    sample_open(&r);
    assert_string_equal(record_repeats_text(&r.results[0], text), some);
    assert_string_equal(record_repeats_text(&r.results[1], text), cut);
    assert_string_equal(record_repeats_text(&r.results[2], text), "");
    report_kit_expect_in(&r, form_text,
                         "  repeated: 2 cases, 459 runs of each: wrong runs in 1, cut before "
                         "the last run: 1\n");
    report_kit_expect_in(&r, form_text, "relu.f32.c001 0 of 100 runs wrong");
    report_kit_expect_in(&r, form_junit, some);
    report_kit_expect_in(&r, form_junit, cut);
    report_kit_expect_in(&r, form_csv, ",100,0,,,,\r\n");
    report_kit_expect_in(&r, form_html, "\"repeats_wrong\":");
    r.run.statistics = false;
    r.results[1].repeats.cut = NULL;
    report_kit_expect_in(&r, form_text, "relu.f32.c000 5 of 459 runs wrong");
    {
        char *const shown = report_kit_form(&r, form_text);

        assert_null(strstr(shown, "relu.f32.c001"));
        free(shown);
    }
}

TEST(test_read_again)
{
    const char *const path = scratch("repeat.json");
    struct record r CLOSED_BY(record_close), again;

    sample_open(&r);
    sample_record_write(&r, path);
    assert_int_equal(record_read(&again, path, &err), STATUS_OK);
    assert_int_equal(again.run.repeat, 459);
    assert_true(again.run.statistics);
    assert_int_equal(again.results[1].repeats.asked, 459);
    assert_int_equal(again.results[1].repeats.runs, 100);
    assert_string_equal(again.results[1].repeats.cut, "SIGINT");
    assert_int_equal(again.results[0].repeats.wrong, 5);
    assert_int_equal(again.results[2].repeats.asked, 0);
    record_close(&again);
    r.results[0].repeats.wrong = 460;
    sample_record_write(&r, path);
    assert_int_equal(record_read(&again, path, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "at most as many as there were runs"));
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
