/* A run that goes on from the report of an interrupted one finds what a whole run finds. */
/* Needs: assay */
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 17, KEPT = 6 };

/* Runs the suite on a delegate that fails; returns the exit code. */
static int conformance(const char *arguments)
{
    char program[512];

    snprintf(program, sizeof program, "%s", build_path(".", "assay"));
    return scratch_run("%s conformance --filter='relu.f32.c[0-9]*' --delegate=%s "
                       "--delegate-option=fault=nan --format=json %s >text 2>log </dev/null",
                       program, mock_path("delegate.so"), arguments);
}

static json_t *load(const char *name)
{
    json_error_t error;
    json_t *const o = json_load_file(scratch("%s", name), 0, &error);

    if (!o)
        fail_msg("%s: %s", name, error.text);
    return o;
}

static void save(const json_t *o, const char *name)
{
    assert_int_equal(json_dump_file(o, scratch("%s", name), JSON_INDENT(1)), 0);
}

static void expect_message(const char *text)
{
    char *log CLOSED_BY(kit_free) = text_of_file(scratch("log"));

    if (!strstr(log, text))
        fail_msg("expected \"%s\", found \"%s\"", text, log);
}

/* All cases are of one op, one type and one subject: each of their totals is that of the rest. */
static void set_totals(json_t *v)
{
    const char *key;
    size_t i;
    json_t *member;

    json_array_foreach(v, i, member) set_totals(member);
    json_object_foreach(v, key, member)
    {
        if (strcmp(key, "totals") == 0)
            json_object_set_new(member, "fail", json_integer(KEPT));
        set_totals(member);
    }
}

/* Cuts a whole report behind its first results, as an interruption does. */
static json_t *cut(const json_t *whole)
{
    json_t *const o = json_deep_copy(whole), *const cases = json_object_get(o, "cases");
    json_t *const missing = json_array();

    while (json_array_size(cases) > KEPT) {
        static const char *const keys[] = { "subject", "case", "index", "op", "version", "type" };
        const json_t *const last = json_array_get(cases, json_array_size(cases) - 1);
        json_t *const m = json_object();

        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            json_object_set(m, keys[i], json_object_get(last, keys[i]));
        json_array_insert_new(missing, 0, m);
        json_array_remove(cases, json_array_size(cases) - 1);
    }
    json_object_set_new(o, "missing", missing);
    set_totals(o);
    json_object_set_new(json_object_get(o, "run"), "interrupted", json_string("SIGINT"));
    return o;
}

static void without_times(json_t *report)
{
    size_t i;
    json_t *c;

    json_object_del(report, "run");
    json_array_foreach(json_object_get(report, "cases"), i, c) json_object_del(c, "ms");
}

TEST(goes_on_from_a_report)
{
    json_t *whole, *part, *again;

    assert_int_equal(conformance("--out=whole.json"), 1);
    whole = load("whole.json");
    assert_int_equal(json_array_size(json_object_get(whole, "cases")), CASES);
    part = cut(whole);
    /* A result that is taken over is not run again: its time shows it. */
    json_object_set_new(json_array_get(json_object_get(part, "cases"), 2), "ms", json_real(12345));
    save(part, "cut.json");
    assert_int_equal(conformance("--out=again.json --resume=cut.json"), 1);
    again = load("again.json");
    assert_true(json_real_value(json_object_get(json_array_get(json_object_get(again, "cases"), 2),
                                                "ms")) == 12345);
    assert_true(json_number_value(json_object_get(json_object_get(again, "run"), "seconds")) >
                json_number_value(json_object_get(json_object_get(whole, "run"), "seconds")));
    without_times(whole);
    without_times(again);
    assert_true(json_equal(whole, again));
    json_decref(whole);
    json_decref(part);
    json_decref(again);
}

TEST(refuses_other_reports)
{
    json_t *const whole = load("whole.json");
    json_t *const part = cut(whole), *const run = json_object_get(part, "run");

    assert_int_equal(conformance("--resume=whole.json"), 2);
    expect_message("the run was complete");
    assert_int_equal(conformance("--resume=cut.json --seed=9"), 2);
    expect_message("cut.json is of another run: its seed is \"1\", here it is \"9\"");
    assert_int_equal(conformance("--resume=cut.json --filter='add.f32.*'"), 2);
    expect_message("cut.json is of another run: its list of cases is");
    assert_int_equal(conformance("--resume=cut.json --shard=0/2"), 2);
    expect_message("its number of shards is \"1\", here it is \"2\"");
    assert_int_equal(conformance("--resume=cut.json --bounds=fp16"), 2);
    expect_message("its bounds of subject 0 is \"fp32");
    assert_int_equal(conformance("--resume=cut.json --delegate-option=ulps=2"), 2);
    expect_message("its subject 0 is");
    json_object_set_new(run, "version", json_string("0.0.9"));
    json_object_set_new(part, "assay", json_string("0.0.9"));
    save(part, "old.json");
    assert_int_equal(conformance("--resume=old.json"), 2);
    expect_message("its version is \"0.0.9\", here it is");
    assert_int_equal(conformance("--resume=none.json"), 2);
    expect_message("none.json");
    json_decref(part);
    json_decref(whole);
}

TEST_FILE(.leaves = "@(log|text|again.json|cut.json|old.json|whole.json)");
