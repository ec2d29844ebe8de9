/* Two reports side by side: what fails the comparison, and what only is said. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/compare.h"
#include "conformance/report/record/match.h"
#include "conformance/tests/kit/draft_record.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 5 };

static struct record was, is;
static struct record_comparison comparison;
static struct compare_limits limits;
static struct diag diag;

static void fill(struct record *r, const char *folder)
{
    draft_open(r);
    draft_subject(r, folder, "libx.so", "fp32");
    draft_subject(r, folder, "libx.so", "fp16");
    for (int i = 0; i < CASES; i++) {
        char name[32];
        size_t c;

        snprintf(name, sizeof name, "add.f32.c%d", i);
        c = draft_case(r, name, NULL);
        draft_result(r, 0, c);
        draft_result(r, 1, c);
    }
}

FIXTURE(open_both)
{
    fill(&was, "/builds/1");
    fill(&is, "/builds/2");
    limits = compare_limits_default();
    comparison = (struct record_comparison){ .was = NULL };
    return 0;
}

FIXTURE(close_both)
{
    compare_close(&comparison);
    record_close(&was);
    record_close(&is);
    return 0;
}

/* Before draft_done: the result of case c on the subject. */
static struct record_result *result(struct record *r, size_t subject, size_t c)
{
    for (size_t i = 0; i < r->result_count; i++) {
        if (r->results[i].subject == subject && r->results[i].test_case == c)
            return &r->results[i];
    }
    fail_msg("no result of case %zu", c);
    return NULL;
}

static enum status try_compare(void)
{
    draft_done(&was);
    draft_done(&is);
    return compare_records(&comparison, &was, &is, &limits, NULL, 0, &diag);
}

static void compare(void)
{
    KIT_OK_DIAG(try_compare(), diag);
}

/* A sentence of the failures, or of the notes, that holds part. */
static bool has(const char **list, size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(list[i], part))
            return true;
    }
    return false;
}

static void expect_failure(const char *part)
{
    if (!has(comparison.failures, comparison.failure_count, part))
        fail_msg("no failure says '%s'; the first of %zu: %s", part, comparison.failure_count,
                 comparison.failure_count ? comparison.failures[0] : "");
}

static void expect_note(const char *part)
{
    if (!has(comparison.notes, comparison.note_count, part))
        fail_msg("no note says '%s'; the first of %zu: %s", part, comparison.note_count,
                 comparison.note_count ? comparison.notes[0] : "");
}

TEST(test_equal)
{
    compare();
    assert_int_equal(comparison.failure_count, 0);
    assert_int_equal(comparison.note_count, 0);
    assert_int_equal(comparison.change_count, 0);
    assert_int_equal(comparison.pair_count, 2);
    assert_int_equal(comparison.pairs[1].common, CASES);
    assert_int_equal(comparison.pairs[1].from_to[CASE_PASS][CASE_PASS], CASES);
}

static void expect_kind(enum case_status from, enum case_status to, enum compare_kind kind)
{
    compare_close(&comparison);
    result(&was, 1, 2)->status = from;
    result(&is, 1, 2)->status = to;
    compare();
    if (comparison.change_count != 1 || comparison.changes[0].kind != kind)
        fail_msg("%s to %s: expected %s, found %s", case_status_name(from), case_status_name(to),
                 compare_kind_key(kind),
                 comparison.change_count ? compare_kind_key(comparison.changes[0].kind) : "none");
    assert_int_equal(comparison.changes[0].pair, 1);
    assert_int_equal(comparison.kind_count[kind], 1);
    assert_int_equal(comparison.failure_count, compare_kind_is_bad(kind));
}

TEST(test_kinds)
{
    expect_kind(CASE_PASS, CASE_FAIL, COMPARE_NEW_FAILURE);
    expect_kind(CASE_PASS, CASE_CRASH, COMPARE_NEW_FAILURE);
    expect_kind(CASE_DECLINED, CASE_TIMEOUT, COMPARE_NEW_FAILURE);
    expect_kind(CASE_WAIVED, CASE_FAIL, COMPARE_NEW_FAILURE);
    expect_kind(CASE_FAIL, CASE_CRASH, COMPARE_WORSE);
    expect_kind(CASE_FAIL, CASE_TIMEOUT, COMPARE_WORSE);
    expect_kind(CASE_CRASH, CASE_TIMEOUT, COMPARE_OTHER);
    expect_kind(CASE_CRASH, CASE_FAIL, COMPARE_OTHER);
    expect_kind(CASE_PASS, CASE_DECLINED, COMPARE_LOST);
    expect_kind(CASE_UNEXPECTED_PASS, CASE_DECLINED, COMPARE_LOST);
    expect_kind(CASE_FAIL, CASE_DECLINED, COMPARE_OTHER);
    expect_kind(CASE_FAIL, CASE_PASS, COMPARE_FIXED);
    expect_kind(CASE_WAIVED, CASE_UNEXPECTED_PASS, COMPARE_FIXED);
    expect_kind(CASE_DECLINED, CASE_PASS, COMPARE_GAINED);
    expect_kind(CASE_FAIL, CASE_WAIVED, COMPARE_OTHER);
    expect_kind(CASE_PASS, CASE_WAIVED, COMPARE_OTHER);
}

TEST(test_ignored_support)
{
    result(&is, 0, 0)->status = CASE_DECLINED;
    limits.no_support = true;
    compare();
    assert_int_equal(comparison.kind_count[COMPARE_LOST], 1);
    assert_int_equal(comparison.failure_count, 0);
}

/* ---- subjects ---- */

TEST(test_other_subject)
{
    for (size_t s = 0; s < 2; s++) {
        is.subjects[s].spec =
            s ? "delegate:/opt/liby.so?precision=fp16" : "delegate:/opt/liby.so?precision=fp32";
        is.subjects[s].path = "/opt/liby.so";
        is.subjects[s].label = "liby.so";
    }
    assert_int_equal(try_compare(), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "no subject of OLD ('libx.so precision=fp32', "
                                      "'libx.so precision=fp16') has the library and the options "
                                      "of one of NEW ('liby.so', 'liby.so')"));
}

/* One library, two accelerators. */
TEST(test_other_target)
{
    was.subject_count = is.subject_count = 1;
    was.result_count = is.result_count = 0;
    draft_result(&was, 0, 0);
    draft_result(&is, 0, 0);
    was.subjects[0].path = is.subjects[0].path = "/opt/libLiteRt.so";
    was.subjects[0].option_count = is.subjects[0].option_count = 0;
    was.subjects[0].spec = "litert:cpu";
    is.subjects[0].spec = "litert:gpu?bounds=fp32";
    assert_int_equal(try_compare(), STATUS_USAGE);
    was.subjects[0].spec = "litert:gpu";
    compare_close(&comparison);
    compare();
    assert_int_equal(comparison.pair_count, 1);
    compare_close(&comparison);
    is.subjects[0].spec = "tflite-c:gpu";
    assert_int_equal(try_compare(), STATUS_USAGE);
}

TEST(test_other_options)
{
    static const struct record_option options[] = { { "mode", "noop" } };

    is.subjects[1].options = options;
    compare();
    assert_int_equal(comparison.pair_count, 1);
    assert_int_equal(comparison.old_only_count, 1);
    assert_int_equal(comparison.new_only_count, 1);
    expect_failure("libx.so precision=fp16 of OLD has no counterpart in NEW");
}

/* A subject that is new alone fails nothing. */
TEST(test_more_subjects)
{
    was.subject_count = 1;
    was.result_count = 0;
    for (size_t c = 0; c < CASES; c++)
        draft_result(&was, 0, c);
    compare();
    assert_int_equal(comparison.failure_count, 0);
    assert_int_equal(comparison.new_only_count, 1);
}

/* The order of subjects says nothing, nor that of options, nor the folder. */
TEST(test_order)
{
    static const struct record_option ab[] = { { "a", "1" }, { "b", "2" } };
    static const struct record_option ba[] = { { "b", "2" }, { "a", "1" } };
    struct record_subject first;

    was.subjects[1].options = ab;
    is.subjects[1].options = ba;
    was.subjects[1].option_count = is.subjects[1].option_count = 2;
    first = is.subjects[0];
    is.subjects[0] = is.subjects[1];
    is.subjects[1] = first;
    was.subjects[1].spec = "delegate:/builds/1/libx.so?a=1&b=2";
    is.subjects[0].spec = "delegate:/builds/2/libx.so?b=2&a=1";
    compare();
    assert_int_equal(comparison.pair_count, 2);
    assert_int_equal(comparison.pairs[0].old_subject, 1);
    assert_int_equal(comparison.pairs[0].new_subject, 0);
    assert_int_equal(comparison.failure_count, 0);
}

TEST(test_given_pairs)
{
    const struct compare_couple couple = { 0, 1 }, wrong = { 0, 2 };

    draft_done(&was);
    draft_done(&is);
    assert_int_equal(compare_records(&comparison, &was, &is, &limits, &couple, 1, &diag),
                     STATUS_OK);
    assert_int_equal(comparison.pair_count, 1);
    assert_int_equal(comparison.failure_count, 0);
    expect_note("held to the bounds fp32 in OLD and fp16 in NEW, so margins are not compared");
    compare_close(&comparison);
    assert_int_equal(compare_records(&comparison, &was, &is, &limits, &wrong, 1, &diag),
                     STATUS_USAGE);
    assert_string_equal(diag.text, "no pair of subjects 0 and 2: OLD has 2, NEW 2, from 0 on");
}

/* ---- cases ---- */

TEST(test_seeds)
{
    is.run.seed = 7;
    assert_int_equal(try_compare(), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "OLD has seed 1, NEW 7"));
}

TEST(test_no_common_case)
{
    for (size_t c = 0; c < CASES; c++) {
        char name[32];

        snprintf(name, sizeof name, "sub.f32.c%zu", c);
        is.cases[c].name = arena_string(&is.arena, name);
    }
    assert_int_equal(try_compare(), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "no case is in both reports: OLD has 10 results, NEW 10"));
}

/* Subject 1 is one that the device cannot run. */
static void drop_subject(struct record *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->result_count; i++) {
        if (r->results[i].subject == 0)
            r->results[kept++] = r->results[i];
    }
    r->result_count = kept;
    r->subjects[1].not_run = "no 16-bit storage";
}

TEST(test_not_run)
{
    drop_subject(&is);
    compare();
    assert_int_equal(comparison.failure_count, 1);
    expect_failure("libx.so precision=fp16: no case is in both reports");
    expect_note("NEW has no results of libx.so precision=fp16: no 16-bit storage");
}

TEST(test_not_run_before)
{
    drop_subject(&was);
    drop_subject(&is);
    compare();
    assert_int_equal(comparison.failure_count, 0);
}

TEST(test_lists)
{
    is.cases[2].name = "add.f32.other";
    is.run.list_sha256 = "cd34";
    compare();
    assert_int_equal(comparison.pairs[0].gone, 1);
    assert_int_equal(comparison.pairs[0].added, 1);
    assert_int_equal(comparison.single_count, 4);
    assert_int_equal(comparison.failure_count, 0);
    expect_note("the lists of cases differ");
    compare_close(&comparison);
    limits.same_cases = true;
    compare();
    expect_failure("cases that are gone: 2");
}

/* What NEW did not come to could hide anything. */
TEST(test_cut)
{
    struct record_missing missing = { 1, 4 };

    is.missing = &missing;
    is.missing_count = 1;
    is.run.interrupted = "SIGTERM";
    is.result_count--; /* case 4 on subject 1 */
    compare();
    expect_failure("NEW was cut (SIGTERM): 1 checks are missing");
    assert_int_equal(comparison.single_count, 1);
    assert_true(comparison.singles[0].not_reached);
    is.missing = NULL;
}

TEST(test_broken_end)
{
    is.broken_end = "SIGSEGV";
    compare();
    expect_failure("a worker process of NEW, after its last case: SIGSEGV");
    compare_close(&comparison);
    was.broken_end = "SIGSEGV";
    compare();
    assert_int_equal(comparison.failure_count, 0);
}

TEST(test_notes)
{
    is.run.version = "0.2.0";
    is.device.name = "GPU 2";
    is.run.interrupted = NULL;
    was.run.interrupted = "SIGINT";
    is.run.shards = 4;
    is.run.host = "BSD";
    compare();
    expect_note("OLD is of Assay 0.1.0, NEW of 0.2.0");
    expect_note("OLD ran on not known (driver not known), NEW on GPU 2");
    expect_note("OLD was cut (SIGINT)");
    expect_note("OLD is shard 0/1, NEW 0/4");
    expect_note("OLD ran on Linux, NEW on BSD");
    assert_int_equal(comparison.failure_count, 0);
}

TEST(test_models)
{
    struct record_model before[] = { { .name = "digits", .subject = 1, .status = CASE_PASS },
                                     { .name = "digits", .is_reference = true } };
    struct record_model after[] = { { .name = "digits", .is_reference = true },
                                    { .name = "digits", .subject = 1, .status = CASE_FAIL } };

    was.models = before;
    is.models = after;
    was.model_count = is.model_count = 2;
    compare();
    assert_int_equal(comparison.model_count, 1);
    expect_failure("the model digits: pass, now fail");
    compare_close(&comparison);
    limits.no_models = true;
    compare();
    assert_int_equal(comparison.failure_count, 0);
}

/* ---- margins and memory ---- */

static void expect_margin(double before, double after, size_t listed, size_t failures)
{
    compare_close(&comparison);
    result(&was, 1, 2)->margin = before;
    result(&is, 1, 2)->margin = after;
    compare();
    if (comparison.margin_count != listed || comparison.failure_count != failures)
        fail_msg("margin %g to %g: expected %zu listed, %zu failures, found %zu and %zu", before,
                 after, listed, failures, comparison.margin_count, comparison.failure_count);
}

TEST(test_margins)
{
    expect_margin(0.25, 0.27, 0, 0);  /* 8 %, and below the floor */
    expect_margin(0.25, 0.299, 0, 0); /* below the floor of 0.05 */
    expect_margin(0.25, 0.31, 1, 1);
    expect_margin(0.8, 0.87, 0, 0); /* 8.75 % */
    expect_margin(0.8, 0.9, 1, 1);
    expect_margin(0, 0.06, 1, 1);
    expect_margin(0.31, 0.25, 1, 0); /* better */
    expect_margin(NAN, 0.9, 0, 0);
    expect_margin(0.1, INFINITY, 0, 0);
    limits.margin_growth = INFINITY;
    expect_margin(0.25, 0.99, 0, 0);
    limits = compare_limits_default();
    limits.no_margins = true;
    expect_margin(0.25, 0.99, 0, 0);
    limits = compare_limits_default();
    is.subjects[1].bounds = "fp32,one_step"; /* other limits, so other margins */
    expect_margin(0.25, 0.99, 0, 0);
}

static void expect_bytes(uint64_t before, uint64_t after, size_t listed, size_t failures)
{
    compare_close(&comparison);
    result(&was, 0, 2)->bytes = before;
    result(&is, 0, 2)->bytes = after;
    compare();
    if (comparison.memory_count != listed || comparison.failure_count != failures)
        fail_msg("%llu to %llu bytes: expected %zu listed, %zu failures, found %zu and %zu",
                 (unsigned long long)before, (unsigned long long)after, listed, failures,
                 comparison.memory_count, comparison.failure_count);
}

TEST(test_memory)
{
    expect_bytes(8192, 12288, 0, 0); /* 50 %, but at the floor */
    expect_bytes(8192, 12289, 1, 1);
    expect_bytes(1000000, 1010000, 0, 0); /* 1 % */
    expect_bytes(1000000, 1030000, 1, 1);
    expect_bytes(1030000, 1000000, 1, 0);
    expect_bytes(0, 1000000, 0, 0); /* was not measured */
    limits.no_memory = true;
    expect_bytes(1000000, 2000000, 0, 0);
}

/* Figures of cases that do not pass in both reports are no growth. */
TEST(test_figures_of_failures)
{
    result(&was, 0, 2)->status = CASE_FAIL;
    result(&is, 0, 2)->status = CASE_FAIL;
    result(&is, 0, 2)->margin = 100;
    result(&is, 0, 2)->bytes = 1000000;
    compare();
    assert_int_equal(comparison.failure_count, 0);
    assert_int_equal(comparison.margin_count + comparison.memory_count, 0);
}

/* ---- forms ---- */

static char *print(compare_write_fn *write)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    assert_int_equal(write(&comparison, f, &diag), STATUS_OK);
    fclose(f);
    return text;
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected '%s' in:\n%s", part, text);
}

static void change_some(void)
{
    draft_fail(result(&is, 0, 0), "over", "got 1, want 2");
    draft_fail(result(&is, 0, 1), "over", "got 3, want 4");
    result(&is, 1, 0)->status = CASE_DECLINED;
    result(&is, 1, 1)->bytes = 100000;
    result(&is, 1, 2)->margin = 0.75;
    result(&was, 1, 3)->status = CASE_FAIL;
}

TEST(test_text)
{
    char *text CLOSED_BY(kit_free);

    change_some();
    compare();
    text = print(compare_text);
    expect_text(text, "OLD: Assay 0.1.0, git 5faf3b7, 2026-01-02T03:04:05Z\n");
    expect_text(text, "\nsubject libx.so precision=fp32: 5 cases in both\n  new failures: 2\n"
                      "    add f32: 2\n"
                      "      add.f32.c0: pass, now fail: got 1, want 2\n"
                      "      rerun: assay conformance --filter=one\n");
    expect_text(text, "  lost support: 1\n    add f32: 1\n      add.f32.c0: pass, now declined\n");
    expect_text(text, "  fixed: 1\n    add f32: 1\n      add.f32.c3: fail, now pass\n");
    expect_text(text, "  margins, by more than 10 % and 0.05: 1 grew, 0 shrank\n"
                      "    add.f32.c2                                     0.25     0.75  "
                      "+200.0 %\n");
    expect_text(text, "  memory, by more than 2 % and 4096 bytes: 1 grew, 0 shrank\n");
    expect_text(text, "worse than before:\n  new failures: 2\n  lost support: 1\n");
    expect_text(text, "\ncompare: 10 checks in both: 2 new failures, 1 lost support, 1 fixed\n");
}

TEST(test_json)
{
    json_t *root, *one;
    json_error_t error;
    char *text CLOSED_BY(kit_free);

    change_some();
    compare();
    text = print(compare_json);
    if (!(root = json_loads(text, 0, &error)))
        fail_msg("line %d: %s", error.line, error.text);
    assert_true(json_is_true(json_object_get(root, "worse")));
    assert_int_equal(json_array_size(json_object_get(root, "changes")), 4);
    one = json_array_get(json_object_get(root, "changes"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "kind")), "new_failure");
    assert_string_equal(json_string_value(json_object_get(one, "case")), "add.f32.c0");
    assert_string_equal(json_string_value(json_object_get(one, "new_reason")), "got 1, want 2");
    one = json_object_get(root, "totals");
    assert_int_equal(json_integer_value(json_object_get(one, "lost_support")), 1);
    one = json_array_get(json_object_get(root, "memory"), 0);
    assert_true(json_real_value(json_object_get(one, "new")) == 100000);
    assert_true(json_is_null(json_object_get(json_object_get(root, "limits"), "run_slowdown")));
    assert_int_equal(json_array_size(json_object_get(root, "lines")), 2);
    json_decref(root);
}

/* ---- times of several runs ---- */

TEST(test_fastest)
{
    result(&was, 0, 1)->ms = 0.3;
    result(&is, 0, 1)->ms = 0.2;
    result(&is, 0, 2)->ms = 0.5;
    result(&is, 0, 3)->ms = 0.01;
    result(&is, 0, 3)->status = CASE_FAIL;
    draft_done(&was);
    draft_done(&is);
    assert_int_equal(record_take_fastest(&was, &is, &diag), STATUS_OK);
    assert_true(result(&was, 0, 1)->ms == 0.2);
    assert_true(result(&was, 0, 2)->ms == 0.1);
    assert_true(result(&was, 0, 3)->ms == 0.1);
    is.run.seed = 2;
    assert_int_equal(record_take_fastest(&was, &is, &diag), STATUS_USAGE);
    assert_string_equal(diag.text, "expected the seed 1, found 2");
    is.run.seed = 1;
    is.subject_count = 0;
    assert_int_equal(record_take_fastest(&was, &is, &diag), STATUS_USAGE);
}

TEST_FILE(.each_setup = open_both, .each_teardown = close_both);
