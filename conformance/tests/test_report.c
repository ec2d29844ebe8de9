/* Reports: the table, the totals line, what is said of a failure, and the JSON. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/report.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many cases have names that begin so. */
static size_t count(const char *prefix)
{
    size_t n = 0;

    for (size_t i = 0; i < report_kit.case_count; i++)
        n += strncmp(report_kit.cases[i].name, prefix, strlen(prefix)) == 0;
    return n;
}

static json_t *as_json(void)
{
    char *text CLOSED_BY(kit_free) = report_kit_json();
    json_error_t error;
    json_t *root;

    root = json_loads(text, 0, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    return root;
}

static const char *last_line(char *text)
{
    char *end = text + strlen(text);

    assert_true(end > text && end[-1] == '\n');
    *--end = '\0';
    return strrchr(text, '\n') + 1;
}

TEST(test_table, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text, line[96];

    report_kit_fail(report_kit_result(1, "conv_2d.f16.c5"));
    *report_kit_result(1, "conv_2d.f16.c6") = (struct case_result){ .status = CASE_CRASH };
    *report_kit_result(1, "conv_2d.f16.c7") = (struct case_result){ .status = CASE_DECLINED };
    text = report_kit_text();
    report_kit_expect("subject 0: reference (bounds fp32,exact)\n", text);
    report_kit_expect("subject 1: delegate.so fault=none ulps=it's (bounds fp32,float_view)\n",
                      text);
    snprintf(line, sizeof line, "conv_2d           f16     %5zu %5zu     2     1   3.000  c5\n",
             count("conv_2d.f16."), count("conv_2d.f16.") - 3);
    report_kit_expect(line, text);
    /* The gap cases of the op are not among its own. */
    snprintf(line, sizeof line, "conv_2d           f32     %5zu %5zu     0     0   0.250  c1\n",
             count("conv_2d.f32."), count("conv_2d.f32."));
    report_kit_expect(line, text);
    snprintf(line, sizeof line, "depthwise_conv_2d f16     %5zu %5zu     0     0   0.250  c1\n",
             count("depthwise_conv_2d.f16."), count("depthwise_conv_2d.f16."));
    report_kit_expect(line, text);
    /* Why a margin is above a half. */
    report_kit_expect(
        "  margins above 0.5, and why:\n    conv_2d - few products: the limit is a few roundings",
        text);
    free(text);
}

/* How many integers are not the reference's, where that is no failure. */
TEST(test_share_of_unequal, .setup = report_kit_open, .teardown = report_kit_close)
{
    json_t *root, *one;
    char *text;

    report_kit_result(1, "relu.i8.c1")->integers = 1000;
    report_kit_result(1, "relu.i8.c1")->unequal = 25;
    report_kit_result(1, "conv_2d.i8.c6")->integers = 1000;
    report_kit_result(1, "conv_2d.i8.c6")->unequal = 0;
    text = report_kit_text();
    report_kit_expect("  off by one: 1.250 % of 2000 integers, most in\n    relu.i8.c1: 2.5 %\n",
                      text);
    free(text);
    root = as_json();
    one = json_array_get(json_object_get(root, "subjects"), 1);
    assert_true(json_real_value(json_object_get(one, "off_by_one")) == 0.0125);
    one = json_array_get(json_object_get(root, "subjects"), 0);
    assert_true(json_is_null(json_object_get(one, "off_by_one")));
    one = json_array_get(json_object_get(root, "cases"),
                         report_kit.case_count + report_kit_find("relu.i8.c1"));
    assert_true(json_real_value(json_object_get(one, "off_by_one")) == 0.025);
    json_decref(root);
}

/* What a subject does not run is nowhere. */
TEST(test_absent, .setup = report_kit_open, .teardown = report_kit_close)
{
    json_t *root, *one;
    char *text, line[96];

    for (size_t i = 0; i < report_kit.case_count; i++) {
        if (!report_kit.cases[i].quantized)
            report_kit.report.outcome.results[report_kit.case_count + i] =
                (struct case_result){ .absent = true };
    }
    text = report_kit_text();
    assert_null(strstr(strstr(text, "subject 1:"), "conv_2d           f32"));
    snprintf(line, sizeof line, "conv_2d           i8      %5zu %5zu     0     0   0.250  c1\n",
             count("conv_2d.i8."), count("conv_2d.i8."));
    report_kit_expect(line, strstr(text, "subject 1:"));
    free(text);
    root = as_json();
    one = json_object_get(json_array_get(json_object_get(root, "subjects"), 1), "totals");
    assert_int_equal(json_integer_value(json_object_get(one, "pass")),
                     json_array_size(json_object_get(root, "cases")) - report_kit.case_count);
    assert_true(json_array_size(json_object_get(root, "cases")) < 2 * report_kit.case_count);
    json_decref(root);
}

/* First of all, by title. */
TEST(test_gaps, .setup = report_kit_open, .teardown = report_kit_close)
{
    static const char title[] = "padded lanes leak from one op into the next";
    json_t *root, *one;
    char *text, line[96];

    assert_true(count("gap.") >= 5);
    assert_string_equal(report_kit.cases[0].name, "gap.f32.conv_2d_after_sub_c1");
    report_kit_fail(report_kit_result(1, "gap.f32.conv_2d_after_sub_c3"));
    text = report_kit_text();
    snprintf(line, sizeof line, "%-44s %5zu %5zu     0     0   0.250\n", title, count("gap."),
             count("gap."));
    report_kit_expect(line, text);
    snprintf(line, sizeof line, "%-44s %5zu %5zu     1     0   3.000\n", title, count("gap."),
             count("gap.") - 1);
    report_kit_expect(line, text);
    assert_true(strstr(text, "gap suite") < strstr(text, "worst case"));
    free(text);
    root = as_json();
    one = json_array_get(json_object_get(root, "gaps"), 0);
    assert_int_equal(json_array_size(json_object_get(root, "gaps")), 1);
    assert_string_equal(json_string_value(json_object_get(one, "title")), title);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "totals"), "fail")),
                     1);
    one = json_array_get(json_object_get(root, "cases"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "gap")), title);
    json_decref(root);
}

/* Which faults were noticed, by whom. */
TEST(test_mutants, .setup = report_kit_open, .teardown = report_kit_close)
{
    const char *const path =
        scratch_text("file", "name\tfile\tcaught\tby\twhat\n"
                             "# comment\n\n"
                             "shader_pad\tpad.comp\tyes\tpad.f32.hw_end\toff by one\n"
                             "host_lane\tplan.c\tNO\t-\tlane mask missing\n");
    struct tsv mutants CLOSED_BY(tsv_close);
    json_t *root, *one;
    char *text;

    KIT_OK(tsv_read(&mutants, path, mutants_columns, MUTANT_COLUMNS, &err));
    report_kit.report.mutants = &mutants;
    text = report_kit_text();
    report_kit_expect("planted faults: 1 of 2 noticed\n", text);
    report_kit_expect("  shader_pad                         pad.f32.hw_end\n", text);
    report_kit_expect("  host_lane                          NOT noticed\n", text);
    free(text);
    root = as_json();
    one = json_array_get(json_object_get(root, "mutants"), 1);
    assert_true(json_is_false(json_object_get(one, "caught")));
    assert_string_equal(json_string_value(json_object_get(one, "what")), "lane mask missing");
    json_decref(root);
    report_kit.report.mutants = NULL;
}

static void expect_bad_table(const char *text, const char *words)
{
    const char *const path = scratch_text("file", text);
    struct tsv t CLOSED_BY(tsv_close);

    assert_int_equal(tsv_read(&t, path, mutants_columns, MUTANT_COLUMNS, &err), STATUS_USAGE);
    report_kit_expect(words, err.text);
}

TEST(test_bad_tables)
{
    struct tsv t CLOSED_BY(tsv_close);

    expect_bad_table("", "no header line");
    expect_bad_table("# only a comment\n", "no header line");
    expect_bad_table("name\tfile\tcaught\tfrom\twhat\n", "column 4 is 'from', expected 'by'");
    expect_bad_table("name\tfile\tcaught\tby\twhat\na\tb\tc\td\n", "line 2: expected 5 columns");
    expect_bad_table("name\tfile\tcaught\tby\twhat\na\tb\tc\td\te\tf\n", "line 2");
    assert_int_equal(tsv_read(&t, "/nowhere/at/all", mutants_columns, MUTANT_COLUMNS, &err),
                     STATUS_IO);
}

/* Tables and lists fit a terminal; sentences may be longer. */
TEST(test_width, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text, *rest, *line;

    for (size_t i = 0; i < report_kit.case_count; i += 2) {
        report_kit.report.outcome.results[i] = (struct case_result){ .status = CASE_DECLINED };
        strcpy(report_kit.report.outcome.results[i].reason, "not taken");
    }
    report_kit.report.outcome.results[report_kit_find("conv_2d.f32.c1")].margin = INFINITY;
    rest = text = report_kit_text();
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (strlen(line) > 80)
            fail_msg("%zu columns: %s", strlen(line), line);
        assert_true(line[0] == '\0' || line[strlen(line) - 1] != ' ');
    }
    free(text);
}

TEST(test_totals_line, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text = report_kit_text(), line[128];

    assert_int_equal(report_kit.case_count, count("relu.") + count("conv_2d.") +
                                                count("depthwise_conv_2d.") +
                                                count("average_pool_2d.") + count("gap."));
    snprintf(line, sizeof line, "conformance: %zu checks: %zu passed, 0 failed, 0 declined",
             2 * report_kit.case_count, 2 * report_kit.case_count);
    assert_string_equal(last_line(text), line);
    free(text);
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit_result(0, "relu.f32.c2")->status = CASE_DECLINED;
    report_kit_result(0, "relu.f32.c3")->status = CASE_TIMEOUT;
    report_kit_result(1, "relu.f32.c3")->status = CASE_CRASH;
    text = report_kit_text();
    assert_int_equal(report_kit_bad(), 3); /* declined alone is none */
    snprintf(line, sizeof line,
             "conformance: %zu checks: %zu passed, 1 failed, 1 declined, 1 crashed, 1 timed out",
             2 * report_kit.case_count, 2 * report_kit.case_count - 4);
    assert_string_equal(last_line(text), line);
    free(text);
}

TEST(test_failure, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text, reason[1024];

    report_kit_fail(report_kit_result(1, "conv_2d.f16.c5"));
    text = report_kit_text();
    report_kit_expect(
        "fail conv_2d.f16.c5 (subject 1: delegate.so fault=none ulps=it's): over the limit "
        "(1 of 60 wrong)\n"
        "    data set S2, seed 7, frame B, output 0 at n 0 h 1 w 2 c 3:\n"
        "    got 1.5, expected 1, error 0.5, limit 0.125\n"
        "    rerun: assay conformance --filter=conv_2d.f16.c5 --delegate=",
        text);
    report_kit_expect(
        "/mock/delegate.so --delegate-option=fault=none --delegate-option=ulps='it'\\''s' "
        "--seed=7\n",
        text);
    free(text);
    report_kit_fail(report_kit_result(0, "relu.f32.c1"));
    report_kit.report.bounds = "fp16";
    text = report_kit_text();
    report_kit_expect("--filter=relu.f32.c1 --delegate=none --bounds=fp16 --seed=7\n", text);
    free(text);
    report_reason(&report_kit.report, report_kit_find("relu.f32.c1"), reason, sizeof reason);
    assert_string_equal(reason,
                        "over the limit (1 of 60 wrong); S2 frame B output 0 at n 0 h 1 w 2 c 3: "
                        "got 1.5, expected 1, error 0.5, limit 0.125");
}

/* Each of ten has its lines; more are findings. */
TEST(test_many_failures, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text;

    for (size_t i = 0; i < 10; i++)
        report_kit_fail(&report_kit.report.outcome.results[i]);
    text = report_kit_text();
    assert_null(strstr(text, "findings:"));
    free(text);
    for (size_t i = 10; i < 50; i++)
        report_kit_fail(&report_kit.report.outcome.results[i]);
    text = report_kit_text();
    report_kit_expect("findings: 50 failed checks, ", text);
    report_kit_expect("\n  1. ", text);
    report_kit_expect("\n--format=json has every failure\n", text);
    assert_null(strstr(text, "    data set S2"));
    free(text);
}

/* Numbers make no other reason. */
TEST(test_declined_by_reason, .setup = report_kit_open, .teardown = report_kit_close)
{
    static const char *const names[] = { "relu.f32.c1", "relu.f32.c3", "relu.f32.c9" };
    char *text CLOSED_BY(kit_free);

    for (size_t i = 0; i < 3; i++) {
        report_kit_result(0, names[i])->status = CASE_DECLINED;
        strcpy(report_kit_result(0, names[i])->reason,
               i == 1  ? "another reason, of more words than go in the eighty columns of a line"
               : i > 0 ? "rank: is 6, may be 4"
                       : "rank: is 5, may be 4");
    }
    text = report_kit_text();
    report_kit_expect(
        "  2 declined: rank: is 5, may be 4\n    relu.f32.c1 relu.f32.c9\n"
        "  1 declined: another reason, of more words than go in the eighty columns of a\n"
        "      line\n    relu.f32.c3\n",
        text);
}

/* Ops that are not taken at all have no row, and no list of cases; many cases are told by op. */
TEST(test_ops_not_taken, .setup = report_kit_open, .teardown = report_kit_close)
{
    struct case_result *const results = report_kit.report.outcome.results;
    char *text, *subject, expected[64];
    int declined = 0;

    for (size_t i = 0; i < report_kit.case_count; i++) {
        const char *const name = report_kit.report.cases[i].name;
        const bool relu = strncmp(name, "relu.f32.", 9) == 0;

        if (relu && i % 2)
            continue;
        declined += relu;
        if (strncmp(name, "conv_2d.", 8) == 0 && strncmp(name, "conv_2d.i8", 10) != 0)
            continue;
        results[i].status = CASE_DECLINED;
        strcpy(results[i].reason, "not taken");
    }
    text = report_kit_text();
    report_kit_expect("\n  not taken at all, 2 ops: average_pool_2d depthwise_conv_2d\n"
                      "    types not taken: conv_2d (i8 i8pc) relu (i8 u8 i16)\n"
                      "  no case is taken of 1 known fault of delegates\n",
                      text);
    snprintf(expected, sizeof expected, " declined: not taken\n    relu %d\n", declined);
    report_kit_expect(expected, text);
    subject = strstr(text, "\nsubject 1: "); /* which takes all */
    assert_non_null(subject);
    assert_true(strstr(text, "\nrelu              i8") > subject);
    free(text);
}

TEST(test_other_lines, .setup = report_kit_open, .teardown = report_kit_close)
{
    char *text CLOSED_BY(kit_free);

    report_kit.report.shards = 4;
    report_kit.report.shard = 2;
    report_kit.report.outcome.broken_ends = 1;
    strcpy(report_kit.report.outcome.end,
           "a worker process, after its last case: SIGSEGV (destroy)");
    text = report_kit_text();
    report_kit_expect("shard 2 of 4\n", text);
    report_kit_expect("fail: a worker process, after its last case: SIGSEGV (destroy)\n", text);
    report_kit_expect(", driver 1, Vulkan 1.3.0\n", text);
}

/* The keys of an object are these, no more and no less. */
static void expect_keys(json_t *object, const char *const *keys, size_t count)
{
    assert_true(json_is_object(object));
    assert_int_equal(json_object_size(object), count);
    for (size_t i = 0; i < count; i++) {
        if (!json_object_get(object, keys[i]))
            fail_msg("no key %s", keys[i]);
    }
}
#define EXPECT_KEYS(object, ...)                                                                   \
    expect_keys(object, (const char *const[]){ __VA_ARGS__ },                                      \
                sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
#define STATUSES "pass", "fail", "declined", "crash", "timeout", "waived", "unexpected_pass"

TEST(test_json, .setup = report_kit_open, .teardown = report_kit_close)
{
    json_t *root, *one;

    report_kit_fail(report_kit_result(1, "conv_2d.f32.groups2"));
    report_kit_result(1, "conv_2d.f32.groups2")->margin = INFINITY;
    root = as_json();
    EXPECT_KEYS(root, "assay", "schema", "run", "subjects", "device", "totals", "gaps", "ops",
                "findings", "declined", "cases");
    assert_string_equal(json_string_value(json_object_get(root, "assay")), ASSAY_VERSION);
    EXPECT_KEYS(json_object_get(root, "device"), "name", "driver", "api");
    EXPECT_KEYS(json_object_get(root, "totals"), STATUSES);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "totals"), "pass")),
                     2 * report_kit.case_count - 1);
    assert_int_equal(json_array_size(json_object_get(root, "subjects")), 2);
    one = json_array_get(json_object_get(root, "subjects"), 1);
    EXPECT_KEYS(one, "path", "sha256", "options", "bounds", "off_by_one", "totals", "spec", "label",
                "device");
    EXPECT_KEYS(json_object_get(one, "options"), "fault", "ulps");
    EXPECT_KEYS(json_object_get(one, "totals"), STATUSES);
    assert_int_equal(strlen(json_string_value(json_object_get(one, "sha256"))), 64);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "totals"), "fail")),
                     1);
    assert_true(json_is_null(
        json_object_get(json_array_get(json_object_get(root, "subjects"), 0), "path")));
    assert_int_equal(json_array_size(json_object_get(root, "ops")), 29);
    one = json_array_get(json_object_get(root, "ops"), 0);
    EXPECT_KEYS(one, "op", "type", "versions", "totals", "worst");
    assert_string_equal(json_string_value(json_object_get(one, "op")), "conv_2d");
    assert_true(json_array_size(json_object_get(one, "versions")) >= 5); /* 1 2 3 5 6 */
    assert_int_equal(json_array_size(json_object_get(root, "cases")), 2 * report_kit.case_count);
    one = json_array_get(json_object_get(one, "worst"), 1);
    EXPECT_KEYS(one, "subject", "margin", "case", "off_by_one", "note");
    assert_true(json_is_null(json_object_get(one, "margin")));
    assert_string_equal(json_string_value(json_object_get(one, "case")), "conv_2d.f32.groups2");
    report_kit_expect("few products", json_string_value(json_object_get(one, "note")));
    one = json_array_get(json_object_get(root, "cases"),
                         report_kit.case_count + report_kit_find("conv_2d.f32.groups2"));
    EXPECT_KEYS(one, "subject", "case", "index", "op", "version", "type", "status", "reason",
                "max_abs", "max_ulp", "margin", "bias", "off_by_one", "ms", "bytes", "seed",
                "checked", "what", "rerun", "note", "set", "frame", "output", "where", "got",
                "want", "error", "limit", "infinite");
    assert_int_equal(json_integer_value(json_object_get(one, "subject")), 1);
    assert_string_equal(json_string_value(json_object_get(one, "status")), "fail");
    assert_int_equal(json_integer_value(json_object_get(one, "version")), 6);
    assert_true(json_is_null(json_object_get(one, "margin")));
    assert_true(json_real_value(json_object_get(one, "max_abs")) == 0.5);
    assert_int_equal(json_integer_value(json_object_get(one, "seed")), 7);
    report_kit_expect("n 0 h 1 w 2 c 3", json_string_value(json_object_get(one, "reason")));
    json_decref(root);
}
