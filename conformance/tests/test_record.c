/* Records: what is written is read again, byte for byte; finding, lines and totals. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/from_run.h"
#include "conformance/report/record/record.h"
#include "conformance/tests/kit/draft_record.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct record from_run(void)
{
    struct record r;

    KIT_OK(record_from_run(&r, &report_kit.report, &err));
    return r;
}

static struct record read_text(const char *text)
{
    const char *const path = scratch_text("file", text);
    struct record r;
    const enum status s = record_read(&r, path, &err);

    KIT_OK(s);
    return r;
}

static const char *said_items[] = { "known.tsv:2: expires soon",
                                    "base.json: of another \033 device" };
static const struct notes said = { .items = said_items, .count = 2 };

/* Every kind of result that a run may have, with figures and texts that are hard to keep. */
static void decorate(void)
{
    struct report *const r = &report_kit.report;
    struct case_result *c;

    report_kit_fail(report_kit_result(1, "conv_2d.f16.c5"));
    c = report_kit_result(0, "relu.f32.c1");
    report_kit_fail(c);
    c->got = INFINITY;
    c->want = -INFINITY;
    c->error = c->max_abs = c->margin = INFINITY;
    c->limit = 1.0 / 3;
    c->worst = (struct comparison_worst){ .ratio = INFINITY, .where = "[1]", .got = NAN };
    c = report_kit_result(0, "relu.f32.c2");
    report_kit_fail(c);
    c->got = -NAN;
    c->has_element = false;
    c->frame = '\0';
    strcpy(c->reason,
           "quote \" backslash \\ tab \t escape \033[31m bell \a <b>&amp;</b> \xff\xc3\xa9");
    strcpy(report_kit_result(0, "relu.f32.c3")->by_element, "09AZaz");
    report_kit_result(0, "relu.f32.c3")->elements = 7;
    strcpy(report_kit_result(0, "relu.f32.c3")->inputs, "f32 [1, 3]");
    *report_kit_result(1, "relu.f32.c3") =
        (struct case_result){ .status = CASE_CRASH, .reason = "SIGSEGV" };
    *report_kit_result(1, "relu.f32.c5") =
        (struct case_result){ .status = CASE_DECLINED, .required = true, .reason = "not taken" };
    *report_kit_result(1, "relu.f32.c6") =
        (struct case_result){ .status = CASE_DECLINED, .regression = true, .reason = "not taken" };
    *report_kit_result(1, "relu.f32.c7") = (struct case_result){ .status = CASE_WAIVED,
                                                                 .reason = "known (fail: far)",
                                                                 .waiver = "known" };
    c = report_kit_result(1, "relu.i8.c1");
    c->integers = 3;
    c->unequal = 1;
    c->margin = 0.1 + 0.2;
    c->habits = 3;
    c->left_out = 1u << HABIT_SPLIT;
    *report_kit_result(1, "relu.f32.c9") = (struct case_result){ .absent = true, .missing = true };
    r->outcome.missing = 1;
    r->run.interrupted = "SIGINT";
    r->outcome.broken_ends = 2;
    strcpy(r->outcome.end, "SIGSEGV (destroy)");
    r->notes = &said;
    r->run.command = "assay conformance '--filter=*'";
    r->run.seconds = 1.0 / 7;
    r->run.list_count = report_kit.case_count;
    r->seed = UINT64_MAX;
}

TEST(test_round_trip)
{
    static struct digits_score scores[] = {
        { .model = "digits_f32",
          .subject = DIGITS_REFERENCE,
          .images = 3,
          .right = 1,
          .compared = true,
          .snr_db = INFINITY },
        { .model = "digits_i8", .subject = 1, .status = CASE_DECLINED, .reason = "no node" },
    };
    static const struct digits_report digits = { .scores = scores, .count = 2 };
    struct record first, second CLOSED_BY(record_close);
    char *text, *again, *json, *json_again;

    decorate();
    report_kit.report.digits = &digits;
    first = from_run();
    text = report_kit_form(&first, form_text);
    json = report_kit_form(&first, form_json);
    record_close(&first);
    second = read_text(json);
    again = report_kit_form(&second, form_text);
    json_again = report_kit_form(&second, form_json);
    assert_string_equal(text, again);
    assert_string_equal(json, json_again);
    report_kit_expect("got inf, expected -inf, error inf, limit 0.333\n", text);
    report_kit_expect("\nnote: known.tsv:2: expires soon\nnote: base.json: of another ? device\n",
                      text);
    report_kit_expect("interrupted: SIGINT: 1 checks are missing\n", text);
    report_kit_expect("digits_f32     reference            0.3333    0    0   inf", text);
    report_kit_expect("escape ?[31m bell ? <b>", text);
    assert_null(strchr(text, '\033'));
    report_kit_expect("\"infinite\": {\"max_abs\": 1, \"margin\": 1, \"got\": 1, \"want\": -1, "
                      "\"error\": 1}",
                      json);
    free(text);
    free(again);
    free(json);
    free(json_again);
}

/* What it comes to is written for a report of any age. */
TEST(test_findings_and_declined)
{
    struct record r;
    json_t *root, *list;
    char *json;

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    for (int i = 0; i < 4; i++) {
        char name[32];
        struct record_result *x;

        snprintf(name, sizeof name, "op%d.f32.a", i);
        x = draft_result(&r, 0, draft_case(&r, name, "f32 [1]"));
        r.cases[i].index = (size_t)i;
        if (i == 3)
            continue;
        draft_fail(x, "SIGFPE: invoke", "SIGFPE: invoke");
        x->status = i < 2 ? CASE_CRASH : CASE_DECLINED;
    }
    draft_fail(draft_result(&r, 0, draft_case(&r, "op4.f32.a", "f32 [1]")), "\xff no", "\xff no");
    r.results[4].status = CASE_DECLINED;
    r.cases[4].index = 4;
    draft_done(&r);
    json = report_kit_form(&r, form_json);
    record_close(&r);
    r = read_text(json);
    free(json);
    json = report_kit_form(&r, form_json);
    record_close(&r);
    root = json_loads(json, 0, NULL);
    free(json);
    assert_int_equal(json_integer_value(json_object_get(root, "schema")), RECORD_SCHEMA);
    list = json_object_get(root, "findings");
    assert_int_equal(json_array_size(list), 1);
    list = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(list, "title")), "SIGFPE: invoke");
    assert_string_equal(json_string_value(json_object_get(list, "severity")), "crash");
    assert_true(json_is_null(json_object_get(list, "exposure")));
    assert_true(json_is_null(json_object_get(list, "condition")));
    assert_int_equal(json_integer_value(json_object_get(list, "checks")), 2);
    assert_true(json_real_value(json_object_get(list, "share")) == 1);
    assert_int_equal(json_array_size(json_object_get(list, "ops")), 2);
    assert_string_equal(json_string_value(json_object_get(list, "smallest")), "op0.f32.a");
    list = json_object_get(root, "declined");
    assert_int_equal(json_array_size(list), 2);
    list = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(list, "reason")), "SIGFPE: invoke");
    assert_int_equal(json_integer_value(json_object_get(list, "checks")), 1);
    json_decref(root);
}

/* Fields, not only bytes: what the writer leaves out and the reader fills in. */
TEST(test_fields)
{
    struct record r CLOSED_BY(record_close);
    const struct record_result *x;
    char *json;

    decorate();
    json = report_kit_json();
    r = read_text(json);
    free(json);
    assert_true(r.run.seed == UINT64_MAX);
    assert_string_equal(r.run.interrupted, "SIGINT");
    assert_int_equal(r.note_count, 2);
    assert_string_equal(r.notes[1], "base.json: of another \033 device");
    assert_string_equal(r.subjects[0].spec, "reference");
    assert_int_equal(r.missing_count, 1);
    assert_string_equal(r.cases[r.missing[0].test_case].name, "relu.f32.c9");
    x = record_find(&r, 0, record_find_case(&r, "relu.f32.c1"));
    assert_true(isinf(x->got) && x->want < 0 && isinf(x->want) && x->limit == 0.333333333);
    assert_true(isinf(x->worst.ratio) && isnan(x->worst.got));
    assert_string_equal(x->what, "over the limit (1 of 60 wrong)");
    report_kit_expect("--filter=relu.f32.c1 --delegate=none", x->rerun);
    x = record_find(&r, 0, record_find_case(&r, "relu.f32.c2"));
    assert_null(x->where);
    assert_int_equal(x->frame, 0);
    x = record_find(&r, 0, record_find_case(&r, "relu.f32.c3"));
    assert_string_equal(x->by_element, "09AZaz");
    assert_int_equal(x->elements, 7);
    assert_null(x->reason);
    assert_null(x->rerun);
    assert_string_equal(r.cases[x->test_case].inputs, "f32 [1, 3]");
    x = record_find(&r, 1, record_find_case(&r, "relu.f32.c5"));
    assert_true(x->required && record_result_is_bad(x));
    assert_string_equal(x->reason, "required, but declined: not taken");
    assert_string_equal(x->what, "not taken");
    x = record_find(&r, 1, record_find_case(&r, "relu.f32.c7"));
    assert_string_equal(x->waiver, "known");
    assert_false(record_result_is_bad(x));
    assert_null(record_find(&r, 1, record_find_case(&r, "relu.f32.c9")));
    assert_true(record_find_case(&r, "relu.f32.c99") == SIZE_MAX);
    assert_true(record_find_case(&r, "") == SIZE_MAX);
}

TEST(test_skipped_models)
{
    static const struct digits_report digits = { .skipped = "no digits.h5 in /nowhere" };
    struct record r CLOSED_BY(record_close);
    char *text, *json;

    report_kit.report.digits = &digits;
    json = report_kit_json();
    r = read_text(json);
    text = report_kit_form(&r, form_text);
    report_kit_expect("\nmodels: skipped: no digits.h5 in /nowhere\n", text);
    assert_int_equal(r.model_count, 0);
    free(text);
    free(json);
}

/* Each case is found by its name, and each result by its pair. */
TEST(test_find)
{
    struct record r CLOSED_BY(record_close);

    r = from_run();
    assert_int_equal(r.case_count, report_kit.case_count);
    for (size_t i = 0; i < r.case_count; i++) {
        assert_int_equal(record_find_case(&r, r.cases[i].name), i);
        assert_int_equal(r.cases[i].index, i);
        for (size_t s = 0; s < 2; s++)
            assert_ptr_equal(record_find(&r, s, i), &r.results[s * r.case_count + i]);
    }
    assert_null(record_find(&r, 2, 0));
}

/* Lines come in the order of their first case, and each case is in one of them. */
TEST(test_lines)
{
    struct record r CLOSED_BY(record_close) = from_run();
    struct record_line *lines;
    struct arena arena CLOSED_BY(arena_close) = { 0 };
    size_t count, cases = 0;

    assert_int_equal(record_lines(&r, &arena, &lines, &count, NULL), STATUS_OK);
    assert_int_equal(count, 30); /* the gap title, and 29 of ops and types */
    assert_non_null(lines[0].title);
    assert_null(lines[0].op);
    for (size_t i = 0; i < count; i++) {
        cases += lines[i].case_count;
        assert_true(i == 0 || lines[i - 1].cases[0] < lines[i].cases[0]);
        for (size_t k = 0; k < lines[i].case_count; k++) {
            const struct record_case *const c = &r.cases[lines[i].cases[k]];

            assert_true(k == 0 || lines[i].cases[k - 1] < lines[i].cases[k]);
            if (lines[i].title)
                assert_string_equal(c->title, lines[i].title);
            else
                assert_true(!c->title && strcmp(c->op, lines[i].op) == 0 &&
                            strcmp(c->type, lines[i].type) == 0);
        }
    }
    assert_int_equal(cases, r.case_count);
}

TEST(test_index_refuses)
{
    struct record r = from_run();

    r.results[1] = r.results[0];
    assert_int_equal(record_index(&r, &err), STATUS_USAGE);
    report_kit_expect("two results of gap.f32.conv_2d_after_sub_c1 on subject 0", err.text);
    record_close(&r);
    r = from_run();
    r.cases[1].name = r.cases[0].name;
    assert_int_equal(record_index(&r, &err), STATUS_USAGE);
    report_kit_expect("two cases are named gap.f32.conv_2d_after_sub_c1", err.text);
    record_close(&r);
}

/* The exit code of the run follows from the record. */
TEST(test_failed)
{
    struct record_model model = { .status = CASE_PASS };
    struct record r CLOSED_BY(record_close) = from_run();

    assert_false(record_failed(&r));
    r.results[3].status = CASE_DECLINED;
    assert_false(record_failed(&r));
    r.results[3].required = true;
    assert_true(record_failed(&r));
    r.results[3] = (struct record_result){ .test_case = 3, .status = CASE_WAIVED };
    assert_false(record_failed(&r));
    r.results[3].status = CASE_UNEXPECTED_PASS;
    assert_true(record_failed(&r));
    r.results[3].status = CASE_PASS;
    r.models = &model;
    r.model_count = 1;
    assert_false(record_failed(&r));
    model.status = CASE_FAIL;
    assert_true(record_failed(&r));
    r.model_count = 0;
    r.broken_ends = 1;
    assert_true(record_failed(&r));
    r.broken_ends = 0;
    r.ledger_problems = 1;
    assert_true(record_failed(&r));
    r.ledger_problems = 0;
    r.run.interrupted = "SIGTERM";
    assert_true(record_failed(&r));
    r.run.interrupted = NULL;
    for (size_t i = 0; i < r.result_count; i++)
        r.results[i].status = CASE_DECLINED;
    assert_true(record_failed(&r)); /* nothing was shown */
    model.status = CASE_PASS;
    r.model_count = 1;
    assert_true(record_failed(&r)); /* of the cases */
    r.result_count = 0;
    assert_false(record_failed(&r));
    model.status = CASE_DECLINED;
    assert_true(record_failed(&r));
    r.model_count = 0;
    assert_true(record_failed(&r));
}

TEST(test_totals)
{
    struct record r CLOSED_BY(record_close) = from_run();
    struct record_totals t;

    r.results[5].margin = NAN; /* as a report that was read has what is not finite */
    r.results[6].margin = 100;
    r.results[7] =
        (struct record_result){ .test_case = 7, .status = CASE_CRASH, .margin = INFINITY };
    t = record_totals(&r);
    assert_int_equal(t.all, r.result_count);
    assert_int_equal(t.bad, 1);
    assert_int_equal(t.worst, 5);
    assert_true(isinf(t.margin));
}

TEST(test_select)
{
    const char *globs[] = { "relu.f32.*" };
    struct record_selection s = { .subject = SIZE_MAX };
    struct record r CLOSED_BY(record_close);
    char *text;

    decorate();
    r = from_run();
    assert_int_equal(record_read_statuses("fail,crash", &s.statuses, &err), STATUS_OK);
    assert_int_equal(s.statuses, 1u << CASE_FAIL | 1u << CASE_CRASH);
    assert_int_equal(record_select(&r, &s, &err), STATUS_OK);
    assert_int_equal(r.result_count, 4);
    assert_int_equal(r.case_count, 4);
    assert_int_equal(r.missing_count, 0);
    s.filters = (struct string_list){ globs, 1 };
    s.subject = 0;
    assert_int_equal(record_select(&r, &s, &err), STATUS_OK);
    assert_int_equal(r.result_count, 2);
    assert_string_equal(r.cases[r.results[1].test_case].name, "relu.f32.c2");
    text = report_kit_form(&r, form_text);
    assert_null(strstr(text, "\nsubject 1"));
    report_kit_expect("conformance: 2 checks: 0 passed, 2 failed, 0 declined", text);
    free(text);
    assert_int_equal(record_read_statuses("fail,broken", &s.statuses, &err), STATUS_USAGE);
    report_kit_expect("--status=broken: expected pass, fail", err.text);
}

TEST_FILE(.each_setup = report_kit_open, .each_teardown = report_kit_close);
