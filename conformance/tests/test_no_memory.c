/* Reports where each allocation fails once: made of a run, written in each form, read, merged,
 * compared, accepted, stated.  A failure is said, nothing is left, and what is whole is right. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/accept.h"
#include "conformance/report/record/compare.h"
#include "conformance/report/record/from_run.h"
#include "conformance/report/record/ledger.h"
#include "conformance/report/record/record.h"
#include "conformance/tests/kit/record_kit.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 8 };

/* What a writer wrote: the first time all of it, which every later whole text equals. */
struct written {
    const char *name;
    char *expected;
};

/* Takes over the text; s is what its writer returned. */
static enum status keep_text(struct written *w, char *text, enum status s)
{
    /* A comparison that has no room for one of its sentences says that in its place. */
    if (s == STATUS_OK && w->expected && strcmp(text, w->expected) != 0 &&
        !strstr(text, "out of memory")) {
        size_t at = 0;

        while (text[at] == w->expected[at])
            at++;
        fail_msg("%s: STATUS_OK, but \"%.60s\" in place of \"%.60s\"", w->name, text + at,
                 w->expected + at);
    }
    if (s == STATUS_OK && !w->expected)
        w->expected = text;
    else
        free(text);
    return s;
}

/* A record with all that a report may have. */
static void open_full(struct record *r)
{
    record_kit_open(r, CASES);
    record_kit_fill(r);
    r->cases[4].nodes = 3; /* a random graph */
    r->minimal_left_out = 2;
    r->ledger_problems = 1;
    r->broken_end = "killed by signal 6";
    r->broken_ends = 1;
    r->models_skipped = "there are no images";
}

/* ---- forms of a report ---- */

struct form_scene {
    const struct record *record;
    form_write_fn *write;
    struct written written;
};

static enum status write_form(void *user, struct diag *diag)
{
    struct form_scene *const x = user;
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);
    enum status s;

    s = x->write(x->record, f, diag);
    assert_int_equal(fclose(f), 0);
    return keep_text(&x->written, text, s);
}

TEST(test_forms)
{
    struct record r CLOSED_BY(record_close);

    open_full(&r);
    for (size_t i = 0; i < form_count; i++) {
        struct form_scene x = { &r, forms[i].write, { forms[i].name, NULL } };
        const struct memory_scene scene = { forms[i].name, write_form, &x, false };
        const bool json = strcmp(forms[i].name, "json") == 0;

        assert_int_equal(write_form(&x, &err), STATUS_OK);
        memory_faults_try(&scene, MEMORY_BLOCKS);
        memory_faults_try(&scene, MEMORY_ARENAS);
        if (json)
            assert_true(memory_faults_try(&scene, MEMORY_JSON) > 1000 / KIT_EACH(4));
        free(x.written.expected);
    }
}

/* ---- reading, merging ---- */

static enum status read_record(void *user, struct diag *diag)
{
    struct record r CLOSED_BY(record_close);
    const enum status s = record_read(&r, user, diag);

    if (s == STATUS_OK) {
        assert_int_equal(r.case_count, CASES);
        assert_int_equal(r.result_count, 2 * CASES);
        assert_int_equal(r.note_count, 1);
        assert_string_equal(r.notes[0], "a waiver expires soon");
        assert_string_equal(r.subjects[1].label, "libx.so precision=fp16");
    }
    return s;
}

TEST(test_read)
{
    static const char *const notes[] = { "a waiver expires soon" };
    char path[256];
    const struct memory_scene scene = { "read", read_record, path, false };
    struct record r;

    snprintf(path, sizeof path, "%s", scratch("record.json"));
    sample_record_open(&r, CASES);
    r.notes = notes;
    r.note_count = 1;
    sample_record_write(&r, path);
    record_close(&r);
    memory_faults_all(&scene, false);
}

static enum status merge_two(void *user, struct diag *diag)
{
    struct record out CLOSED_BY(record_close);
    const enum status s = record_merge(&out, user, 2, diag);

    if (s == STATUS_OK) {
        assert_int_equal(out.case_count, CASES);
        assert_int_equal(out.result_count, 2 * CASES);
        assert_string_equal(out.run.interrupted, "shard 2 of 3 is missing");
        assert_int_equal(out.run.merged_count, 2);
    }
    return s;
}

/* Takes every third case of a record: a shard of three. */
static void cut_shard(struct record *r, uint32_t shard)
{
    size_t cases = 0, results = 0;

    r->run.shard = shard;
    r->run.shards = 3;
    for (size_t i = 0; i < r->case_count; i++)
        if (i % 2 == shard)
            r->cases[cases++] = r->cases[i];
    for (size_t i = 0; i < r->result_count; i++)
        if (r->results[i].test_case % 2 == shard) {
            r->results[results] = r->results[i];
            r->results[results++].test_case /= 2;
        }
    r->case_count = cases;
    r->result_count = results;
    r->by_name = NULL;
    assert_int_equal(record_index(r, NULL), STATUS_OK);
}

TEST(test_merge)
{
    struct merge_input inputs[2] = { { .path = "a.json" }, { .path = "b.json" } };
    const struct memory_scene scene = { "merge", merge_two, inputs, false };

    for (uint32_t i = 0; i < 2; i++) {
        sample_record_open(&inputs[i].record, CASES);
        cut_shard(&inputs[i].record, i);
    }
    inputs[1].record.run.interrupted = "SIGINT";
    inputs[1].record.run.host = "another host";
    memory_faults_all(&scene, false);
    record_close(&inputs[0].record);
    record_close(&inputs[1].record);
}

/* ---- comparing, accepting ---- */

struct both {
    struct record was, is;
    compare_write_fn *write;
    struct written written;
};

static void open_both(struct both *b)
{
    static const struct record_model model = {
        .name = "digits_f32", .subject = 1, .compared = true, .top1 = 0.9
    };

    sample_record_open(&b->was, CASES);
    sample_record_open(&b->is, CASES);
    for (int i = 0; i < 2; i++) {
        struct record *const r = i ? &b->is : &b->was;

        assert_non_null(r->models = ARENA_NEW(&r->arena, 1, struct record_model));
        *r->models = model;
        r->model_count = 1;
    }
    b->is.models->status = CASE_FAIL;
    sample_record_result(&b->is, 0, 1)->status = CASE_FAIL;
    sample_record_result(&b->is, 0, 2)->margin = 0.75;
    sample_record_result(&b->is, 1, 3)->bytes = 1 << 20;
    sample_record_result(&b->is, 1, 4)->status = CASE_DECLINED;
    b->was.cases[5].name = "relu.f32.gone";
    b->is.cases[5].name = "relu.f32.new";
    b->was.by_name = b->is.by_name = NULL;
    assert_int_equal(record_index(&b->was, NULL), STATUS_OK);
    assert_int_equal(record_index(&b->is, NULL), STATUS_OK);
}

static void close_both(struct both *b)
{
    record_close(&b->was);
    record_close(&b->is);
}

static enum status write_comparison(void *user, struct diag *diag)
{
    const struct compare_limits limits = compare_limits_default();
    struct both *const b = user;
    struct record_comparison c CLOSED_BY(compare_close) = { .was = NULL };
    enum status s = compare_records(&c, &b->was, &b->is, &limits, NULL, 0, diag);
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    if (s == STATUS_OK)
        s = b->write(&c, f, diag);
    assert_int_equal(fclose(f), 0);
    return keep_text(&b->written, text, s);
}

TEST(test_compare)
{
    static compare_write_fn *const writers[] = { compare_text, compare_json, html_comparison };
    static const char *const names[] = { "compare, text", "compare, JSON", "compare, HTML" };

    for (int i = 0; i < 3; i++) {
        struct both b CLOSED_BY(close_both) = { .write = writers[i],
                                                .written = { names[i], NULL } };
        const struct memory_scene scene = { names[i], write_comparison, &b, false };

        open_both(&b);
        assert_int_equal(write_comparison(&b, &err), STATUS_OK);
        memory_faults_all(&scene, i == 1);
        report_kit_expect("relu.f32.c001", b.written.expected);
        free(b.written.expected);
    }
}

static enum status accept_both(void *user, struct diag *diag)
{
    const struct accept_options options = { .allow_worse = true };
    struct both *const b = user;
    struct acceptance a;
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);
    enum status s = accept_open(&a, &b->was, &b->is, &options, diag);

    if (s == STATUS_OK) {
        s = accept_json(&a, f, diag);
        accept_close(&a);
    }
    assert_int_equal(fclose(f), 0);
    return keep_text(&b->written, text, s);
}

TEST(test_accept)
{
    struct both b CLOSED_BY(close_both) = { .written = { "accept", NULL } };
    const struct memory_scene scene = { "accept", accept_both, &b, false };

    open_both(&b);
    assert_int_equal(accept_both(&b, &err), STATUS_OK);
    memory_faults_all(&scene, true);
    report_kit_expect("relu.f32.gone", b.written.expected);
    free(b.written.expected);
}

/* ---- a run as a record ---- */

static enum status from_run(void *user, struct diag *diag)
{
    struct record r CLOSED_BY(record_close);
    const enum status s = record_from_run(&r, user, diag);

    if (s == STATUS_OK) {
        assert_int_equal(r.result_count, 8);
        assert_string_equal(r.results[1].reason,
                            "over the limit (1 of 60 wrong); S2 frame B output 0 at "
                            "n 0 h 1 w 2 c 3: got 1.5, expected 1, error 0.5, limit 0.125");
        assert_string_equal(r.run.filters[0], "relu.*");
    }
    return s;
}

TEST(test_from_run, .setup = report_kit_open, .teardown = report_kit_close)
{
    static const char *const filters[] = { "relu.*" };
    struct report r = report_kit.report;
    const struct memory_scene scene = { "a run", from_run, &r, false };

    r.case_count = 4;
    r.outcome.count = 8;
    r.run.filters = filters;
    r.run.filter_count = 1;
    report_kit_fail(&r.outcome.results[1]);
    memory_faults_all(&scene, false);
}

/* The ledger, and the table that it reads. */
static enum status read_ledger(void *user, struct diag *diag)
{
    struct ledger l CLOSED_BY(ledger_close);
    const enum status s = ledger_open(&l, user, diag);

    if (s == STATUS_OK) {
        assert_true(l.count > 100);
        assert_string_equal(l.rows[0].op, tsv_cell(&l.table, 0, 0));
    }
    return s;
}

TEST(test_ledger)
{
    char path[] = "conformance/versions.tsv"; /* tests run in the source */
    const struct memory_scene scene = { "a ledger", read_ledger, path, false };

    memory_faults_all(&scene, false);
}

TEST_FILE(.leaves = "record.json");
