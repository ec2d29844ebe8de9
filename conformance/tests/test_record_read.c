/* Reports that are broken, foreign, hostile or old. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/record.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As version 0.1.0 wrote reports. */
static const char old_report[] =
    "{\n"
    " \"assay\": \"0.1.0\",\n"
    " \"subjects\": [{\"path\": \"/opt/libx.so\", \"sha256\": \"00ff\", \"options\": "
    "{\"precision\": "
    "\"fp16\"}, \"bounds\": \"fp16\", \"off_by_one\": null, \"totals\": {\"pass\": 1}}],\n"
    " \"device\": {\"name\": null, \"driver\": null, \"api\": null},\n"
    " \"totals\": {\"pass\": 1, \"fail\": 1, \"declined\": 0, \"crash\": 0, \"timeout\": 0, "
    "\"waived\": 0, \"unexpected_pass\": 0},\n"
    " \"gaps\": [],\n"
    " \"ops\": [{\"op\": \"add\", \"type\": \"f32\", \"versions\": [1], \"totals\": {}, \"worst\": "
    "[{\"subject\": 0, \"margin\": 3.0, \"case\": \"add.f32.b\", \"off_by_one\": null, \"note\": "
    "\"few sums\"}]}],\n"
    " \"cases\": [\n"
    "  {\"subject\": 0, \"case\": \"add.f32.a\", \"op\": \"add\", \"version\": 1, \"type\": "
    "\"f32\", "
    "\"status\": \"pass\", \"reason\": \"\", \"max_abs\": 0.5, \"max_ulp\": 1, \"margin\": 0.25, "
    "\"bias\": 0.0, \"ms\": 1.5, \"bytes\": 64, \"seed\": 7},\n"
    "  {\"subject\": 0, \"case\": \"add.f32.b\", \"op\": \"add\", \"version\": 1, \"type\": "
    "\"f32\", "
    "\"status\": \"fail\", \"reason\": \"too far; S0 frame A\", \"max_abs\": null, \"max_ulp\": 1, "
    "\"margin\": 3.0, \"bias\": 0.0, \"ms\": 1.5, \"bytes\": 64, \"seed\": 7}\n"
    " ]\n"
    "}\n";

static enum status read_bytes(const char *bytes, size_t count, struct record *r, struct diag *diag)
{
    *diag = (struct diag){ .status = STATUS_OK };
    return record_read(r, scratch_bytes("record", bytes, count), diag);
}

static char *replaced(const char *text, const char *from, const char *to)
{
    const char *const at = strstr(text, from);
    char *out;

    if (!at)
        fail_msg("\"%s\" is not in the report", from);
    out = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(out);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

TEST(test_old)
{
    const struct record_result *x;
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);

    KIT_OK(read_bytes(old_report, strlen(old_report), &r, &err));
    assert_string_equal(r.run.version, "0.1.0");
    assert_true(r.run.seed == 7);
    assert_null(r.run.git);
    assert_null(r.run.list_sha256);
    assert_null(r.subjects[0].spec);
    assert_string_equal(r.subjects[0].label, "libx.so precision=fp16");
    assert_true(r.cases[0].index == SIZE_MAX);
    x = record_find(&r, 0, record_find_case(&r, "add.f32.b"));
    assert_true(isnan(x->max_abs) && x->margin == 3 && x->bytes == 64);
    assert_null(x->what);
    assert_null(x->rerun);
    assert_string_equal(x->note, "few sums");
    assert_true(record_failed(&r));
    text = report_kit_form(&r, form_text);
    report_kit_expect("fail add.f32.b: too far; S0 frame A\n", text);
    report_kit_expect("    add - few sums\n", text);
}

/* Options of two reports are held against each other. */
#define FIVE(n) "\"" n "a\":\"\",\"" n "b\":\"\",\"" n "c\":\"\",\"" n "d\":\"\",\"" n "e\":\"\""
#define MANY_OPTIONS                                                                               \
    "{" FIVE("0") "," FIVE("1") "," FIVE("2") "," FIVE("3") "," FIVE("4") "," FIVE("5") "," FIVE(  \
        "6") "," FIVE("7") "," FIVE("8") "," FIVE("9") "," FIVE("a") "," FIVE("b") "," FIVE("c") "}"

static const struct {
    const char *from, *to; /* in old_report */
    const char *words;
} faults[] = {
    { "{\n \"assay\"", "[\n \"assay\"", "line 2: ']' expected near ':'" },
    { "\"0.1.0\"", "1", "assay: expected a string, found 1" },
    { "\"subjects\": [", "\"subject\": [", "expected a JSON report of assay conformance" },
    { "\"assay\"", "\"summary\"", "a summary, which has no single results; `assay report site`" },
    { "\"assay\"", "\"assays\"", "expected a JSON report of assay conformance, with assay," },
    { "\"cases\": [", "\"case\": [", "expected a JSON report of assay conformance, with assay," },
    { "\"subjects\": [{", "\"subjects\": [17, {", "subjects[0]: expected an object, found 17" },
    { "\"/opt/libx.so\"", "{}", "subjects[0].path: expected a string, found an object of 0 keys" },
    { "{\"precision\": \"fp16\"}", "[]",
      "subjects[0].options: expected an object, found an array" },
    { "{\"precision\": \"fp16\"}", MANY_OPTIONS,
      "subjects[0].options: expected at most 64 options, found an object of 65 keys" },
    { "\"precision\": \"fp16\"", "\"precision\": 16",
      "subjects[0].options.precision: expected a string, found 16" },
    { "\"bounds\": \"fp16\", ", "", "subjects[0].bounds: expected a value, found nothing" },
    { "\"device\"", "\"devices\"", "device: expected an object, found nothing" },
    { "\"gaps\": []", "\"gaps\": 1", "gaps: expected an array, found 1" },
    { "\"ops\"", "\"opts\"", "ops: expected an array, found nothing" },
    { "\"pass\": 1, \"fail\": 1,", "\"pass\": 2, \"fail\": 1,",
      "totals.pass: expected 1, which the cases add up to, found 2" },
    { "\"totals\": {\"pass\": 1, \"fail\"", "\"totals\": {\"fail\"",
      "totals.pass: expected 1, which the cases add up to, found nothing" },
    { "\"cases\": [\n", "\"cases\": [\n[],\n",
      "cases[0]: expected an object, found an array of 0" },
    { "{\"subject\": 0, \"case\": \"add.f32.a\"", "{\"subject\": 1, \"case\": \"add.f32.a\"",
      "cases[0].subject: expected a whole number from 0 to 0, found 1" },
    { "{\"subject\": 0, \"case\": \"add.f32.a\"", "{\"subject\": -1, \"case\": \"add.f32.a\"",
      "cases[0].subject: expected a whole number from 0 to 0, found -1" },
    { "{\"subject\": 0, \"case\": \"add.f32.a\"", "{\"subject\": 0.0, \"case\": \"add.f32.a\"",
      "cases[0].subject: expected a whole number from 0 to 0, found 0.0" },
    { "\"case\": \"add.f32.a\"", "\"case\": \"\"", "cases[0].case: expected the name of a case" },
    { "\"case\": \"add.f32.a\"", "\"case\": 5", "cases[0].case: expected the name of a case" },
    { "\"case\": \"add.f32.a\"", "\"case\": \"add.f32.b\"",
      "cases: two results of add.f32.b on subject 0" },
    { "\"case\": \"add.f32.a\"", "\"case\": \"add\\u0000\"", "\\u0000 is not allowed" },
    { "\"case\": \"add.f32.a\"", "\"case\": \"add\xff\"", "unable to decode byte 0xff" },
    { "\"op\": \"add\", \"version\": 1", "\"op\": null, \"version\": 1",
      "cases[0].op: expected a string" },
    { "\"version\": 1, \"type\": \"f32\"", "\"version\": 1, \"type\": null",
      "cases[0].type: expected a string, found nothing" },
    { "\"op\": \"add\", \"version\": 1", "\"op\": \"add\", \"version\": 99999999999",
      "cases[0].version: expected a whole number from 0 to 2147483647, found 99999999999" },
    { "\"status\": \"pass\"", "\"status\": \"missing\"",
      "cases[0].status: expected that of a check that was run, found \"missing\"" },
    { "\"status\": \"pass\"", "\"status\": \"passed\"",
      "cases[0].status: expected pass, fail, declined, crash, timeout, waived or unexpected_pass, "
      "found \"passed\"" },
    { "\"reason\": \"\"", "\"reason\": null", "cases[0].reason: expected a string, found null" },
    { "\"max_abs\": 0.5", "\"max_abs\": \"0.5\"",
      "cases[0].max_abs: expected a number or null, found \"0.5\"" },
    { "\"max_abs\": 0.5", "\"max_abs\": 1e999", "real number overflow" },
    { "\"max_abs\": 0.5", "\"max_abs\": NaN", "line 9: invalid token near 'NaN'" },
    { "\"bytes\": 64", "\"bytes\": 99999999999999999999", "too big integer" },
    { "\"bytes\": 64", "\"bytes\": -64", "cases[0].bytes: expected a whole number from 0" },
    { "\"bytes\": 64", "\"bytes\": 64, \"bytes\": 65", "duplicate object key" },
    { "\"seed\": 7}", "\"seed\": 8}", "cases[1].seed: expected the seed of the run, found 7" },
    { "\"seed\": 7}", "\"seed\": 7, \"checked\": [3]}",
      "cases[0].checked: expected an array of names, found 3" },
    { "\"seed\": 7}", "\"seed\": 7, \"infinite\": {\"max_abs\": 1}}",
      "cases[0].infinite: expected 1 or -1, of figures that are null, found 1" },
    { "\"seed\": 7}", "\"seed\": 7, \"set\": \"S0\"}",
      "cases[0].frame: expected a value, found nothing" },
    { "\"seed\": 7}", "\"seed\": 7, \"worst\": []}",
      "cases[0].worst: expected an object, found an array of 0" },
    { "\"seed\": 7}", "\"seed\": 7, \"worst\": {\"where\": 1}}",
      "cases[0].worst.where: expected a string, found 1" },
    { "\"seed\": 7}",
      "\"seed\": 7, \"profile\": {\"elements\": 9, \"by_element\": \"0~\", \"channels\": 1, "
      "\"by_channel\": null}}",
      "cases[0].profile.by_element: expected at most 32 levels" },
    { "\"seed\": 7}",
      "\"seed\": 7, \"profile\": {\"elements\": 1, \"by_element\": \"00\", \"channels\": 1, "
      "\"by_channel\": null}}",
      "cases[0].profile.by_element: expected at most 32 levels" },
    { "\"seed\": 7}", "\"seed\": 7, \"nodes\": 3, \"nodes_taken\": 4}",
      "cases[0].nodes_taken: expected a whole number from 0 to 3, found 4" },
    { "\"gaps\": []", "\"gaps\": [], \"missing\": [{\"subject\": 0}]",
      "missing[0].case: expected the name of a case, found nothing" },
    { "\"gaps\": []",
      "\"gaps\": [], \"missing\": [{\"subject\": 0, \"case\": \"add.f32.a\", \"op\": \"add\", "
      "\"version\": 1, \"type\": \"f32\"}]",
      "add.f32.a on subject 0 is missing twice, or missing and has a result" },
    { "\"gaps\": []",
      "\"gaps\": [], \"missing\": [{\"subject\": 0, \"case\": \"add.f32.a\", \"op\": \"sub\", "
      "\"version\": 1, \"type\": \"f32\"}]",
      "missing[0].case: expected the same op, version, type" },
    { "\"gaps\": []", "\"gaps\": [], \"models\": [{}]", "models[0].model: expected a value" },
    { "\"gaps\": []",
      "\"gaps\": [], \"models\": [{\"model\": null, \"subject\": null, \"status\": \"pass\", "
      "\"reason\": null, \"images\": 1, \"top1\": 1.0, \"nodes\": 1, \"taken\": 1, "
      "\"partitions\": 1, \"same\": null}]",
      "models[0].model: expected a string, found nothing" },
    { "\"gaps\": []", "\"gaps\": [], \"mutants\": {}", "mutants: expected an array" },
    { "\"gaps\": []", "\"gaps\": [], \"notes\": [1]", "notes: expected strings, found 1" },
    { "\"gaps\": []", "\"gaps\": [], \"notes\": \"x\"", "notes: expected an array" },
    { "\"gaps\": []", "\"gaps\": [], \"broken_ends\": {\"count\": 1}",
      "broken_ends.first: expected a string, found nothing" },
    { "\"gaps\": []", "\"gaps\": [], \"minimal\": [{\"subject\": 0, \"case\": \"add.f32.z\"}]",
      "minimal[0].case: expected one of the cases, found \"add.f32.z\"" },
    { "\"assay\": \"0.1.0\"", "\"assay\": \"0.1.0\", \"run\": 1", "run: expected an object" },
    { "\"assay\": \"0.1.0\"", "\"assay\": \"0.1.0\", \"run\": {\"version\": \"0.1.0\"}",
      "run.git: expected a value, found nothing" },
};

TEST(test_faults)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char *text CLOSED_BY(kit_free) = replaced(old_report, faults[i].from, faults[i].to);
        struct record r;

        if (read_bytes(text, strlen(text), &r, &err) != STATUS_USAGE)
            fail_msg("read, with %s", faults[i].to);
        report_kit_expect(faults[i].words, err.text);
        report_kit_expect(scratch("record"), err.text);
        assert_null(r.arena.blocks);
    }
}

/* Faults of keys that version 0.1.0 did not write. */
TEST(test_faults_of_runs, .setup = report_kit_open, .teardown = report_kit_close)
{
    static const struct {
        const char *from, *to, *words;
    } rows[] = {
        { "\"filters\": []", "\"filters\": [1]", "run.filters: expected strings, found 1" },
        { "\"shard\": null", "\"shard\": 3", "run.shard: expected an object or null, found 3" },
        { "\"shard\": null", "\"shard\": {\"index\": 4, \"count\": 4}",
          "run.shard.index: expected a whole number from 0 to 3, found 4" },
        { "\"shard\": null", "\"shard\": {\"index\": 0, \"count\": 1}",
          "run.shard.count: expected at least 2, found 1" },
        { "\"shard\": null", "\"shard\": {\"index\": null, \"count\": 4, \"merged\": [2, 2]}",
          "run.shard.merged: expected indices of shards, in order, found 2" },
        { "\"list\": {\"count\": 0", "\"list\": {\"count\": -1",
          "run.list.count: expected a whole number from 0" },
        { "\"version\": \"" ASSAY_VERSION "\"", "\"version\": \"9.9.9\"",
          "run.version: expected the value of \"assay\", found \"9.9.9\"" },
        { "\"index\": 1,", "\"index\": 0,", "gap, nodes and index as in its other results" },
    };
    char *json CLOSED_BY(kit_free) = report_kit_json();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text CLOSED_BY(kit_free) = replaced(json, rows[i].from, rows[i].to);
        struct record r;

        if (read_bytes(text, strlen(text), &r, &err) != STATUS_USAGE)
            fail_msg("read, with %s", rows[i].to);
        report_kit_expect(rows[i].words, err.text);
    }
}

/* Each place of the list has one case. */
TEST(test_same_index)
{
    char *one CLOSED_BY(kit_free) =
        replaced(old_report, "add.f32.a\"", "add.f32.a\", \"index\": 4");
    char *two CLOSED_BY(kit_free) = replaced(one, "\"case\": \"add.f32.b\", \"op\"",
                                             "\"case\": \"add.f32.b\", \"index\": 4, \"op\"");
    struct record r;

    assert_int_equal(read_bytes(two, strlen(two), &r, &err), STATUS_USAGE);
    report_kit_expect("cases: add.f32.a and add.f32.b both have the index 4", err.text);
}

/* A report that ends early is never read as a shorter one. */
TEST(test_cut)
{
    for (size_t bytes = 0; bytes + 2 < sizeof old_report; bytes += 7) {
        struct record r;

        assert_int_equal(read_bytes(old_report, bytes, &r, &err), STATUS_USAGE);
    }
}

/* Bytes that change somewhere: refused, or read and written as what was read. */
TEST(test_changed_bytes)
{
    static char text[sizeof old_report];
    uint32_t random = 1;

    for (int i = 0; i < 500; i++) {
        struct record r;
        struct diag diag;

        memcpy(text, old_report, sizeof text);
        for (int k = 0; k <= i % 3; k++) {
            random = random * 1664525u + 1013904223u;
            text[(random >> 8) % (sizeof text - 1)] = (char)(random >> 24);
        }
        if (read_bytes(text, sizeof text - 1, &r, &diag) == STATUS_OK) {
            free(report_kit_form(&r, form_json));
            free(report_kit_form(&r, form_text));
            record_close(&r);
        } else {
            assert_true(diag.text[0] != '\0');
        }
    }
}

TEST(test_deep)
{
    enum { DEPTH = 1000000 };
    char *text CLOSED_BY(kit_free) = malloc(DEPTH);
    struct record r;

    assert_non_null(text);
    memset(text, '[', DEPTH);
    assert_int_equal(read_bytes(text, DEPTH, &r, &err), STATUS_USAGE);
    report_kit_expect("maximum parsing depth", err.text);
}

/* JSON of another root. */
TEST(test_no_object)
{
    static const char *const texts[] = { "[]", "[\"assay\", \"subjects\", \"cases\"]", "{}" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct record r;

        assert_int_equal(read_bytes(texts[i], strlen(texts[i]), &r, &err), STATUS_USAGE);
        report_kit_expect("expected a JSON report of assay conformance, with assay,", err.text);
    }
}

TEST(test_no_file)
{
    struct record r;

    assert_int_equal(record_read(&r, "/nowhere/at/all", &err), STATUS_IO);
    assert_int_equal(record_read(&r, "/tmp", &err), STATUS_IO);
}

/* No memory at any point: a failure, and nothing leaks (the sanitizers say). */
TEST(test_no_memory)
{
    enum status s = STATUS_NO_MEMORY;
    int failures = 0;

    for (long after = 0; s != STATUS_OK; after++) {
        struct record r;

        mem_fail_after(after);
        s = read_bytes(old_report, strlen(old_report), &r, &err);
        mem_fail_after(-1);
        if (s == STATUS_OK)
            record_close(&r);
        else
            failures++;
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
    }
    assert_true(failures >= 2);
}
