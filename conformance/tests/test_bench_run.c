/* assay bench on small models and mock delegates: samples, subjects in turns, threads, memory,
 * inputs, and what each form of the report holds. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/tests/kit/bench_kit.h"
#include "conformance/tools/bench/bench.h"
#include "conformance/tools/bench/bench_print.h"
#include "conformance/util/interrupt.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct bench_result run(const struct bench_request *q)
{
    struct bench_result r;

    KIT_OK(bench_run(&r, q, &err));
    return r;
}

static const char *refused(const struct bench_request *q)
{
    static struct diag diag;
    struct bench_result r;

    diag = (struct diag){ .status = STATUS_OK };
    assert_int_not_equal(bench_run(&r, q, &diag), STATUS_OK);
    return diag.text;
}

/* ---- samples ---- */

TEST(keeps_samples_in_order)
{
    const struct bench_request q = bench_kit_request(NULL);
    struct bench_result r CLOSED_BY(bench_close) = run(&q);
    double sum = 0;

    assert_int_equal(r.latency_ms.n, 40);
    assert_int_equal(r.latency_ms.sample_count, 40);
    assert_int_equal(r.latency_ms.every, 1);
    for (size_t i = 0; i < 40; i++)
        sum += r.latency_ms.samples[i];
    assert_true(fabs(sum / 40 - r.latency_ms.mean) < 1e-9 * sum);
    assert_int_equal(strlen(r.model_sha256), 64);
    assert_string_equal(r.input_shapes, "1,4,4,2:6:6");
}

TEST(keeps_a_part_of_very_many)
{
    const size_t count = 2 * SERIES_SAMPLES_MAX + 1;
    double *ms CLOSED_BY(kit_mem_free) = mem_alloc(count, sizeof *ms);
    struct bench_series s;

    for (size_t i = 0; i < count; i++)
        ms[i] = 1 + (double)i;
    assert_int_equal(bench_series_make(&s, ms, count, &err), STATUS_OK);
    assert_int_equal(s.n, count);
    assert_int_equal(s.every, 3);
    assert_int_equal(s.sample_count, (count + 2) / 3);
    assert_true(s.samples[1] == 4 && s.median == 1 + (double)SERIES_SAMPLES_MAX);
    bench_series_close(&s);
    assert_int_equal(bench_series_make(&s, ms, SERIES_SAMPLES_MAX, &err), STATUS_OK);
    assert_int_equal(s.sample_count, SERIES_SAMPLES_MAX);
    bench_series_close(&s);
}

/* ---- signals ---- */

static char *print_text(const struct bench_result *r, const struct bench_request *q)
{
    const struct bench_report report = { .request = q, .result = r, .versus_limit = -1 };
    char *text, reason[256];
    FILE *const f = kit_memory_file(&text);

    assert_int_equal(bench_report_judge(&report, reason, sizeof reason), CASE_MISSING);
    bench_print_text(f, &report);
    fclose(f);
    return text;
}

/* The inferences before it are told, and what would follow is not begun.  This is the first test:
 * the mock counts its invokes from the first one of the process. */
TEST(a_signal_keeps_the_samples)
{
    char interrupt[48];
    const char *options[] = { interrupt, "node=20" };
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    struct bench_result r CLOSED_BY(bench_close);
    char *text CLOSED_BY(kit_free);

    snprintf(interrupt, sizeof interrupt, "interrupt=%ld", (long)getpid());
    q.delegate_options = (struct string_list){ options, 2 };
    q.threads = 2;
    interrupt_begin();
    r = run(&q);
    interrupt_end();
    assert_in_range(r.latency_ms.n, 1, 19);
    assert_int_equal(r.throughput.threads, 0);
    assert_true(r.nodes > 0 && r.host.peak_bytes > 0);
    text = print_text(&r, &q);
    assert_non_null(strstr(text, "\ninterrupted: SIGTERM: "));
}

/* One that comes during the starts leaves the model described. */
TEST(a_signal_before_the_inferences)
{
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    struct bench_result r;
    char *text;

    q.starts = true;
    q.versus = "none";
    interrupt_begin();
    raise(SIGTERM);
    r = run(&q);
    interrupt_end();
    assert_true(r.cold.known && !r.warm.known && !r.versus.known);
    assert_int_equal(r.latency_ms.n, 0);
    assert_true(r.nodes > 0);
    text = print_text(&r, &q);
    assert_non_null(strstr(text, "latency     none: SIGTERM"));
    free(text);
    bench_close(&r);
    interrupt_begin(); /* forgets the signal */
    interrupt_end();
}

/* ---- two subjects, many threads ---- */

TEST(a_slow_subject_shows_in_turns)
{
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    char slow[512];
    struct bench_result r CLOSED_BY(bench_close);

    snprintf(slow, sizeof slow, "delegate:%s?slow=2000", mock_path("delegate.so"));
    q.versus = slow;
    r = run(&q);
    assert_true(r.versus.known);
    assert_int_equal(r.versus.latency_ms[0].n, r.versus.latency_ms[1].n);
    assert_true(r.versus.latency_ms[0].n >= q.runs);
    /* A twentieth, but for what the runtime adds; the machine is busy with other things. */
    assert_true(r.versus.shift.ratio < 0.5 && r.versus.shift.high < 1);
    assert_non_null(strstr(r.versus.subject, "slow=2000"));
}

/* Two copies of one subject, of which the one whose process starts first is slower, in each pair of
 * processes: the interval holds 1. */
TEST(a_slow_start_is_no_slow_subject)
{
    const char *options[2] = { "slow=20" };
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    char option[256], versus[512];
    struct bench_result r;

    snprintf(option, sizeof option, "first_slow=%s", scratch("first"));
    options[1] = option;
    q.delegate_options = (struct string_list){ options, 2 };
    snprintf(versus, sizeof versus, "delegate:%s?slow=20&%s", mock_path("delegate.so"), option);
    q.versus = versus;
    r = run(&q);
    assert_true(r.versus.known);
    assert_int_equal(r.versus.process_pairs, SHIFT_GROUPS_MAX);
    assert_true(r.versus.shift.low < 1 && r.versus.shift.high > 1);
    /* Pairs differ by a factor of 2 or more: the interval is that wide. */
    assert_true(r.versus.shift.high / r.versus.shift.low > 3);
    bench_close(&r);
}

TEST(a_subject_that_fails_is_named)
{
    struct bench_request q = bench_kit_request(NULL);
    char end[512], missing[512];

    snprintf(end, sizeof end, "delegate:%s?fault=exit", mock_path("delegate.so"));
    q.versus = end;
    assert_non_null(strstr(refused(&q), "fault=exit: the process that runs it ended"));
    snprintf(missing, sizeof missing, "delegate:%s/none.so", scratch("."));
    q.versus = missing;
    assert_non_null(strstr(refused(&q), "none.so"));
    q.versus = "nonsense";
    assert_non_null(strstr(refused(&q), "nonsense"));
}

TEST(threads_run_at_the_same_time)
{
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    struct bench_result r;
    enum status s;
    struct bench_check check;
    size_t sum = 0;

    q.threads = 3;
    q.min_secs = 0.05;
    r = run(&q);
    assert_int_equal(r.throughput.threads, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(r.throughput.latency_ms[i].n >= q.runs);
        sum += r.throughput.latency_ms[i].n;
    }
    assert_int_equal(r.throughput.inferences, sum);
    assert_true(r.throughput.seconds >= 0.05);
    bench_close(&r);
    q.delegate_options = (struct string_list){ (const char *[]){ "fault=invoke" }, 1 };
    bench_check_init(&check, &q);
    s = bench_threads(&r.throughput, &q, &check, &err);
    bench_throughput_close(&r.throughput);
    assert_int_not_equal(s, STATUS_OK);
    assert_non_null(strstr(err.text, "--threads=3: thread 0: "));
    assert_non_null(strstr(err.text, "the device is lost"));
}

/* ---- right or wrong ---- */

static void expect_state(const char *what, const struct bench_checked *c,
                         enum bench_checked_state state)
{
    if (c->state != state)
        fail_msg("%s: expected %d, found %d: %s", what, state, c->state, c->why);
}

/* The outputs of the last inference, in each thread, and on both sides of --versus. */
TEST(outputs_are_checked)
{
    static const struct {
        const char *fault;
        size_t threads;
        bool versus, no_check;
        enum bench_checked_state subject, each_thread;
        const char *why; /* of the subject, or the thread */
    } rows[] = {
        { "none", 2, true, false, BENCH_RIGHT, BENCH_RIGHT, "" },
        { "swap", 0, true, false, BENCH_WRONG, BENCH_NOT_CHECKED, "output 0: SNR " },
        { "swap", 0, true, true, BENCH_NOT_CHECKED, BENCH_NOT_CHECKED, "--no-check" },
        { "nan", 0, false, false, BENCH_WRONG, BENCH_NOT_CHECKED, "output 0: SNR -inf" },
        { "last_made", 3, false, false, BENCH_RIGHT, BENCH_WRONG, "thread 0: output 0: " },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char fault[48];
        const char *options[] = { fault };
        struct bench_request q = bench_kit_request(mock_path("delegate.so"));
        struct bench_result r CLOSED_BY(bench_close);
        char reason[256];
        const struct bench_report b = { .request = &q, .result = &r, .versus_limit = -1 };

        snprintf(fault, sizeof fault, "fault=%s", rows[i].fault);
        q.delegate_options = (struct string_list){ options, 1 };
        q.threads = rows[i].threads;
        q.versus = rows[i].versus ? "none" : NULL;
        q.no_check = rows[i].no_check;
        r = run(&q);
        expect_state(rows[i].fault, &r.checked, rows[i].subject);
        expect_state(rows[i].fault, &r.throughput.checked, rows[i].each_thread);
        if (rows[i].versus) {
            expect_state(rows[i].fault, &r.versus.checked[0], rows[i].subject);
            expect_state("the reference", &r.versus.checked[1], BENCH_NOT_CHECKED);
        }
        assert_int_equal(strncmp(rows[i].threads > 0 && rows[i].each_thread == BENCH_WRONG
                                     ? r.throughput.checked.why
                                     : r.checked.why,
                                 rows[i].why, strlen(rows[i].why)),
                         0);
        assert_int_equal(bench_report_judge(&b, reason, sizeof reason),
                         rows[i].subject == BENCH_WRONG || rows[i].each_thread == BENCH_WRONG
                             ? CASE_FAIL
                             : CASE_PASS);
    }
}

/* ---- memory ---- */

static uint64_t driver_bytes(const char *option)
{
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    struct bench_result r CLOSED_BY(bench_close);
    uint64_t bytes;

    if (option)
        q.delegate_options = (struct string_list){ &option, 1 };
    r = run(&q);
    assert_true(r.host.known && r.host.delegate_silent);
    assert_true(r.host.ours_bytes + r.host.driver_bytes + r.host.rest_bytes >= r.host.peak_bytes);
    bytes = r.host.driver_bytes;
    return bytes;
}

/* A sanitizer's shadow and what it keeps of freed blocks are pages of no file, too. */
#ifdef KIT_HAS_SANITIZER
#define UNLESS_SANITIZED() skip()
#else
#define UNLESS_SANITIZED() (void)0
#endif

TEST(what_a_driver_takes_is_not_ours)
{
    uint64_t before, after;

    UNLESS_SANITIZED();
    before = driver_bytes(NULL);
    after = driver_bytes("grow=24");
    /* Pages that the heap had before may be used for it, too. */
    assert_in_range(after - before, 23 << 20, 25 << 20);
}

TEST(what_is_allocated_is_ours)
{
    struct bench_pages pages;
    struct bench_memory before, after;
    char *block;

    UNLESS_SANITIZED();
    assert_int_equal(bench_pages_read(&pages, &err), STATUS_OK);
    bench_memory_read(&before, &pages, NULL, -1, -1);
    block = mem_alloc(20 << 20, 1);
    memset(block, 1, 20 << 20);
    bench_memory_read(&after, &pages, NULL, -1, -1);
    mem_free(block);
    bench_pages_close(&pages);
    assert_true(before.known && after.known);
    assert_true(after.program_bytes >= before.program_bytes + (12 << 20));
    assert_in_range(after.driver_bytes, 0, before.driver_bytes + (1 << 20));
    assert_true(after.peak_bytes >= 20 << 20);
}

/* ---- inputs and outputs ---- */

static void parse(struct bench_request *q, const char *layers, const char *shapes,
                  const char *ranges, const char *files)
{
    KIT_OK(bench_inputs_parse(&q->inputs, layers, shapes, ranges, files, &err));
}

TEST(inputs_come_from_the_command_line)
{
    struct bench_request q = bench_kit_request(NULL);
    const int32_t seven[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
    char files[256], outputs[128];
    struct bench_result r;
    uint8_t *bytes;
    size_t count;
    int32_t larger[8];

    scratch_bytes("seven", seven, sizeof seven);
    snprintf(files, sizeof files, "more\\:0:%s", scratch("seven"));
    snprintf(outputs, sizeof outputs, "%s", scratch("outputs"));
    parse(&q, "image,numbers,more\\:0", "1,2,3,2:8:8", "numbers,8,9", files);
    q.outputs_path = outputs;
    r = run(&q);
    assert_string_equal(r.input_shapes, "1,2,3,2:8:8");
    bench_close(&r);
    assert_int_equal(file_read(outputs, 1 << 20, &bytes, &count, NULL), STATUS_OK);
    assert_int_equal(count, 12 * 4 + 8 * 4);
    memcpy(larger, bytes + 48, sizeof larger);
    for (int i = 0; i < 8; i++)
        assert_in_range(larger[i], 8, 9);
    mem_free(bytes);
    parse(&q, NULL, NULL, "number,0,1", NULL);
    assert_non_null(
        strstr(refused(&q), "no input has the name number, but image, numbers, more:0"));
    parse(&q, NULL, NULL, "numbers,0,4000000000", NULL);
    assert_non_null(strstr(refused(&q), "numbers holds -2147483648 to 2147483647"));
    scratch_bytes("seven", seven, 5);
    parse(&q, NULL, NULL, NULL, files);
    assert_non_null(strstr(refused(&q), "expected 24 bytes for input more:0, found 5"));
}

TEST(broken_inputs_are_refused)
{
    static const struct {
        const char *layers, *shapes, *ranges, *files, *says;
    } rows[] = {
        { "a,b", "1,2", NULL, NULL, "--input_layer_shape: none for input b" },
        { "a", "1,2:3", NULL, NULL, "--input_layer_shape: no name in --input_layer for 3" },
        { "a", "1,x", NULL, NULL, "expected dimensions such as 1,224,224,3, found 1,x" },
        { "a", "1,0", NULL, NULL, "found 1,0" },
        { "a", "1,1,1,1,1,1,1,1,1", NULL, NULL, "found 1,1,1" },
        { "a", "-1", NULL, NULL, "found -1" },
        { ",a", "1:1", NULL, NULL, "expected names" },
        { NULL, NULL, "a,1", NULL, "expected NAME,LOW,HIGH:NAME,LOW,HIGH" },
        { NULL, NULL, "a,1,2,3", NULL, "expected NAME,LOW,HIGH:NAME,LOW,HIGH" },
        { NULL, NULL, "a,2,1", NULL, "a: 2 is more than 1" },
        { NULL, NULL, NULL, "a", "expected NAME:FILE,NAME:FILE" },
        { NULL, NULL, NULL, "a:", "a has no file" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct bench_inputs inputs;
        struct diag diag = { .status = STATUS_OK };

        assert_int_equal(bench_inputs_parse(&inputs, rows[i].layers, rows[i].shapes, rows[i].ranges,
                                            rows[i].files, &diag),
                         STATUS_USAGE);
        if (!strstr(diag.text, rows[i].says))
            fail_msg("row %zu: %s", i, diag.text);
    }
}

/* ---- forms ---- */

static char *print(void (*form)(FILE *, const struct bench_report *), const struct bench_report *b)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    form(f, b);
    assert_int_equal(fclose(f), 0);
    return text;
}

TEST(forms_hold_the_same)
{
    struct bench_request q = bench_kit_request(mock_path("delegate.so"));
    struct bench_result r CLOSED_BY(bench_close);
    struct bench_report b = { .request = &q, .result = &r, .versus_limit = 0.05 };
    char *text, *json, *csv, line[128];
    json_t *o;

    q.versus = "none";
    q.threads = 2;
    r = run(&q);
    text = print(bench_print_text, &b);
    json = print(bench_print_json, &b);
    csv = print(bench_print_csv, &b);
    assert_non_null(strstr(text, "ratio     subject / versus = "));
    assert_non_null(strstr(text, "throughput  2 threads: "));
    o = json_loads(json, 0, NULL);
    assert_non_null(o);
    assert_int_equal(json_array_size(json_object_get(json_object_get(o, "latency_ms"), "samples")),
                     40);
    assert_true(json_is_null(json_object_get(o, "compare")));
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(o, "throughput"), "latency_ms")), 2);
    snprintf(line, sizeof line, "\r\nmodel_sha256,%s\r\n", r.model_sha256);
    assert_non_null(strstr(csv, line));
    snprintf(line, sizeof line, "\r\nversus.ratio.ratio,%.9g\r\n", r.versus.shift.ratio);
    assert_non_null(strstr(csv, line));
    assert_non_null(strstr(csv, "\r\ninput_shapes,\"1,4,4,2:6:6\"\r\n"));
    assert_non_null(strstr(csv, "\r\nlatency_ms.samples.39,"));
    assert_null(strstr(csv, "\r\nlatency_ms.samples.40,"));
    json_decref(o);
    free(text);
    free(json);
    free(csv);
}

TEST(a_dry_run_measures_nothing)
{
    struct bench_request q = bench_kit_request(NULL);
    struct bench_result r CLOSED_BY(bench_close);
    const struct bench_report b = { .request = &q, .result = &r, .versus_limit = -1 };
    char *json CLOSED_BY(kit_free);

    q.dry_run = true;
    r = run(&q);
    assert_int_equal(r.latency_ms.n, 0);
    assert_int_equal(r.nodes, 3);
    json = print(bench_print_json, &b);
    assert_non_null(strstr(json, "\"median\": null"));
}

TEST_FILE(.setup = bench_kit_open);
