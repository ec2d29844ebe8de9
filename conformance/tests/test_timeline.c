/* The file of `assay bench --trace`: its structure is what Perfetto reads, and it is whole or not
 * there. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: libassay_delegate.so */
#include "conformance/tools/bench/bench.h"
#include "conformance/tools/bench/timeline.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *file;

FIXTURE(name_file)
{
    file = scratch("trace.json");
    kit_find_device("the trace of our delegate");
    return 0;
}

/* ---- what holds for every trace ---- */

static double number(const json_t *event, const char *key)
{
    const json_t *const value = json_object_get(event, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char *text(const json_t *event, const char *key)
{
    const char *const value = json_string_value(json_object_get(event, key));

    assert_non_null(value);
    return value;
}

static bool is_named(const json_t *events, const char *what, int pid, int tid)
{
    size_t i;
    json_t *e;

    json_array_foreach(events, i, e)
    {
        if (strcmp(text(e, "ph"), "M") == 0 && strcmp(text(e, "name"), what) == 0 &&
            (int)number(e, "pid") == pid && (tid < 0 || (int)number(e, "tid") == tid)) {
            assert_true(text(json_object_get(e, "args"), "name")[0]);
            return true;
        }
    }
    return false;
}

enum { TRACKS = 8, DEPTH = 8 };

/* Perfetto drops a slice that begins within another one of its track and ends after it. */
static void check_nesting(const json_t *event, double ends[DEPTH], int *depth)
{
    const double ts = number(event, "ts"), end = ts + number(event, "dur");
    const double rounding = 2e-3; /* us: each number is rounded to 1e-3 */

    while (*depth > 0 && ends[*depth - 1] <= ts + rounding)
        --*depth;
    assert_true(*depth == 0 || end <= ends[*depth - 1] + rounding);
    assert_true(*depth < DEPTH);
    ends[(*depth)++] = end;
}

static json_t *load(void)
{
    double last = -HUGE_VAL, ends[TRACKS][DEPTH];
    int depth[TRACKS] = { 0 };
    json_error_t error;
    json_t *const root = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    const json_t *events;
    size_t i;
    json_t *e;

    if (!root)
        fail_msg("%s: line %d: %s", file, error.line, error.text);
    assert_string_equal(text(root, "displayTimeUnit"), "ms");
    assert_true(json_is_object(json_object_get(root, "otherData")));
    events = json_object_get(root, "traceEvents");
    assert_true(json_is_array(events) && json_array_size(events) > 0);
    json_array_foreach(events, i, e)
    {
        const char *const ph = text(e, "ph");
        const int pid = (int)number(e, "pid");

        if (strcmp(ph, "M") == 0)
            continue;
        assert_string_equal(ph, "X");
        assert_true(text(e, "name")[0]);
        assert_true(number(e, "ts") >= last && number(e, "ts") >= 0 && number(e, "dur") >= 0);
        last = number(e, "ts");
        assert_true(is_named(events, "process_name", pid, -1));
        assert_true(is_named(events, "thread_name", pid, (int)number(e, "tid")));
        assert_in_range(pid, 0, TRACKS - 1); /* one track each */
        check_nesting(e, ends[pid], &depth[pid]);
    }
    return root;
}

/* How many slices have this name, and how long they are together. */
static int slices(const json_t *root, int pid, const char *name, double *us)
{
    int count = 0;
    size_t i;
    json_t *e;

    *us = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), i, e)
    {
        if (strcmp(text(e, "ph"), "X") == 0 && (int)number(e, "pid") == pid &&
            (!name || strcmp(text(e, "name"), name) == 0)) {
            *us += number(e, "dur");
            count++;
        }
    }
    return count;
}

/* ---- the file ---- */

static enum status write_small(const char *path, struct diag *diag)
{
    struct timeline t CLOSED_BY(timeline_close);
    enum status s;

    timeline_open(&t, 1000);
    timeline_name_process(&t, TIMELINE_HOST, "a \"quoted\" name\n");
    timeline_name_track(&t, TIMELINE_HOST, 1, "host");
    timeline_add(&t, TIMELINE_HOST, 1, "inner", 1001, 1002, NULL);
    timeline_add(&t, TIMELINE_HOST, 1, "\xff\xfe not UTF-8", 1002, 1003,
                 json_pack("{s:i}", "n", 7));
    timeline_add(&t, TIMELINE_HOST, 1, "outer", 1001, 1004, NULL);
    timeline_add(&t, TIMELINE_HOST, 1, "backwards", 1006, 1005, NULL);
    s = timeline_write(&t, path, json_pack("{s:s}", "model", "x"), diag);
    return s;
}

TEST(events_are_sorted)
{
    const json_t *events;
    json_t *root;

    assert_int_equal(write_small(file, &err), STATUS_OK);
    root = load();
    events = json_object_get(root, "traceEvents");
    assert_int_equal(json_array_size(events), 6);
    assert_string_equal(text(json_array_get(events, 2), "name"), "outer");
    assert_true(number(json_array_get(events, 2), "ts") == 1000);
    assert_true(number(json_array_get(events, 2), "dur") == 3000);
    assert_string_equal(text(json_array_get(events, 3), "name"), "inner");
    assert_int_equal(number(json_object_get(json_array_get(events, 4), "args"), "n"), 7);
    assert_true(number(json_array_get(events, 5), "dur") == 0);
    json_decref(root);
}

TEST(whole_or_not_at_all)
{
    const char *const path = scratch("no/trace.json");

    assert_int_equal(timeline_check_path(path, &err), STATUS_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "No such file"));
    diag_clear(&err);
    assert_int_equal(write_small(path, &err), STATUS_IO);
    assert_int_not_equal(access(path, F_OK), 0);
    diag_clear(&err);
    assert_int_equal(timeline_check_path(scratch("."), &err), STATUS_IO);
    assert_non_null(strstr(err.text, "directory"));
    diag_clear(&err);
    assert_int_equal(timeline_check_path(file, &err), STATUS_OK);
    assert_int_equal(timeline_check_path("/dev/null", &err), STATUS_OK);
    assert_int_equal(timeline_check_path("trace.json", &err), STATUS_OK);
}

/* ---- the pass ---- */

static void trace(const char *delegate)
{
    const struct bench_request q = { .model = "golden/digits/digits_f32.tflite",
                                     .delegate = delegate,
                                     .seed = 1 };

    KIT_OK(bench_trace(&q, file, &err));
}

TEST(the_reference_has_host_phases)
{
    static const char *const phases[] = {
        "load", "verify", "parse", "prepare", "allocate", "fill inputs", "inference 0, the first"
    };
    json_t *root;
    double us;

    trace("none");
    root = load();
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        assert_int_equal(slices(root, TIMELINE_HOST, phases[i], &us), 1);
    assert_int_equal(slices(root, TIMELINE_HOST, "invoke", &us), 9);
    assert_true(us > 0);
    assert_int_equal(slices(root, TIMELINE_HOST, "create delegate", &us), 0);
    assert_int_equal(slices(root, TIMELINE_DEVICE, NULL, &us), 0);
    json_decref(root);
}

/* A delegate that tells nothing of its steps is not asked to measure them: it may not know the
 * option profile. */
TEST(another_delegate_has_host_phases)
{
    json_t *root;
    double us;

    trace(mock_path("delegate.so"));
    root = load();
    assert_int_equal(slices(root, TIMELINE_HOST, "create delegate", &us), 1);
    assert_int_equal(slices(root, TIMELINE_HOST, "delegate graph", &us), 1);
    assert_int_equal(slices(root, TIMELINE_HOST, "invoke", &us), 9);
    assert_int_equal(slices(root, TIMELINE_HOST, "submit", &us), 0);
    json_decref(root);
}

TEST(ours_has_steps_of_the_device)
{
    static const char *const phases[] = { "copy in", "submit", "wait", "copy out" };
    double us, invoke, sum = 0, device;
    json_t *root;

    NEEDS_DEVICE;
    trace(build_path("", "libassay_delegate.so"));
    root = load();
    assert_int_equal(slices(root, TIMELINE_HOST, "plan", &us), 1);
    assert_int_equal(slices(root, TIMELINE_HOST, "pipelines", &us), 1);
    assert_int_equal(slices(root, TIMELINE_HOST, "invoke", &invoke), 9);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        assert_int_equal(slices(root, TIMELINE_HOST, phases[i], &us), 9);
        sum += us;
    }
    /* The phases are nearly all of an inference, and the steps lie within it. */
    assert_true(sum > invoke / 2 && sum <= invoke);
    assert_int_equal(slices(root, TIMELINE_DEVICE, NULL, &device) % 9, 0);
    assert_true(device > 0 && device <= invoke);
    json_decref(root);
}

TEST_FILE(.setup = name_file, .leaves = "trace.json");
