/* What a new baseline gives up, and what of two reports compares. */
#include "conformance/report/record/accept.h"
#include "conformance/report/record/match.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

enum { CASES = 50 };

static struct record was, is;

FIXTURE(open_both)
{
    sample_record_open(&was, CASES);
    sample_record_open(&is, CASES);
    return 0;
}

FIXTURE(close_both)
{
    record_close(&was);
    record_close(&is);
    return 0;
}

static void open_with(struct acceptance *a, const char *give_up, bool allow_worse)
{
    const struct accept_options options = { { &give_up, give_up != NULL }, allow_worse };

    KIT_OK(accept_open(a, &was, &is, &options, &err));
}

static char *text_of(const struct acceptance *a)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    accept_print(a, f);
    fclose(f);
    return text;
}

static void expect_printed(const struct acceptance *a, const char *part)
{
    char *text CLOSED_BY(kit_free) = text_of(a);

    report_kit_expect(part, text);
}

TEST(test_nothing)
{
    struct acceptance a CLOSED_BY(accept_close);

    sample_record_result(&was, 0, 3)->status = CASE_FAIL; /* passes now */
    sample_record_result(&was, 1, 3)->status = CASE_DECLINED;
    sample_record_result(&is, 0, 4)->margin = 0.1;
    open_with(&a, NULL, false);
    assert_int_equal(a.count, 0);
    assert_int_equal(a.refused, 0);
    expect_printed(&a, "accept: nothing is given up\n");
}

TEST(test_losses)
{
    struct acceptance a;

    *sample_record_result(&is, 0, 1) = (struct record_result){
        .subject = 0, .test_case = 1, .status = CASE_FAIL, .reason = "over the limit"
    };
    sample_record_result(&is, 1, 2)->status = CASE_DECLINED;
    sample_record_result(&is, 1, 3)->status = CASE_WAIVED;
    sample_record_result(&was, 1, 4)->status = CASE_FAIL;
    sample_record_result(&is, 1, 4)->status = CASE_CRASH;
    sample_record_result(&is, 1, 5)->margin = 0.75;
    sample_record_result(&is, 1, 6)->margin = 0.26; /* not worth a word */
    open_with(&a, NULL, false);
    assert_int_equal(a.count, 5);
    assert_int_equal(a.refused, 5);
    assert_int_equal(a.by_kind[ACCEPT_FAILS], 1);
    assert_int_equal(a.by_kind[ACCEPT_SUPPORT], 1);
    assert_int_equal(a.by_kind[ACCEPT_WAIVED], 1);
    assert_int_equal(a.by_kind[ACCEPT_WORSE], 1);
    assert_int_equal(a.by_kind[ACCEPT_MARGIN], 1);
    expect_printed(&a, "passed, and fails: 1\n  ! relu.f32.c001 (libx.so): over the limit\n");
    expect_printed(&a, "  ! relu.f32.c005 (libx.so precision=fp16): from 0.25 to 0.75\n");
    expect_printed(&a, "accept: 5 would be given up, 5 of it without being named");
    accept_close(&a);
    open_with(&a, "relu.f32.c00[1-4]", false);
    assert_int_equal(a.count, 5);
    assert_int_equal(a.refused, 1);
    accept_close(&a);
    open_with(&a, NULL, true);
    assert_int_equal(a.refused, 0);
    expect_printed(&a, "accept: 5 given up, all of it as asked for\n");
    accept_close(&a);
}

/* A case, and a subject, that the new report does not have any more. */
TEST(test_gone)
{
    struct acceptance a;

    record_close(&is);
    sample_record_open(&is, CASES - 1);
    open_with(&a, NULL, false);
    assert_int_equal(a.by_kind[ACCEPT_CASE], 2);
    expect_printed(&a, "  ! relu.f32.c049 (libx.so precision=fp16)\n");
    accept_close(&a);
    is.subject_count = 1;
    is.result_count = is.case_count;
    open_with(&a, "relu.*", false);
    assert_int_equal(a.by_kind[ACCEPT_SUBJECT], 1);
    assert_int_equal(a.refused, 1);
    expect_printed(&a, "the subject is gone: 1\n  ! libx.so precision=fp16\n");
    accept_close(&a);
}

/* A library that was renamed is the same subject; one with other options is not. */
TEST(test_renamed)
{
    const struct accept_options none = { .allow_worse = true };
    struct record_option other = { "precision", "fp32" };
    struct acceptance a;

    is.subjects[1].spec = "delegate:/opt/liby.so?precision=fp16";
    is.subjects[1].path = "/opt/liby.so";
    is.subjects[1].label = "liby.so precision=fp16";
    sample_record_result(&is, 1, 2)->status = CASE_DECLINED;
    open_with(&a, NULL, false);
    assert_int_equal(a.count, 1);
    expect_printed(&a, "  ! relu.f32.c002 (liby.so precision=fp16)");
    accept_close(&a);
    is.subjects[0].options = is.subjects[1].options = &other;
    is.subjects[0].option_count = 1;
    assert_int_equal(accept_open(&a, &was, &is, &none, &err), STATUS_USAGE);
    report_kit_expect("none of the baseline's 2 subjects (libx.so, ...)", err.text);
}

/* Texts of reports do not reach a terminal as they are. */
TEST(test_hostile_texts)
{
    struct acceptance a CLOSED_BY(accept_close);

    sample_record_result(&is, 0, 2)->status = CASE_FAIL;
    sample_record_result(&is, 0, 2)->reason = "a\nb\033[31m\x7f\xc2\x9b\xe2\x80\xae\xff\xc3\xa9";
    open_with(&a, NULL, false);
    expect_printed(&a, "relu.f32.c002 (libx.so): "
                       "a\\x0ab\\x1b[31m\\x7f\\xc2\\x9b\\xe2\\x80\\xae\\xff\xc3\xa9\n");
}

TEST(test_many)
{
    struct acceptance a CLOSED_BY(accept_close);

    for (size_t i = 0; i < CASES; i++)
        sample_record_result(&is, 0, i)->status = CASE_DECLINED;
    open_with(&a, "relu.f32.c00?", false);
    assert_int_equal(a.refused, CASES - 10);
    expect_printed(&a, "passed, and is declined: 50\n  ! relu.f32.c010");
    expect_printed(&a, "    and 30 more\n");
}

static void expect_refused(const struct accept_options *options, const char *words)
{
    struct acceptance a;
    struct diag diag = { .status = STATUS_OK };

    assert_int_equal(accept_open(&a, &was, &is, options, &diag), STATUS_USAGE);
    report_kit_expect(words, diag.text);
}

TEST(test_refused)
{
    const char *const globs[] = { "nosuch.*" };
    const struct accept_options none = { .allow_worse = true };
    const struct accept_options stale = { .give_up = { (const char **)(uintptr_t)globs, 1 } };

    expect_refused(&stale, "--give-up=nosuch.* names nothing");
    is.run.interrupted = "SIGINT";
    is.missing_count = 7;
    expect_refused(&none, "SIGINT ended: 7 results are missing");
    is.run.interrupted = NULL;
    expect_refused(&none, "lacks 7 results");
    is.missing_count = 0;
    is.run.shards = 4;
    is.run.merged_count = 3;
    expect_refused(&none, "has 3 of 4 shards");
    is.run.merged_count = 0;
    is.run.shards = 0;
    is.run.seed = 2;
    expect_refused(&none, "seed");
    is.run.seed = 1;
    is.result_count = 0;
    expect_refused(&none, "no results");
}

TEST(test_json)
{
    struct acceptance a;
    json_t *root, *loss;

    sample_record_result(&is, 1, 5)->margin = 0.75;
    open_with(&a, NULL, false);
    PRINTED(text, f, assert_int_equal(accept_json(&a, f, NULL), STATUS_OK));
    accept_close(&a);
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_true(json_is_false(json_object_get(root, "accepted")));
    assert_int_equal(json_integer_value(json_object_get(root, "refused")), 1);
    loss = json_array_get(json_object_get(root, "losses"), 0);
    assert_string_equal(json_string_value(json_object_get(loss, "kind")), "margin");
    assert_string_equal(json_string_value(json_object_get(loss, "name")), "relu.f32.c005");
    assert_true(json_real_value(json_object_get(loss, "was")) == 0.25);
    assert_true(json_real_value(json_object_get(loss, "is")) == 0.75);
    json_decref(root);
}

/* ---- what compares ---- */

TEST(test_match)
{
    struct record_subject s = was.subjects[1];
    struct record_option other = { "precision", "fp32" };

    assert_int_equal(record_match_subject(&was, &was.subjects[0]), 0);
    assert_int_equal(record_match_subject(&was, &s), 1);
    s.spec = "delegate:/elsewhere/liby.so?precision=fp16";
    s.path = "/elsewhere/liby.so";
    s.label = "liby.so precision=fp16";
    assert_int_equal(record_match_subject(&was, &s), 1);
    s.spec = "litert:gpu?precision=fp16";
    assert_int_equal(record_match_subject(&was, &s), SIZE_MAX);
    s = was.subjects[1];
    s.options = &other;
    assert_int_equal(record_match_subject(&was, &s), SIZE_MAX);
    s = was.subjects[0];
    s.path = s.spec = NULL; /* the reference */
    assert_int_equal(record_match_subject(&was, &s), SIZE_MAX);
    /* Of two with the same options, the one of the same file, then the one of the same label. */
    was.subjects[1] = was.subjects[0];
    was.subjects[1].spec = "delegate:/opt/liby.so";
    was.subjects[1].path = "/opt/liby.so";
    s = was.subjects[1];
    s.label = was.subjects[0].label = "other";
    assert_int_equal(record_match_subject(&was, &s), 1);
    was.subjects[1] = was.subjects[0];
    was.subjects[1].label = "liby.so";
    s = was.subjects[0];
    s.label = "liby.so";
    assert_int_equal(record_match_subject(&was, &s), 1);
}

TEST(test_figures)
{
    const struct record_device a = { "X", "1.0", NULL }, b = { "X", "1.1", NULL };
    const struct record_device none = { NULL, NULL, NULL };

    assert_true(record_device_is_same(&a, &a));
    assert_false(record_device_is_same(&a, &b));
    assert_false(record_device_is_same(&a, &none));
    assert_true(record_device_is_same(&none, &none));
    assert_true(record_margin_grew(0.25, 0.5));
    assert_true(record_margin_grew(0, 0.06));
    assert_false(record_margin_grew(0, 0.04));   /* below the floor */
    assert_false(record_margin_grew(0.9, 0.96)); /* a small share */
    assert_false(record_margin_grew(0.5, 0.25));
    assert_false(record_margin_grew(0.5, (double)NAN));
    assert_false(record_margin_grew((double)NAN, 0.5));
}

TEST_FILE(.each_setup = open_both, .each_teardown = close_both);
