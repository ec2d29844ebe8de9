/* Reports: the table, the totals line, what is said of a failure; the JSON as documented; waivers,
 * baselines and requirements. */
#include "conformance/cases/case_list.h"
#include "conformance/cases/select.h"
#include "conformance/report/expectations.h"
#include "conformance/report/report.h"
#include "conformance/unit/kit/mock_path.h"

#include "reference/base/memory.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct test_case *cases;
static size_t case_count;
static struct subject subjects[2];
static struct report report;

/* Two subjects, all cases of four ops; everything passes but what a test changes. */
static int open_report(void **state)
{
    const char *patterns[] = { "relu.*", "conv_2d.*", "depthwise_conv_2d.*", "average_pool_2d.*",
                               "gap.f32.conv_2d_after_sub_*" };
    const struct selection s = { .filters = { patterns, 5 } };
    const char *options[] = { "fault=none", "ulps=it's" };
    const struct string_list list = { options, 2 };

    (void)state;
    if (cases_list(&cases, &case_count, NULL) != STATUS_OK ||
        select_cases(cases, &case_count, &s, NULL) != STATUS_OK ||
        subject_init(&subjects[0], "none", NULL, NULL) != STATUS_OK ||
        subject_init(&subjects[1], mock_path("delegate.so"), &list, NULL) != STATUS_OK)
        return -1;
    report = (struct report){
        .subjects = subjects,
        .subject_count = 2,
        .cases = cases,
        .case_count = case_count,
        .outcome = { .results = mem_alloc(2 * case_count, sizeof(struct case_result)),
                     .count = 2 * case_count },
        .device = { "Device \xff 9", "driver 1", "1.3.0" },
        .seed = 7,
    };
    for (size_t i = 0; i < report.outcome.count; i++)
        report.outcome.results[i] =
            (struct case_result){ .status = CASE_PASS, .margin = 0.25, .ms = 1.5, .bytes = 100 };
    return 0;
}

static int close_report(void **state)
{
    (void)state;
    run_outcome_close(&report.outcome);
    subject_close(&subjects[0]);
    subject_close(&subjects[1]);
    mem_free(cases);
    return 0;
}

static size_t find(const char *name)
{
    for (size_t i = 0; i < case_count; i++) {
        if (strcmp(cases[i].name, name) == 0)
            return i;
    }
    fail_msg("no case %s", name);
    return 0;
}

static struct case_result *result(size_t subject, const char *name)
{
    return &report.outcome.results[subject * case_count + find(name)];
}

/* How many cases have names that begin so. */
static size_t count(const char *prefix)
{
    size_t n = 0;

    for (size_t i = 0; i < case_count; i++)
        n += strncmp(cases[i].name, prefix, strlen(prefix)) == 0;
    return n;
}

static void make_failure(struct case_result *r)
{
    *r = (struct case_result){ .status = CASE_FAIL,
                               .margin = 3,
                               .max_abs = 0.5,
                               .has_set = true,
                               .set = SET_INTEGERS,
                               .frame = 'B',
                               .has_element = true,
                               .output = 0,
                               .where = "n 0 h 1 w 2 c 3",
                               .got = 1.5,
                               .want = 1,
                               .error = 0.5,
                               .limit = 0.125,
                               .reason = "over the limit (1 of 60 wrong)" };
}

static char *as_text(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    assert_non_null(f);
    report_text(&report, f);
    fclose(f);
    return text;
}

static json_t *as_json(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    json_error_t error;
    json_t *root;

    assert_non_null(f);
    assert_int_equal(report_json(&report, f, NULL), STATUS_OK);
    fclose(f);
    root = json_loads(text, 0, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static const char *last_line(char *text)
{
    char *end = text + strlen(text);

    assert_true(end > text && end[-1] == '\n');
    *--end = '\0';
    return strrchr(text, '\n') + 1;
}

static void expect_in(const char *part, const char *text)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_table(void **state)
{
    char *text, line[96];

    (void)state;
    make_failure(result(1, "conv_2d.f16.c5"));
    *result(1, "conv_2d.f16.c6") = (struct case_result){ .status = CASE_CRASH };
    *result(1, "conv_2d.f16.c7") = (struct case_result){ .status = CASE_DECLINED };
    text = as_text();
    expect_in("subject 0: reference (bounds fp32)\n", text);
    expect_in("subject 1: delegate.so fault=none ulps=it's (bounds fp32)\n", text);
    snprintf(line, sizeof line, "conv_2d           f16     %5zu %5zu     2     1   3.000  c5\n",
             count("conv_2d.f16."), count("conv_2d.f16.") - 3);
    expect_in(line, text);
    /* The gap cases of the op are not among its own. */
    snprintf(line, sizeof line, "conv_2d           f32     %5zu %5zu     0     0   0.250  c1\n",
             count("conv_2d.f32."), count("conv_2d.f32."));
    expect_in(line, text);
    snprintf(line, sizeof line, "depthwise_conv_2d f16     %5zu %5zu     0     0   0.250  c1\n",
             count("depthwise_conv_2d.f16."), count("depthwise_conv_2d.f16."));
    expect_in(line, text);
    /* Why a margin is above a half. */
    expect_in(
        "  margins above 0.5, and why:\n    conv_2d - few products: the limit is a few roundings",
        text);
    free(text);
}

/* How many integers are not the reference's, where that is no failure. */
static void test_share_of_unequal(void **state)
{
    json_t *root, *one;
    char *text;

    (void)state;
    result(1, "relu.i8.c1")->integers = 1000;
    result(1, "relu.i8.c1")->unequal = 25;
    result(1, "conv_2d.i8.c6")->integers = 1000;
    result(1, "conv_2d.i8.c6")->unequal = 0;
    text = as_text();
    expect_in("  off by one: 1.250 % of 2000 integers, most in\n    relu.i8.c1: 2.5 %\n", text);
    free(text);
    root = as_json();
    one = json_array_get(json_object_get(root, "subjects"), 1);
    assert_true(json_real_value(json_object_get(one, "off_by_one")) == 0.0125);
    one = json_array_get(json_object_get(root, "subjects"), 0);
    assert_true(json_is_null(json_object_get(one, "off_by_one")));
    one = json_array_get(json_object_get(root, "cases"), case_count + find("relu.i8.c1"));
    assert_true(json_real_value(json_object_get(one, "off_by_one")) == 0.025);
    json_decref(root);
}

/* What a subject does not run is nowhere. */
static void test_absent(void **state)
{
    json_t *root, *one;
    char *text, line[96];

    (void)state;
    for (size_t i = 0; i < case_count; i++) {
        if (!cases[i].quantized)
            report.outcome.results[case_count + i] = (struct case_result){ .absent = true };
    }
    text = as_text();
    assert_null(strstr(strstr(text, "subject 1:"), "conv_2d           f32"));
    snprintf(line, sizeof line, "conv_2d           i8      %5zu %5zu     0     0   0.250  c1\n",
             count("conv_2d.i8."), count("conv_2d.i8."));
    expect_in(line, strstr(text, "subject 1:"));
    free(text);
    root = as_json();
    one = json_object_get(json_array_get(json_object_get(root, "subjects"), 1), "totals");
    assert_int_equal(json_integer_value(json_object_get(one, "pass")),
                     json_array_size(json_object_get(root, "cases")) - case_count);
    assert_true(json_array_size(json_object_get(root, "cases")) < 2 * case_count);
    json_decref(root);
}

static char *write_file(const char *text)
{
    static char path[64];
    int fd;

    strcpy(path, "/tmp/assay_report_XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

/* First of all, by title. */
static void test_gaps(void **state)
{
    static const char title[] = "padded lanes leak from one op into the next";
    json_t *root, *one;
    char *text, line[96];

    (void)state;
    assert_true(count("gap.") >= 5);
    assert_string_equal(cases[0].name, "gap.f32.conv_2d_after_sub_c1");
    make_failure(result(1, "gap.f32.conv_2d_after_sub_c3"));
    text = as_text();
    snprintf(line, sizeof line, "%-44s %5zu %5zu     0     0   0.250\n", title, count("gap."),
             count("gap."));
    expect_in(line, text);
    snprintf(line, sizeof line, "%-44s %5zu %5zu     1     0   3.000\n", title, count("gap."),
             count("gap.") - 1);
    expect_in(line, text);
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
static void test_mutants(void **state)
{
    char *const path = write_file("name\tfile\tcaught\tby\twhat\n"
                                  "# comment\n\n"
                                  "shader_pad\tpad.comp\tyes\tpad.f32.hw_end\toff by one\n"
                                  "host_lane\tplan.c\tNO\t-\tlane mask missing\n");
    struct tsv mutants;
    json_t *root, *one;
    struct diag diag;
    char *text;

    (void)state;
    if (tsv_read(&mutants, path, mutants_columns, MUTANT_COLUMNS, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
    unlink(path);
    report.mutants = &mutants;
    text = as_text();
    expect_in("planted faults: 1 of 2 noticed\n", text);
    expect_in("  shader_pad                         pad.f32.hw_end\n", text);
    expect_in("  host_lane                          NOT noticed\n", text);
    free(text);
    root = as_json();
    one = json_array_get(json_object_get(root, "mutants"), 1);
    assert_true(json_is_false(json_object_get(one, "caught")));
    assert_string_equal(json_string_value(json_object_get(one, "what")), "lane mask missing");
    json_decref(root);
    report.mutants = NULL;
    tsv_close(&mutants);
}

static void expect_bad_table(const char *text, const char *words)
{
    char *const path = write_file(text);
    struct tsv t;
    struct diag diag;

    assert_int_equal(tsv_read(&t, path, mutants_columns, MUTANT_COLUMNS, &diag), STATUS_USAGE);
    expect_in(words, diag.text);
    unlink(path);
    tsv_close(&t);
}

static void test_bad_tables(void **state)
{
    struct tsv t;
    struct diag diag;

    (void)state;
    expect_bad_table("", "no header line");
    expect_bad_table("# only a comment\n", "no header line");
    expect_bad_table("name\tfile\tcaught\tfrom\twhat\n", "column 4 is 'from', not 'by'");
    expect_bad_table("name\tfile\tcaught\tby\twhat\na\tb\tc\td\n", "line 2: not 5 columns");
    expect_bad_table("name\tfile\tcaught\tby\twhat\na\tb\tc\td\te\tf\n", "line 2");
    assert_int_equal(tsv_read(&t, "/nowhere/at/all", mutants_columns, MUTANT_COLUMNS, &diag),
                     STATUS_IO);
    tsv_close(&t);
}

/* Tables and lists fit a terminal; sentences may be longer. */
static void test_width(void **state)
{
    char *text, *rest, *line;

    (void)state;
    for (size_t i = 0; i < case_count; i += 2) {
        report.outcome.results[i] = (struct case_result){ .status = CASE_DECLINED };
        strcpy(report.outcome.results[i].reason, "not taken");
    }
    report.outcome.results[find("conv_2d.f32.c1")].margin = INFINITY;
    rest = text = as_text();
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (strlen(line) > 80)
            fail_msg("%zu columns: %s", strlen(line), line);
        assert_true(line[0] == '\0' || line[strlen(line) - 1] != ' ');
    }
    free(text);
}

static void test_totals_line(void **state)
{
    char *text = as_text(), line[128];

    (void)state;
    assert_int_equal(case_count, count("relu.") + count("conv_2d.") + count("depthwise_conv_2d.") +
                                     count("average_pool_2d.") + count("gap."));
    snprintf(line, sizeof line, "conformance: %zu checks: %zu passed, 0 failed, 0 declined",
             2 * case_count, 2 * case_count);
    assert_string_equal(last_line(text), line);
    free(text);
    make_failure(result(0, "relu.f32.c1"));
    result(0, "relu.f32.c2")->status = CASE_DECLINED;
    result(0, "relu.f32.c3")->status = CASE_TIMEOUT;
    result(1, "relu.f32.c3")->status = CASE_CRASH;
    text = as_text();
    assert_int_equal(report_totals(&report).bad, 3); /* declined alone is none */
    snprintf(line, sizeof line,
             "conformance: %zu checks: %zu passed, 1 failed, 1 declined, 1 crashed, 1 timed out",
             2 * case_count, 2 * case_count - 4);
    assert_string_equal(last_line(text), line);
    free(text);
}

static void test_failure(void **state)
{
    char *text, reason[1024];

    (void)state;
    make_failure(result(1, "conv_2d.f16.c5"));
    text = as_text();
    expect_in("fail conv_2d.f16.c5 (subject 1: delegate.so fault=none ulps=it's): over the limit "
              "(1 of 60 wrong)\n"
              "    data set S2, seed 7, frame B, output 0 at n 0 h 1 w 2 c 3:\n"
              "    got 1.5, expected 1, error 0.5, limit 0.125\n"
              "    rerun: assay conformance --filter=conv_2d.f16.c5 --delegate=",
              text);
    expect_in("/mock/delegate.so --delegate-option=fault=none --delegate-option=ulps='it'\\''s' "
              "--seed=7\n",
              text);
    free(text);
    make_failure(result(0, "relu.f32.c1"));
    report.bounds = "fp16";
    text = as_text();
    expect_in("--filter=relu.f32.c1 --delegate=none --bounds=fp16 --seed=7\n", text);
    free(text);
    report_reason(&report, find("relu.f32.c1"), reason, sizeof reason);
    assert_string_equal(reason,
                        "over the limit (1 of 60 wrong); S2 frame B output 0 at n 0 h 1 w 2 c 3: "
                        "got 1.5, expected 1, error 0.5, limit 0.125");
}

static void test_many_failures(void **state)
{
    char *text;

    (void)state;
    for (size_t i = 0; i < 50; i++)
        make_failure(&report.outcome.results[i]);
    text = as_text();
    expect_in("... and 10 more; --format=json has them all\n", text);
    free(text);
}

static void test_declined_by_reason(void **state)
{
    static const char *const names[] = { "relu.f32.c1", "relu.f32.c3", "relu.f32.c9" };
    char *text;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        result(0, names[i])->status = CASE_DECLINED;
        strcpy(result(0, names[i])->reason, i == 1 ? "other" : "rank: is 5, may be 4");
    }
    text = as_text();
    expect_in("  2 declined: rank: is 5, may be 4\n    relu.f32.c1 relu.f32.c9\n"
              "  1 declined: other\n    relu.f32.c3\n",
              text);
    free(text);
}

static void test_other_lines(void **state)
{
    char *text;

    (void)state;
    report.shards = 4;
    report.shard = 2;
    report.outcome.broken_ends = 1;
    strcpy(report.outcome.end, "a worker process, after its last case: SIGSEGV (destroy)");
    text = as_text();
    expect_in("shard 2 of 4\n", text);
    expect_in("fail: a worker process, after its last case: SIGSEGV (destroy)\n", text);
    expect_in(", driver 1, Vulkan 1.3.0\n", text);
    free(text);
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

static void test_json(void **state)
{
    json_t *root, *one;

    (void)state;
    make_failure(result(1, "conv_2d.f32.groups2"));
    result(1, "conv_2d.f32.groups2")->margin = INFINITY;
    root = as_json();
    EXPECT_KEYS(root, "assay", "subjects", "device", "totals", "gaps", "ops", "cases");
    assert_string_equal(json_string_value(json_object_get(root, "assay")), ASSAY_VERSION);
    EXPECT_KEYS(json_object_get(root, "device"), "name", "driver", "api");
    EXPECT_KEYS(json_object_get(root, "totals"), STATUSES);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "totals"), "pass")),
                     2 * case_count - 1);
    assert_int_equal(json_array_size(json_object_get(root, "subjects")), 2);
    one = json_array_get(json_object_get(root, "subjects"), 1);
    EXPECT_KEYS(one, "path", "sha256", "options", "bounds", "off_by_one", "totals");
    EXPECT_KEYS(json_object_get(one, "options"), "fault", "ulps");
    EXPECT_KEYS(json_object_get(one, "totals"), STATUSES);
    assert_int_equal(strlen(json_string_value(json_object_get(one, "sha256"))), 64);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "totals"), "fail")),
                     1);
    assert_true(json_is_null(
        json_object_get(json_array_get(json_object_get(root, "subjects"), 0), "path")));
    assert_int_equal(json_array_size(json_object_get(root, "ops")), 18);
    one = json_array_get(json_object_get(root, "ops"), 0);
    EXPECT_KEYS(one, "op", "type", "versions", "totals", "worst");
    assert_string_equal(json_string_value(json_object_get(one, "op")), "conv_2d");
    assert_true(json_array_size(json_object_get(one, "versions")) >= 5); /* 1 2 3 5 6 */
    assert_int_equal(json_array_size(json_object_get(root, "cases")), 2 * case_count);
    one = json_array_get(json_object_get(one, "worst"), 1);
    EXPECT_KEYS(one, "subject", "margin", "case", "off_by_one", "note");
    assert_true(json_is_null(json_object_get(one, "margin")));
    assert_string_equal(json_string_value(json_object_get(one, "case")), "conv_2d.f32.groups2");
    expect_in("few products", json_string_value(json_object_get(one, "note")));
    one = json_array_get(json_object_get(root, "cases"), case_count + find("conv_2d.f32.groups2"));
    EXPECT_KEYS(one, "subject", "case", "op", "version", "type", "status", "reason", "max_abs",
                "max_ulp", "margin", "bias", "off_by_one", "ms", "bytes", "seed");
    assert_int_equal(json_integer_value(json_object_get(one, "subject")), 1);
    assert_string_equal(json_string_value(json_object_get(one, "status")), "fail");
    assert_int_equal(json_integer_value(json_object_get(one, "version")), 6);
    assert_true(json_is_null(json_object_get(one, "margin")));
    assert_true(json_real_value(json_object_get(one, "max_abs")) == 0.5);
    assert_int_equal(json_integer_value(json_object_get(one, "seed")), 7);
    expect_in("n 0 h 1 w 2 c 3", json_string_value(json_object_get(one, "reason")));
    json_decref(root);
}

/* ---- what was expected ---- */

static void apply_all(const char *waivers, const char *baseline, const char *require,
                      bool require_integers)
{
    const struct string_list list = { &require, require != NULL };
    struct expectations e;
    struct diag diag;

    if (expectations_open(&e, waivers, baseline, &list, require_integers, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
    expectations_apply(&e, &report);
    expectations_close(&e);
}

static void apply(const char *waivers, const char *baseline, const char *require)
{
    apply_all(waivers, baseline, require, false);
}

static void test_waivers(void **state)
{
    char *path;

    (void)state;
    make_failure(result(0, "relu.f32.c1"));
    result(1, "relu.f32.c1")->status = CASE_DECLINED;
    make_failure(result(0, "relu.f32.c5"));
    path = write_file("# known\n\n relu.f32.c1 | Device* | issue 12: wrong lanes  # really\n"
                      "conv_2d.f32.c9|*|\tissue 13\n"
                      "relu.f32.c5 | other device | not here\n");
    apply(path, NULL, NULL);
    unlink(path);
    assert_int_equal(result(0, "relu.f32.c1")->status, CASE_WAIVED);
    expect_in("issue 12: wrong lanes (fail: over the limit", result(0, "relu.f32.c1")->reason);
    assert_false(result_is_bad(result(0, "relu.f32.c1")));
    assert_int_equal(result(1, "relu.f32.c1")->status, CASE_DECLINED);
    assert_int_equal(result(0, "conv_2d.f32.c9")->status, CASE_UNEXPECTED_PASS);
    assert_true(result_is_bad(result(0, "conv_2d.f32.c9")));
    assert_int_equal(result(0, "relu.f32.c5")->status, CASE_FAIL);
    assert_int_equal(report_totals(&report).bad, 3);
}

static void expect_bad_file(const char *text, bool waivers, const char *words)
{
    const struct string_list none = { NULL, 0 };
    struct expectations e;
    struct diag diag;
    char *const path = write_file(text);

    assert_int_equal(
        expectations_open(&e, waivers ? path : NULL, waivers ? NULL : path, &none, false, &diag),
        STATUS_USAGE);
    expect_in(path, diag.text);
    expect_in(words, diag.text);
    unlink(path);
}

static void test_bad_files(void **state)
{
    const struct string_list none = { NULL, 0 };
    struct expectations e;
    struct diag diag;

    (void)state;
    expect_bad_file("a | b | c\nrelu.* | *\n", true, "line 2");
    expect_bad_file("a | | c\n", true, "line 1");
    expect_bad_file("a | b |  \n", true, "CASES | DEVICE | CAUSE");
    expect_bad_file("{\n\n\"a\":", false, "line 3");
    expect_bad_file("[]", false, "expected a JSON report");
    expect_bad_file("{\"subjects\": []}", false, "expected a JSON report");
    assert_int_equal(expectations_open(&e, "/nowhere/at/all", NULL, &none, false, &diag),
                     STATUS_IO);
    assert_int_equal(expectations_open(&e, NULL, "/nowhere/at/all", &none, false, &diag),
                     STATUS_IO);
}

static void test_baseline(void **state)
{
    char *text = NULL, *path;
    size_t bytes = 0;
    FILE *f;

    (void)state;
    make_failure(result(1, "relu.f32.c5")); /* failed then, may fail now */
    f = open_memstream(&text, &bytes);
    assert_int_equal(report_json(&report, f, NULL), STATUS_OK);
    fclose(f);
    path = write_file(text);
    result(1, "relu.f32.c7")->status = CASE_DECLINED;
    strcpy(result(1, "relu.f32.c7")->reason, "not taken");
    make_failure(result(0, "relu.f32.c8"));
    apply(NULL, path, NULL);
    unlink(path);
    free(text);
    assert_false(result(1, "relu.f32.c5")->regression);
    assert_true(result(1, "relu.f32.c7")->regression);
    assert_true(result_is_bad(result(1, "relu.f32.c7")));
    assert_true(result(0, "relu.f32.c8")->regression);
    assert_int_equal(report_totals(&report).bad, 3);
    text = as_text();
    expect_in("declined relu.f32.c7 (subject 1: delegate.so fault=none ulps=it's): passed in the "
              "baseline: not taken\n",
              text);
    free(text);
}

static void test_require(void **state)
{
    (void)state;
    result(0, "relu.f32.c5")->status = CASE_DECLINED;
    result(1, "relu.f32.c5")->status = CASE_DECLINED;
    result(1, "conv_2d.f32.c5")->status = CASE_DECLINED;
    apply(NULL, NULL, "relu.*");
    assert_true(result(0, "relu.f32.c5")->required);
    assert_true(result(1, "relu.f32.c5")->required);
    assert_false(result(0, "relu.f32.c6")->required);
    assert_int_equal(report_totals(&report).bad, 2);
}

/* A declined case, as if it were one of the op. */
static bool integers_required(const char *name, int32_t code)
{
    struct case_result *const r = result(0, name);

    cases[find(name)].code = code;
    r->status = CASE_DECLINED;
    r->required = false;
    apply_all(NULL, NULL, NULL, true);
    return r->required;
}

static void test_require_integers(void **state)
{
    (void)state;
    assert_true(integers_required("relu.i8.v2", BUILTIN_RELU));
    assert_true(integers_required("conv_2d.i8pc.c5", BUILTIN_CONV_2D));
    assert_true(integers_required("conv_2d.dynamic.c4", BUILTIN_CONV_2D));
    assert_true(integers_required("relu.u8.every_byte", BUILTIN_QUANTIZE));
    assert_false(integers_required("relu.i8.v2", BUILTIN_QUANTIZE)); /* a type of its version */
    assert_false(integers_required("relu.u8.every_byte", BUILTIN_LSTM));
    assert_false(integers_required("relu.f32.c5", BUILTIN_RELU));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_table, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_share_of_unequal, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_absent, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_gaps, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_mutants, open_report, close_report),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test_setup_teardown(test_width, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_totals_line, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_failure, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_many_failures, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_declined_by_reason, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_other_lines, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_json, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_waivers, open_report, close_report),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test_setup_teardown(test_baseline, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_require, open_report, close_report),
        cmocka_unit_test_setup_teardown(test_require_integers, open_report, close_report),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
