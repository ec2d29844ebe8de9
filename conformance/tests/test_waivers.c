/* Waivers applied to a run, checked against the list of cases, and written. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/expectations.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct date today = { 2026, 11, 22 };

/* Reads a file and applies it; the caller closes both. */
static void apply(const char *text, struct waivers *w, struct notes *notes)
{
    const char *const path = scratch_text("file", text);

    *notes = (struct notes){ .count = 0 };
    KIT_OK(waivers_read(w, path, &err));
    waivers_apply(w, &report_kit.report, today, notes);
}

static void close_both(struct waivers *w, struct notes *notes)
{
    waivers_close(w);
    notes_close(notes);
}

TEST(test_applied)
{
    struct waivers w;
    struct notes notes;

    report_kit_fail(report_kit_result(1, "relu.f32.c1"));
    report_kit_result(1, "relu.f32.c5")->status = CASE_CRASH;
    report_kit_result(1, "relu.f32.c6")->status = CASE_DECLINED;
    apply("relu.f32.c*|delegate.so*|wrong lanes|link=#12\n", &w, &notes);
    assert_int_equal(report_kit_result(1, "relu.f32.c1")->status, CASE_WAIVED);
    assert_string_equal(report_kit_result(1, "relu.f32.c1")->waiver, "wrong lanes");
    report_kit_expect("wrong lanes (fail: over", report_kit_result(1, "relu.f32.c1")->reason);
    report_kit_expect("wrong lanes (crash: ", report_kit_result(1, "relu.f32.c5")->reason);
    assert_int_equal(report_kit_result(1, "relu.f32.c6")->status, CASE_DECLINED);
    assert_int_equal(report_kit_result(1, "relu.f32.c7")->status, CASE_UNEXPECTED_PASS);
    assert_true(result_fails_run(report_kit_result(1, "relu.f32.c7")));
    assert_string_equal(report_kit_result(1, "relu.f32.c7")->reason,
                        "waived in line 1 as: wrong lanes");
    assert_null(report_kit_result(1, "relu.f32.c7")->waiver);
    assert_int_equal(report_kit_result(0, "relu.f32.c7")->status, CASE_PASS);
    assert_int_equal(notes.count, 0);
    close_both(&w, &notes);
}

/* An expired waiver waives nothing, and the failure says so, whatever its length. */
TEST(test_expired)
{
    struct case_result *const r = report_kit_result(1, "relu.f32.c1");
    struct case_result *const full = report_kit_result(1, "relu.f32.c5");
    struct waivers w;
    struct notes notes;

    report_kit_fail(r);
    report_kit_fail(full);
    memset(full->reason, 'x', sizeof full->reason - 1);
    report_kit_fail(report_kit_result(1, "relu.f32.c6"));
    report_kit_result(1, "relu.f32.c6")->reason[0] = '\0';
    apply("# one\nrelu.f32.c?|*|wrong lanes|expires=2026-11-21\n", &w, &notes);
    assert_int_equal(r->status, CASE_FAIL);
    assert_true(result_fails_run(r));
    assert_null(r->waiver);
    assert_string_equal(r->reason, "over the limit (1 of 60 wrong); the waiver of line 2 expired "
                                   "on 2026-11-21");
    report_kit_expect("xxx; the waiver of line 2 expired on 2026-11-21", full->reason);
    assert_string_equal(report_kit_result(1, "relu.f32.c6")->reason,
                        "the waiver of line 2 expired on 2026-11-21");
    assert_int_equal(report_kit_result(1, "relu.f32.c7")->status, CASE_PASS);
    assert_string_equal(report_kit_result(1, "relu.f32.c7")->reason, "");
    assert_int_equal(report_kit_bad(), 3);
    assert_int_equal(notes.count, 1);
    report_kit_expect(":2: the waiver of relu.f32.c? expired on 2026-11-21: wrong lanes",
                      notes.items[0]);
    close_both(&w, &notes);
}

TEST(test_expires_soon)
{
    struct waivers w;
    struct notes notes;

    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    apply("?a*|*|c|expires=2026-12-07\n"
          "?b*|*|c|expires=2026-12-06\n"
          "?c*|*|c|expires=2026-11-23\n"
          "relu.f32.c1|*|c|expires=2026-11-22\n",
          &w, &notes);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
    assert_int_equal(notes.count, 3);
    report_kit_expect(":2: the waiver of b* expires on 2026-12-06, in 14 days: c", notes.items[0]);
    report_kit_expect("in 1 day: c", notes.items[1]);
    report_kit_expect("in 0 days: c", notes.items[2]);
    close_both(&w, &notes);
}

/* Of many rows the first are named, the others counted. */
TEST(test_many_notes)
{
    struct waivers w;
    struct notes notes;
    char text[4096] = "";

    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "nosuch%d|*|c|expires=2026-11-%d\n", i, i < 12 ? 21 : 30);
    apply(text, &w, &notes);
    assert_int_equal(notes.count, 22);
    report_kit_expect(": 2 more waivers have expired", notes.items[10]);
    report_kit_expect(": 8 more waivers expire soon", notes.items[21]);
    assert_int_equal(
        waivers_check_cases(&w, report_kit.report.cases, report_kit.report.case_count, &notes), 30);
    assert_int_equal(notes.count, 33);
    report_kit_expect(": 20 more waivers match none", notes.items[32]);
    close_both(&w, &notes);
}

/* By the run's device, driver, and the subject's bounds. */
TEST(test_ranges)
{
    struct waivers w;
    struct notes notes;

    strcpy(report_kit.report.device.driver, "NVIDIA 580.159.04");
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_fail(report_kit_result(1, "relu.f32.c1"));
    report_kit_fail(report_kit_result(1, "relu.f32.c5"));
    report_kit_fail(report_kit_result(1, "relu.f32.c6"));
    apply("relu.f32.c1|*|in exact|bounds=exact\n"
          "relu.f32.c5|delegate*|newer|driver=>580.82|device=Device*\n"
          "relu.f32.c6|delegate*|older|driver=<=580.82\n",
          &w, &notes);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
    assert_int_equal(report_kit_result(1, "relu.f32.c1")->status, CASE_FAIL);
    assert_int_equal(report_kit_result(1, "relu.f32.c5")->status, CASE_WAIVED);
    assert_int_equal(report_kit_result(1, "relu.f32.c6")->status, CASE_FAIL);
    assert_null(strstr(report_kit_result(1, "relu.f32.c6")->reason, "waiver"));
    close_both(&w, &notes);
}

/* Each subject has a device of its own. */
TEST(test_devices)
{
    const struct judge_device devices[2] = { { "A 1", "driver 1.0", "" },
                                             { "B 2", "driver 2.0", "" } };
    struct waivers w;
    struct notes notes;

    report_kit.report.devices = devices;
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_fail(report_kit_result(1, "relu.f32.c1"));
    apply("relu.f32.c1|B*|lanes|driver=2\n", &w, &notes);
    report_kit.report.devices = NULL;
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_FAIL);
    assert_int_equal(report_kit_result(1, "relu.f32.c1")->status, CASE_WAIVED);
    close_both(&w, &notes);
}

TEST(test_stale)
{
    struct waivers w;
    struct notes notes;

    apply("relu.f32.c1|*|c\nrelu.f32.nosuch*|*|c\ngraph.f32.s1_9|*|c\nnosuch.*|*|c\n", &w, &notes);
    assert_int_equal(
        waivers_check_cases(&w, report_kit.report.cases, report_kit.report.case_count, &notes), 2);
    assert_int_equal(notes.count, 2);
    report_kit_expect(":2: relu.f32.nosuch* matches none of the ", notes.items[0]);
    report_kit_expect(":4: nosuch.* matches none", notes.items[1]);
    close_both(&w, &notes);
}

static char *written(const struct waivers *w)
{
    static char text[8192];
    const char *const path = scratch_text("file", "");
    FILE *f;

    KIT_OK(waivers_write(w, &report_kit.report, path, today, &err));
    f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* All fields survive; what is expired becomes a failure to be explained again. */
TEST(test_written)
{
    struct waivers w;
    struct notes notes;
    char *text;

    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_fail(report_kit_result(1, "relu.f32.c5"));
    apply("relu.f32.c1|*|lanes|see there|link=a/b#12|driver=1|expires=2027-01-31|device=Dev*|"
          "bounds=fp32\n"
          "relu.f32.c5|*|old|expires=2026-01-01\n?graph.*|*|expired|expires=2026-01-01\n",
          &w, &notes);
    report_kit_result(1, "relu.f32.c1")->status = CASE_PASS;
    text = written(&w);
    report_kit_expect("relu.f32.c1\t*\tlanes\tlink=a/b#12\texpires=2027-01-31\tdriver=1\t"
                      "device=Dev*\tbounds=fp32\tsee there\n",
                      text);
    report_kit_expect(", driver 1, 2026-11-22\n", text);
    report_kit_expect("relu.f32.c5\tdelegate.so fault=none ulps=it's\tfail: over the limit", text);
    assert_null(strstr(text, "\told"));
    assert_null(strstr(text, "graph."));
    close_both(&w, &notes);
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    apply(text, &w, &notes);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
    assert_int_equal(report_kit_result(1, "relu.f32.c5")->status, CASE_WAIVED);
    close_both(&w, &notes);
}

TEST_FILE(.each_setup = report_kit_open, .each_teardown = report_kit_close);
