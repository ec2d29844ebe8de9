/* Merging: three shards of a run are the run; what is not of one run is refused. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: assay */
#include "conformance/report/record/from_run.h"
#include "conformance/report/record/record.h"
#include "conformance/tests/kit/report_kit.h"
#include "reference/tests/kit/compared.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- shards that the program ran ---- */

/* Runs assay in the directory; returns its exit code.  What it says on stderr is in "log". */
static int assay(const char *arguments)
{
    return scratch_run("%s %s >out 2>log </dev/null", build_path(".", "assay"), arguments);
}

static char *contents(const char *name)
{
    return text_of_file(scratch("%s", name));
}

static void expect_log(const char *words)
{
    char *log CLOSED_BY(kit_free) = contents("log");

    report_kit_expect(words, log);
}

/* Removes what two runs of the same may differ in: times, and bytes of arenas that cases share. */
static void remove_times(json_t *value)
{
    static const char *const keys[] = { "ms", "bytes", "started", "command", "seconds" };
    const char *key;
    json_t *part;
    size_t i;

    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_del(value, keys[i]);
    json_object_foreach(value, key, part) remove_times(part);
    json_array_foreach(value, i, part) remove_times(part);
}

/* A report without times, with sorted keys. */
static char *canonical(const char *name)
{
    char *text CLOSED_BY(kit_free) = contents(name);
    json_t *const root = json_loads(text, 0, NULL);
    char *out;

    assert_non_null(root);
    remove_times(root);
    out = json_dumps(root, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(root);
    return out;
}

/* Removes the line of a run that took more than two seconds. */
static void remove_duration(char *text)
{
    char *const line = strstr(text, "the run took ");
    char *const next = line ? strchr(line, '\n') : NULL;

    if (next)
        memmove(line, next + 1, strlen(next + 1) + 1);
}

#define CASES    "conformance --filter='add.*' --filter='softmax.f32.*' --limit=40 --jobs=2"
#define SUBJECTS " --subject=reference --subject='delegate:%s?fault=%s' --format=json"

static int run_shard(const char *fault, const char *more)
{
    char arguments[900];

    snprintf(arguments, sizeof arguments, CASES SUBJECTS " %s", mock_path("delegate.so"), fault,
             more);
    return assay(arguments);
}

/* Runs the whole and its shards, which all end with this exit code, and merges these. */
static void merge_shards(const char *fault, int code)
{
    char *whole, *merged, *text, *shown;

    assert_int_equal(run_shard(fault, "--out=whole.json"), code);
    text = contents("out");
    assert_int_equal(run_shard(fault, "--shard=0/3 --out=0.json"), code);
    assert_int_equal(run_shard(fault, "--shard=1/3 --out=1.json"), code);
    assert_int_equal(run_shard(fault, "--shard=2/3 --out=2.json"), code);
    /* Whatever the order, and with one of them twice. */
    assert_int_equal(assay("report merge 2.json 0.json 1.json 0.json --out=merged.json"), code);
    whole = canonical("whole.json");
    merged = canonical("merged.json");
    assert_string_equal(whole, merged);
    assert_int_equal(assay("report show merged.json"), code);
    shown = contents("out");
    remove_duration(text);
    remove_duration(shown);
    assert_string_equal(text, shown);
    free(shown);
    free(text);
    free(whole);
    free(merged);
}

TEST(test_failing_shards, .teardown = scratch_remove)
{
    merge_shards("swap", 1);
}

TEST(test_shards, .teardown = scratch_remove)
{
    char *whole, *merged, *text;

    merge_shards("decline", 0);
    /* Two of three fail, and are merged when that is asked for; the third completes them. */
    assert_int_equal(assay("report merge 0.json 2.json --out=part.json"), 1);
    expect_log("assay: report merge: shard 1 of 3 is missing; --partial merges the others\n");
    assert_int_equal(assay("report merge 0.json 2.json --partial --out=part.json"), 0);
    assert_int_equal(assay("report show part.json"), 1);
    text = contents("out");
    report_kit_expect("shards 0, 2 of 3\n", text);
    report_kit_expect("\ninterrupted: shard 1 of 3 is missing\n", text);
    free(text);
    assert_int_equal(assay("report merge part.json 1.json --out=merged.json"), 0);
    whole = canonical("whole.json");
    merged = canonical("merged.json");
    assert_string_equal(whole, merged);
    free(whole);
    free(merged);
}

/* Exit codes of `report show`, and outputs that cannot be written. */
TEST(test_show, .teardown = scratch_remove)
{
    char arguments[900];

    snprintf(arguments, sizeof arguments,
             "conformance --filter='relu.f32.c[0-9]*' --limit=4 --subject='delegate:%s?fault=swap' "
             "--format=json --out=bad.json",
             mock_path("delegate.so"));
    assert_int_equal(assay(arguments), 1);
    assert_int_equal(assay("report show bad.json"), 1);
    assert_int_equal(assay("report show bad.json --status=declined"), 1);
    assert_int_equal(assay("report show bad.json --out=."), 2);
    expect_log("assay: cannot write: ");
    assert_int_equal(assay("report show bad.json --out=/dev/full"), 2);
    expect_log("/dev/full: No space left on device");
    assert_int_equal(assay("report show bad.json --out=/nowhere/at/all"), 2);
    assert_int_equal(assay("report show bad.json >/dev/full"), 1);
    assert_int_equal(assay("report show bad.json --status=good"), 2);
    expect_log("assay: report show: --status=good: expected pass, fail");
    assert_int_equal(assay("report show bad.json --subject=7"), 2);
    expect_log("assay: report show: --subject=7: the report has 1 subjects, from 0");
    assert_int_equal(assay("report show log"), 2);
    expect_log("assay: report show: log: line 1: ");
    assert_int_equal(assay("report show nothing.json"), 2);
    assert_int_equal(assay("report show"), 2);
    assert_int_equal(assay("report"), 2);
    expect_log("expected ");
}

/* ---- records that differ ---- */

/* Two shards of the kit's report: its cases of even and of odd index. */
static void make_shards(struct merge_input inputs[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        struct record *const r = &inputs[i].record;

        inputs[i].path = i ? "b.json" : "a.json";
        report_kit.report.shards = 2;
        report_kit.report.shard = i;
        report_kit.report.run.list_sha256 = "00ff";
        report_kit.report.run.list_count = report_kit.case_count;
        report_kit.report.run.git = "1234567";
        KIT_OK(record_from_run(r, &report_kit.report, &err));
    }
}

static void close_shards(struct merge_input inputs[2])
{
    record_close(&inputs[0].record);
    record_close(&inputs[1].record);
}

typedef void change_fn(struct record *r);

#define CHANGE(name_, ...)                                                                         \
    static void name_(struct record *r)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct record

CHANGE(change_version, r->run.version = "0.0.9");
CHANGE(change_git, r->run.git = "1234567-dirty");
CHANGE(change_seed, r->run.seed = 8);
CHANGE(change_list, r->run.list_sha256 = "00fe");
CHANGE(change_shards, r->run.shards = 4);
CHANGE(change_options, r->subjects[1].option_count = 1);
CHANGE(change_file, r->subjects[1].sha256 = "77");
CHANGE(change_bounds, r->subjects[1].bounds = "fp16");
CHANGE(change_count, r->subject_count = 1);
CHANGE(change_device, r->device.name = "another");
CHANGE(change_driver, r->device.driver = "driver 2");
CHANGE(change_case, r->cases[3].name = "relu.f32.another");
CHANGE(change_index, r->cases[r->case_count - 1].index = 1 << 30);
CHANGE(change_age, r->run.list_sha256 = NULL);
CHANGE(change_lack, r->subjects[1].not_run = "no device");
CHANGE(change_result, r->results[4].margin = 0.125);

TEST(test_refused, .setup = report_kit_open, .teardown = report_kit_close)
{
    static const struct {
        change_fn *change;
        enum status status;
        const char *words;
    } rows[] = {
        { change_version, STATUS_USAGE, "the version of Assay: " ASSAY_VERSION " and 0.0.9" },
        { change_git, STATUS_USAGE, "the commit: 1234567 and 1234567-dirty" },
        { change_seed, STATUS_USAGE, "the seed: 7 and 8" },
        { change_list, STATUS_USAGE, "lists of cases: 00ff and 00fe" },
        { change_shards, STATUS_USAGE, "the number of shards: 2 and 4" },
        { change_options, STATUS_USAGE, "subject 1: delegate.so fault=none" },
        { change_file, STATUS_USAGE, "the SHA-256 of subject 1: " },
        { change_bounds, STATUS_USAGE, "the bounds of subject 1: fp32,float_view and fp16" },
        { change_lack, STATUS_USAGE, "why subject 1 was not run: not known and no device" },
        { change_count, STATUS_USAGE, "the number of subjects: 2 and 1" },
        { change_device, STATUS_USAGE, "the device: Device" },
        { change_driver, STATUS_USAGE, "the driver of the device: driver 1 and driver 2" },
        { change_case, STATUS_USAGE, "a.json and b.json have different cases at index 3" },
        { change_index, STATUS_USAGE, "b.json: " },
        { change_age, STATUS_USAGE, "b.json: does not say which list of cases it is of" },
        { change_result, STATUS_MISMATCH,
          "a.json and b.json have different results of gap.f32.conv_2d_after_sub_c7 on subject 0: "
          "pass with margin 0.25, and pass with margin 0.125" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct merge_input inputs[2];
        struct record merged;

        make_shards(inputs);
        rows[i].change(&inputs[1].record);
        if (record_merge(&merged, inputs, 2, &err) != rows[i].status)
            fail_msg("row %zu: merged, or failed in another way: %s", i, err.text);
        report_kit_expect(rows[i].words, err.text);
        close_shards(inputs);
    }
}

/* What a shard that was cut misses may be in another report of it. */
TEST(test_missing, .setup = report_kit_open, .teardown = report_kit_close)
{
    struct merge_input inputs[2];
    struct record_missing missing = { 0, 4 };
    struct record merged;

    make_shards(inputs);
    for (int i = 0; i < 2; i++) {
        struct record *const r = &inputs[i].record;

        memmove(&r->results[4], &r->results[5], (r->result_count - 5) * sizeof *r->results);
        r->result_count--;
        r->missing = &missing;
        r->missing_count = 1;
        r->run.interrupted = "SIGTERM";
    }
    assert_int_equal(record_merge(&merged, inputs, 2, &err), STATUS_OK);
    assert_int_equal(merged.missing_count, 1);
    assert_string_equal(merged.run.interrupted, "SIGTERM");
    assert_true(record_failed(&merged));
    record_close(&merged);
    close_shards(inputs);
    make_shards(inputs);
    inputs[0].record.missing = &missing;
    inputs[0].record.missing_count = 1;
    inputs[0].record.run.interrupted = "SIGTERM";
    memmove(&inputs[0].record.results[4], &inputs[0].record.results[5],
            (inputs[0].record.result_count - 5) * sizeof(struct record_result));
    inputs[0].record.result_count--;
    assert_int_equal(record_merge(&merged, inputs, 2, &err), STATUS_OK);
    assert_int_equal(merged.missing_count, 0);
    assert_null(merged.run.interrupted);
    record_close(&merged);
    close_shards(inputs);
}

/* Each note is there once, and found without a look at all others. */
TEST(test_many_notes, .setup = report_kit_open, .teardown = report_kit_close)
{
    enum { NOTES = 20000 };
    static char texts[NOTES][12];
    static const char *notes[NOTES];
    struct merge_input inputs[2];
    struct record merged;

    make_shards(inputs);
    for (int i = 0; i < NOTES; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i);
        notes[i] = texts[i];
    }
    inputs[0].record.notes = inputs[1].record.notes = notes;
    inputs[0].record.note_count = NOTES - 5;
    inputs[1].record.note_count = NOTES;
    compared = 0;
    assert_int_equal(record_merge(&merged, inputs, 2, &err), STATUS_OK);
    assert_true(compared < 100l * NOTES);
    assert_int_equal(merged.note_count, NOTES);
    for (int i = 0; i < NOTES; i++)
        assert_string_equal(merged.notes[i], texts[i]);
    record_close(&merged);
    close_shards(inputs);
}
