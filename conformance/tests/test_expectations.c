/* What is expected of a run: waivers, a baseline, cases that must not be declined. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/expectations.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status open_with(struct expectations *e, const struct expectation_flags *flags,
                             struct diag *diag)
{
    return expectations_open(e, flags, report_kit.report.cases, report_kit.report.case_count, diag);
}

static void apply_flags(const struct expectation_flags *flags)
{
    struct expectations e CLOSED_BY(expectations_close);

    KIT_OK(open_with(&e, flags, &err));
    expectations_apply(&e, &report_kit.report);
}

static void apply(const char *waivers, const char *baseline, const char *require)
{
    const struct expectation_flags flags = { .waivers = waivers,
                                             .baseline = baseline,
                                             .require = { &require, require != NULL } };

    apply_flags(&flags);
}

TEST(test_waivers)
{
    const char *path;

    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_result(1, "relu.f32.c1")->status = CASE_DECLINED;
    report_kit_fail(report_kit_result(0, "relu.f32.c5"));
    path =
        scratch_text("file", "# known\n\n relu.f32.c1 | Device* | issue 12: wrong lanes  # really\n"
                             "conv_2d.f32.c9|*|\tissue 13\n"
                             "relu.f32.c5 | other device | not here\n");
    apply(path, NULL, NULL);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
    report_kit_expect("issue 12: wrong lanes (fail: over the limit",
                      report_kit_result(0, "relu.f32.c1")->reason);
    assert_false(result_fails_run(report_kit_result(0, "relu.f32.c1")));
    assert_int_equal(report_kit_result(1, "relu.f32.c1")->status, CASE_DECLINED);
    assert_int_equal(report_kit_result(0, "conv_2d.f32.c9")->status, CASE_UNEXPECTED_PASS);
    assert_true(result_fails_run(report_kit_result(0, "conv_2d.f32.c9")));
    assert_int_equal(report_kit_result(0, "relu.f32.c5")->status, CASE_FAIL);
    assert_int_equal(report_kit_bad(), 3);
}

/* With tabs, by the subject's label, and a case that may pass. */
TEST(test_rows_of_subjects)
{
    char label[128], text[512];
    const char *path;

    snprintf(label, sizeof label, "%s", report_kit.report.subjects[1].label);
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_fail(report_kit_result(1, "relu.f32.c1"));
    report_kit_result(1, "relu.f32.c5")->status = CASE_CRASH;
    snprintf(text, sizeof text,
             "relu.f32.c1\t%s\twrong there\tsmallest: relu.f32.c1\n?relu.*\t%s\tmay pass\n", label,
             label);
    path = scratch_text("file", text);
    apply(path, NULL, NULL);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_FAIL);
    assert_int_equal(report_kit_result(1, "relu.f32.c1")->status, CASE_WAIVED);
    report_kit_expect("wrong there", report_kit_result(1, "relu.f32.c1")->reason);
    assert_int_equal(report_kit_result(1, "relu.f32.c5")->status, CASE_WAIVED);
    assert_int_equal(report_kit_result(0, "conv_2d.f32.c9")->status, CASE_PASS);
}

/* What a run writes, the next run passes with: new failures, and rows that were used. */
TEST(test_written_waivers)
{
    const char *const path =
        scratch_text("file", "conv_2d.* | * | fixed by now\nrelu.f32.c1|*|known\n"
                             "?softmax.* | * | sometimes\n");
    const struct expectation_flags flags = { .waivers = path };
    struct expectations e;
    char line[512];
    FILE *f;
    int seen = 0;

    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_result(1, "relu.f32.c1")->status = CASE_DECLINED;
    report_kit_fail(report_kit_result(0, "relu.f32.c5"));
    snprintf(report_kit_result(0, "relu.f32.c5")->reason, 64, "a|b\tc#d");
    assert_int_equal(open_with(&e, &flags, &err), STATUS_OK);
    expectations_apply(&e, &report_kit.report);
    assert_int_equal(
        waivers_write(&e.waivers, &report_kit.report, "/nowhere/at/all", e.today, &err), STATUS_IO);
    KIT_OK(waivers_write(&e.waivers, &report_kit.report, path, e.today, &err));
    expectations_close(&e);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        assert_null(strstr(line, "conv_2d")); /* its cases pass */
        seen += strncmp(line, "relu.f32.c1\t*\tknown\n", 20) == 0;
        seen += strncmp(line, "?softmax.*\t*\tsometimes\n", 24) == 0;
        if (strncmp(line, "relu.f32.c5\t", 12) == 0) {
            seen++;
            report_kit_expect("fail: a b c d", line);
            report_kit_expect(report_kit.report.subjects[0].label, line);
        }
    }
    fclose(f);
    assert_int_equal(seen, 3);
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_fail(report_kit_result(0, "relu.f32.c5"));
    apply(path, NULL, NULL);
    assert_int_equal(report_kit_result(0, "relu.f32.c5")->status, CASE_WAIVED);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
}

static void expect_bad_file(const char *text, bool waivers, const char *words)
{
    const char *const path = scratch_text("file", text);
    const struct expectation_flags flags = { .waivers = waivers ? path : NULL,
                                             .baseline = waivers ? NULL : path };
    struct expectations e;

    assert_int_equal(open_with(&e, &flags, &err), STATUS_USAGE);
    report_kit_expect(path, err.text);
    report_kit_expect(words, err.text);
}

TEST(test_bad_files)
{
    struct expectations e;

    expect_bad_file("a | b | c\nrelu.* | *\n", true, ":2: ");
    expect_bad_file("a | | c\n", true, ":1: ");
    expect_bad_file("a | b |  \n", true, "CASES | DEVICE | CAUSE");
    expect_bad_file("{\n\n\"a\":", false, "");
    expect_bad_file("[]", false, "");
    expect_bad_file("{\"subjects\": []}", false, "");
    assert_int_equal(
        open_with(&e, &(struct expectation_flags){ .waivers = "/nowhere/at/all" }, &err),
        STATUS_IO);
    assert_int_equal(
        open_with(&e, &(struct expectation_flags){ .baseline = "/nowhere/at/all" }, &err),
        STATUS_IO);
}

/* The run as it is now as a baseline. */
static const char *write_baseline(void)
{
    const char *path;
    char *text CLOSED_BY(kit_free);

    strcpy(report_kit.report.device.name, "Device 9"); /* in UTF-8, which reports keep */
    text = report_kit_json();
    path = scratch_text("file", text);
    return path;
}

/* Applies a baseline; returns the notes, one a line. */
static const char *notes_of(const char *path)
{
    static char text[8192];
    const struct expectation_flags flags = { .baseline = path };
    struct expectations e CLOSED_BY(expectations_close);

    if (open_with(&e, &flags, &err) != STATUS_OK ||
        expectations_check_subjects(&e, report_kit.report.subjects, 2, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    expectations_apply(&e, &report_kit.report);
    text[0] = '\0';
    for (size_t i = 0; i < e.notes.count; i++) {
        strncat(text, e.notes.items[i], 1000);
        strcat(text, "\n");
    }
    return text;
}

TEST(test_baseline)
{
    const char *path;

    report_kit_fail(report_kit_result(1, "relu.f32.c5")); /* failed then, may fail now */
    path = write_baseline();
    report_kit_result(1, "relu.f32.c7")->status = CASE_DECLINED;
    strcpy(report_kit_result(1, "relu.f32.c7")->reason, "not taken");
    report_kit_fail(report_kit_result(0, "relu.f32.c8"));
    report_kit_result(1, "relu.f32.c9")->status = CASE_WAIVED;
    assert_string_equal(notes_of(path), "");
    assert_false(report_kit_result(1, "relu.f32.c5")->regression);
    assert_true(report_kit_result(1, "relu.f32.c7")->regression);
    assert_true(result_fails_run(report_kit_result(1, "relu.f32.c7")));
    assert_true(report_kit_result(0, "relu.f32.c8")->regression);
    assert_false(report_kit_result(1, "relu.f32.c9")->regression);
    assert_int_equal(report_kit_bad(), 3);
}

/* A margin that grew fails on the same device with the same seed, and is only said on others. */
TEST(test_baseline_margins)
{
    struct case_result *const r = report_kit_result(1, "relu.f32.c7");
    const char *const path = write_baseline();

    r->margin = 0.28;
    report_kit_result(0, "relu.f32.c7")->margin = 0.1;
    assert_string_equal(notes_of(path), "");
    assert_false(r->regression);
    r->margin = 0.5;
    assert_string_equal(notes_of(path), "");
    assert_true(r->regression);
    assert_true(result_fails_run(r));
    assert_int_equal(r->status, CASE_PASS);
    assert_string_equal(r->reason, "the margin grew from 0.25 to 0.5 of the bound");
    assert_int_equal(report_kit_bad(), 1);
    r->regression = false;
    strcpy(report_kit.report.device.driver, "driver 2");
    report_kit_expect("1 margins are larger, which is no failure", notes_of(path));
    assert_false(r->regression);
    strcpy(report_kit.report.device.driver, "driver 1");
    report_kit.report.seed = 8;
    report_kit_expect("it has seed 7, this run 8: other data", notes_of(path));
    assert_false(r->regression);
}

/* What could not be compared is said; where nothing could, it is an error. */
TEST(test_baseline_of_others)
{
    const char *const path = write_baseline();
    const struct expectation_flags flags = { .baseline = path };
    struct expectations e;
    struct subject_option *const option = &report_kit.subjects[1].options[1];
    const char *const value = option->value;
    const char *notes;

    assert_int_equal(open_with(&e, &flags, &err), STATUS_OK);
    assert_int_equal(expectations_check_subjects(&e, report_kit.subjects + 1, 1, &err), STATUS_OK);
    option->value = "1";
    assert_int_equal(expectations_check_subjects(&e, report_kit.subjects + 1, 1, &err),
                     STATUS_USAGE);
    report_kit_expect("none of its 2 subjects (reference, ...)", err.text);
    report_kit_expect("nothing would be compared", err.text);
    expectations_close(&e);
    notes = notes_of(path);
    report_kit_expect("it has no subject of this kind with these options; not compared", notes);
    option->value = value;
    report_kit.subjects[1].label[0] = 'D';
    report_kit_expect("Delegate.so fault=none ulps=it's: compared with its delegate.so fault=none "
                      "ulps=it's\n",
                      notes_of(path));
    report_kit.subjects[1].label[0] = 'd';
    strcpy(report_kit.cases[report_kit_find("relu.f32.c7")].name, "relu.f32.new7");
    notes = notes_of(path);
    report_kit_expect("it has no result of 1 cases of this run: relu.f32.new7\n", notes);
}

/* Names in the baseline that no case has any more. */
TEST(test_baseline_cases)
{
    const char *path;

    strcpy(report_kit.cases[report_kit_find("relu.f32.c7")].name, "relu.f32.old7");
    strcpy(report_kit.cases[report_kit_find("relu.f32.c8")].name, "graph.f32.s1_8");
    path = write_baseline();
    strcpy(report_kit.cases[report_kit_find("relu.f32.old7")].name, "relu.f32.c7");
    report_kit_expect("1 of its ", notes_of(path));
    report_kit_expect("cases do not exist any more: relu.f32.old7\n", notes_of(path));
}

/* ---- waivers and days ---- */

TEST(test_today)
{
    struct expectations e;
    char old[64];
    const char *path;
    struct expectation_flags flags = { .today = "2030-01-02" };

    strcpy(old, scratch_text("old", "relu.f32.c5|*|lanes|expires=2020-01-01\n"));
    path = scratch_text("file", "relu.f32.c1|*|lanes|expires=2030-01-01\n");
    flags.waivers = path;
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    apply_flags(&flags);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_FAIL);
    report_kit_expect("the waiver of line 1 expired on 2030-01-01",
                      report_kit_result(0, "relu.f32.c1")->reason);
    flags.today = "2030-01-01";
    apply_flags(&flags);
    assert_int_equal(report_kit_result(0, "relu.f32.c1")->status, CASE_WAIVED);
    flags.today = NULL; /* the clock's */
    report_kit_fail(report_kit_result(0, "relu.f32.c5"));
    flags.waivers = old;
    apply_flags(&flags);
    assert_int_equal(report_kit_result(0, "relu.f32.c5")->status, CASE_FAIL);
    flags.today = "2030-02-30";
    assert_int_equal(open_with(&e, &flags, &err), STATUS_USAGE);
    report_kit_expect("--today=2030-02-30: expected YYYY-MM-DD", err.text);
}

TEST(test_strict_waivers)
{
    struct expectations e;
    const char *const path = scratch_text("file", "relu.f32.c1|*|c\nrelu.f32.nosuch|*|c\n");
    struct expectation_flags flags = { .waivers = path };

    assert_int_equal(open_with(&e, &flags, &err), STATUS_OK);
    assert_int_equal(e.notes.count, 1);
    report_kit_expect(":2: relu.f32.nosuch matches none of the ", e.notes.items[0]);
    expectations_close(&e);
    flags.strict_waivers = true;
    assert_int_equal(open_with(&e, &flags, &err), STATUS_USAGE);
    report_kit_expect(":2: relu.f32.nosuch matches none of the ", err.text);
}

TEST(test_require)
{
    report_kit_result(0, "relu.f32.c5")->status = CASE_DECLINED;
    report_kit_result(1, "relu.f32.c5")->status = CASE_DECLINED;
    report_kit_result(1, "conv_2d.f32.c5")->status = CASE_DECLINED;
    apply(NULL, NULL, "relu.*");
    assert_true(report_kit_result(0, "relu.f32.c5")->required);
    assert_true(report_kit_result(1, "relu.f32.c5")->required);
    assert_false(report_kit_result(0, "relu.f32.c6")->required);
    assert_int_equal(report_kit_bad(), 2);
}

/* A declined case, as if it were one of the op. */
static bool integers_required(const char *name, int32_t code)
{
    struct case_result *const r = report_kit_result(0, name);

    report_kit.cases[report_kit_find(name)].code = code;
    r->status = CASE_DECLINED;
    r->required = false;
    apply_flags(&(struct expectation_flags){ .require_integers = true });
    return r->required;
}

TEST(test_require_integers)
{
    assert_true(integers_required("relu.i8.v2", BUILTIN_RELU));
    assert_true(integers_required("conv_2d.i8pc.c5", BUILTIN_CONV_2D));
    assert_true(integers_required("conv_2d.dynamic.c4", BUILTIN_CONV_2D));
    assert_true(integers_required("relu.u8.every_byte", BUILTIN_QUANTIZE));
    assert_false(integers_required("relu.i8.v2", BUILTIN_QUANTIZE)); /* a type of its version */
    assert_false(integers_required("relu.u8.every_byte", BUILTIN_LSTM));
    assert_false(integers_required("relu.f32.c5", BUILTIN_RELU));
    assert_false(integers_required("relu.i8.v2", -1)); /* of no op in ops.def */
    /* i16 is optional, of an op whose bytes have to be taken too. */
    assert_true(integers_required("conv_2d.i8.c2", BUILTIN_CONV_2D));
    assert_false(integers_required("conv_2d.i16.point", BUILTIN_CONV_2D));
}

/* A case of relu.f32.c5's row, as if it were of another op, that declines for the reason. */
static bool supported_required(int32_t code, const char *reason)
{
    struct case_result *const r = report_kit_result(0, "relu.f32.c5");
    struct test_case *const c =
        (struct test_case *)(uintptr_t)&report_kit.report
            .cases[(size_t)(r - report_kit.report.outcome.results) % report_kit.report.case_count];
    const int32_t before = c->code;

    c->code = code;
    r->status = CASE_DECLINED;
    r->required = false;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    apply_flags(&(struct expectation_flags){ .require_supported = true });
    c->code = before;
    return r->required && result_fails_run(r);
}

/* Lost support of floats fails; what never was supported, or what the device cannot hold, does not.
 */
TEST(test_require_supported)
{
    assert_true(supported_required(BUILTIN_RELU, "conv.dilation: dilation_h is 2, may be 1"));
    assert_true(supported_required(BUILTIN_CONV_2D, "not taken"));
    assert_false(supported_required(BUILTIN_CONV_3D, "op.unknown: x"));
    assert_false(supported_required(BUILTIN_RFFT2D, "op.unknown: x")); /* the CPU's */
    assert_false(supported_required(BUILTIN_RELU, "limits.tensor_bytes: bytes is 9, may be 8"));
}

/* Empty tensors are the CPU's, in floats and in bytes; no other case is excused by the same words,
 * nor an empty one by others. */
TEST(test_require_empty)
{
    static const char *const names[] = { "relu.f32.empty_batch", "relu.i8.empty_batch" };
    const struct expectation_flags flags = { .require_integers = true, .require_supported = true };

    assert_true(supported_required(BUILTIN_RELU, "tensor.empty: elements is 0, may be at least 1"));
    for (int i = 0; i < 2; i++) {
        struct case_result *const r = report_kit_result(0, names[i]);

        r->status = CASE_DECLINED;
        strcpy(r->reason, "tensor.empty: elements is 0, may be at least 1");
        apply_flags(&flags);
        assert_false(r->required);
        strcpy(r->reason, "tensor.type: type is f32");
        apply_flags(&flags);
        assert_true(r->required);
    }
}

/* A row that is about a rule excuses a refusal by this rule alone. */
TEST(test_require_refused)
{
    struct test_case *const c = &report_kit.cases[report_kit_find("relu.f32.c5")];
    const struct op_case *const before = c->row;
    struct op_case row = *before;

    row.refused_by = "cast.types";
    c->row = &row;
    assert_false(supported_required(BUILTIN_RELU, "cast.types: type is i64"));
    assert_true(supported_required(BUILTIN_RELU, "cast.types2: type is i64"));
    c->row = before;
    assert_true(supported_required(BUILTIN_RELU, "cast.types: type is i64"));
}

TEST(test_require_nothing)
{
    const char *const globs[] = { "relu.*", "nosuch*" };
    const struct expectation_flags flags = { .require = { (const char **)(uintptr_t)globs, 2 } };
    struct expectations e;

    assert_int_equal(open_with(&e, &flags, &err), STATUS_USAGE);
    report_kit_expect("--require=nosuch* matches none of the", err.text);
}

TEST_FILE(.each_setup = report_kit_open, .each_teardown = report_kit_close);
