/* assay bench --compare-to: reports that cannot be compared are refused, differences are named, and
 * growth is seen. */
#include "conformance/tests/kit/bench_kit.h"
#include "conformance/tools/bench/bench_compare.h"
#include "conformance/tools/bench/bench_print.h"
#include "conformance/util/sha256.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60, MIB = 1 << 20 };

static double samples[SAMPLES];
static char subject_fp32[] = "lib.so precision=fp32", subject_fp16[] = "lib.so precision=fp16";

/* A measurement whose samples are `ms`, but for a little. */
static struct bench_result result(double ms)
{
    struct bench_result r = { .subject = subject_fp32,
                              .device = "llvmpipe",
                              .input_shapes = "1,4,4,2:6:6",
                              .has_memory = true,
                              .constant_bytes = 4 * MIB,
                              .warm = { .known = true },
                              .warm_count = BENCH_WARM_STARTS };

    for (int i = 0; i < SAMPLES; i++)
        samples[i] = ms * (1 + 0.001 * (i * 37 % 11));
    assert_int_equal(sha256_file(bench_kit_model, r.model_sha256, &err), STATUS_OK);
    assert_int_equal(bench_series_make(&r.latency_ms, samples, SAMPLES, &err), STATUS_OK);
    for (int i = 0; i < BENCH_WARM_STARTS; i++)
        r.warm_init_ms[i] = 100 + i;
    r.host =
        (struct bench_memory){ .known = true, .peak_bytes = 50 * MIB, .program_bytes = 8 * MIB };
    return r;
}

/* Writes a report of the result as the earlier one. */
static const char *write_report(const struct bench_result *r)
{
    const struct bench_request q = bench_kit_request(NULL);
    const struct bench_report b = { .request = &q, .result = r, .versus_limit = -1 };
    const char *const path = scratch("before.json");
    FILE *const f = fopen(path, "w");

    assert_non_null(f);
    bench_print_json(f, &b);
    assert_int_equal(fclose(f), 0);
    return path;
}

static const char *why_not(const char *text)
{
    static struct diag diag;
    struct bench_baseline b;

    scratch_text("broken.json", text);
    diag = (struct diag){ .status = STATUS_OK };
    assert_int_equal(bench_baseline_open(&b, scratch("broken.json"), bench_kit_model, &diag),
                     STATUS_USAGE);
    return diag.text;
}

#define ASSERT_SAYS(text, part)                                                                    \
    do {                                                                                           \
        const char *const said = (text);                                                           \
        if (!strstr(said, part))                                                                   \
            fail_msg("%s", said);                                                                  \
    } while (0)

TEST(broken_and_foreign_files_are_refused)
{
    struct bench_baseline b;
    char other[256];

    ASSERT_SAYS(why_not(""), "broken.json: line");
    ASSERT_SAYS(why_not("{\"model\": "), "broken.json: line 1");
    ASSERT_SAYS(why_not("[1, 2]"), "expected a report of `assay bench --format=json`");
    ASSERT_SAYS(why_not("{\"assay\": \"0.1.0\", \"cases\": []}"), "expected a report");
    ASSERT_SAYS(why_not("{\"model\": \"m\", \"latency_ms\": {\"median\": 1}}"),
                "it has no samples, or no hash of its model: measure again");
    ASSERT_SAYS(why_not("{\"model\": \"m\", \"model_sha256\": \"00\", \"latency_ms\": "
                        "{\"samples\": [1, -2]}}"),
                "latency_ms.samples: item 1: expected a time over 0");
    ASSERT_SAYS(why_not("{\"model\": \"m\", \"model_sha256\": \"00\", \"latency_ms\": "
                        "{\"samples\": [\"1\"]}}"),
                "item 0");
    snprintf(other, sizeof other,
             "{\"model\": \"other.tflite\", \"model_sha256\": \"%064d\", \"latency_ms\": "
             "{\"samples\": [1]}}",
             7);
    ASSERT_SAYS(why_not(other), "it measured another model, other.tflite with sha256 000000000000");
    assert_int_equal(bench_baseline_open(&b, scratch("missing.json"), bench_kit_model, &err),
                     STATUS_IO);
    ASSERT_SAYS(err.text, "missing.json: No such file");
}

/* Compares `after` with the report of `before`, and closes both. */
static struct bench_comparison compare(struct bench_result *before, struct bench_result *after)
{
    struct bench_baseline b;
    struct bench_comparison c = { .path = NULL };

    if (bench_baseline_open(&b, write_report(before), bench_kit_model, &err) != STATUS_OK ||
        bench_compare(&c, &b, after, 0.05, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    bench_baseline_close(&b);
    bench_series_close(&before->latency_ms);
    bench_series_close(&after->latency_ms);
    return c;
}

TEST(the_same_passes)
{
    struct bench_result before = result(4), after = result(4);
    const struct bench_comparison c = compare(&before, &after);

    assert_false(c.failed);
    assert_int_equal(c.latency_verdict, VERDICT_SAME);
    assert_true(c.has_init);
    assert_int_equal(c.note_count, 0);
    assert_true(c.median_before > 4 && c.median_before == c.median_after);
}

TEST(seven_percent_fail)
{
    struct bench_result before = result(4), after = result(4.28);
    struct bench_comparison c = compare(&before, &after);

    assert_true(c.failed);
    assert_int_equal(c.latency_verdict, VERDICT_SLOWER);
    before = result(4);
    after = result(4.16);
    c = compare(&before, &after);
    assert_false(c.failed); /* 4 % */
}

TEST(slow_starts_fail)
{
    struct bench_result before = result(4), after = result(4);
    struct bench_comparison c;

    for (int i = 0; i < BENCH_WARM_STARTS; i++)
        after.warm_init_ms[i] *= 1.1;
    c = compare(&before, &after);
    assert_true(c.failed);
    assert_int_equal(c.init_verdict, VERDICT_SLOWER);
    /* One slow start among the others is noise. */
    before = result(4);
    after = result(4);
    after.warm_init_ms[0] *= 3;
    c = compare(&before, &after);
    assert_false(c.failed);
    /* Too few starts are not compared, and that is said. */
    before = result(4);
    after = result(4);
    after.warm_count = 5;
    c = compare(&before, &after);
    assert_false(c.has_init || c.failed);
    assert_int_equal(c.note_count, 1);
    assert_string_equal(c.notes[0], "init is not compared: 6 starts then, 5 now, of 6 that the "
                                    "test needs");
}

TEST(growth_fails)
{
    struct bench_result before = result(4), after = result(4);
    struct bench_comparison c;

    after.constant_bytes = 4 * MIB + 4 * MIB / 20 + 1;
    c = compare(&before, &after);
    assert_true(c.failed && bench_size_grew(&c.sizes[0]) && !bench_size_grew(&c.sizes[1]));
    before = result(4);
    after = result(4);
    after.host.peak_bytes = 50 * MIB + 50 * MIB / 20 + MIB; /* 5 % and the slack of a peak */
    after.host.program_bytes = 8 * MIB + 8 * MIB / 20;
    c = compare(&before, &after);
    assert_false(c.failed);
    before = result(4);
    after = result(4);
    after.host.peak_bytes = 50 * MIB + 50 * MIB / 20 + MIB + 4096;
    c = compare(&before, &after);
    assert_true(c.failed && bench_size_grew(&c.sizes[1]));
    before = result(4);
    after = result(4);
    after.host.delegate_bytes = MIB;
    c = compare(&before, &after);
    assert_true(c.failed && bench_size_grew(&c.sizes[2]));
    assert_string_equal(c.sizes[2].name, "host_allocated");
}

TEST(differences_are_named)
{
    struct bench_result before = result(4), after = result(4);
    struct bench_comparison c;
    struct bench_baseline b;

    after.subject = subject_fp16;
    snprintf(after.device, sizeof after.device, "NVIDIA H200");
    c = compare(&before, &after);
    assert_int_equal(c.note_count, 2);
    assert_string_equal(c.notes[0], "another subject: lib.so precision=fp32 then, lib.so "
                                    "precision=fp16 now");
    assert_string_equal(c.notes[1], "another device: llvmpipe then, NVIDIA H200 now");
    before = result(4);
    after = result(4);
    snprintf(after.input_shapes, sizeof after.input_shapes, "1,8,8,2:6:6");
    assert_int_equal(bench_baseline_open(&b, write_report(&before), bench_kit_model, &err),
                     STATUS_OK);
    assert_int_equal(bench_compare(&c, &b, &after, 0.05, &err), STATUS_USAGE);
    ASSERT_SAYS(err.text, "its inputs had the shapes 1,4,4,2:6:6, now 1,8,8,2:6:6");
    bench_baseline_close(&b);
    bench_series_close(&before.latency_ms);
    bench_series_close(&after.latency_ms);
}

TEST(the_text_has_a_verdict)
{
    const struct bench_request q = bench_kit_request(NULL);
    struct bench_result before = result(4), after = result(4.28), shown = result(4.28);
    const struct bench_comparison c = compare(&before, &after);
    const struct bench_report b = {
        .request = &q, .result = &shown, .comparison = &c, .versus_limit = -1
    };
    char *text = NULL, reason[256];
    FILE *const f = kit_memory_file(&text);

    bench_print_text(f, &b);
    fclose(f);
    ASSERT_SAYS(text, "\n  latency   ratio 1.0700 (99 %: ");
    ASSERT_SAYS(text, "): SLOWER\n");
    ASSERT_SAYS(text, "\n  device    4.00 MiB then, 4.00 now, at most 4.20: within the limit\n");
    ASSERT_SAYS(text, "\ncompare: REGRESSION\n");
    assert_int_equal(bench_report_judge(&b, reason, sizeof reason), CASE_FAIL);
    free(text);
    bench_series_close(&shown.latency_ms);
}

TEST_FILE(.setup = bench_kit_open);
