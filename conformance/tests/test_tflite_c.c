/* Subjects in another TensorFlow Lite C library, for which our own stands here. */
/* Needs: libassay_delegate.so */
/* Needs: libassay.so */
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_BYTES = 2 * PATH_MAX + 200 };

/* "tflite-c:.../libassay.so", with a delegate behind it where keys is not NULL. */
static const char *spec(const char *mock, const char *keys)
{
    static char text[SPEC_BYTES];
    int n = snprintf(text, sizeof text, "tflite-c:%s", build_path("", "libassay.so"));

    if (mock)
        n += snprintf(text + n, sizeof text - (size_t)n, "?delegate=%s", mock_path(mock));
    if (keys)
        snprintf(text + n, sizeof text - (size_t)n, "%c%s", mock ? '&' : '?', keys);
    return text;
}

static void expect(const char *text, const char *name, enum case_status status, const char *reason)
{
    const struct case_result r = judge_kit_run_spec(text, name);

    judge_kit_expect(&r, name, status, reason);
}

static const char *const samples[] = {
    "relu.f32.c5",    "pad.f32.hw_end",      "add.f32.linear_b",
    "conv_2d.f16.c5", "reshape.f32.flat_c5", "gap.f32.conv_2d_runtime_both",
    "lstm.f32.a3",
};

TEST(test_runtime_alone)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        expect(spec(NULL, NULL), samples[i], CASE_PASS, "");
    expect(spec(NULL, "threads=2&bounds=exact"), "add.i8.c5", CASE_PASS, "");
}

/* The delegate's faults are seen in the other runtime as in ours. */
TEST(test_delegate)
{
    for (size_t i = 0; i + 1 < sizeof samples / sizeof samples[0]; i++)
        expect(spec("delegate.so", "fault=none"), samples[i], CASE_PASS, "");
    expect(spec("delegate.so", "fault=none&threads=2"), "add.f32.linear_b", CASE_PASS, "");
    expect(spec("delegate.so", "fault=decline"), "add.f32.linear_b", CASE_DECLINED, "not taken");
    expect(spec("delegate.so", "fault=ulps&ulps=9"), "add.f32.linear_b", CASE_FAIL, "wrong");
    expect(spec("delegate.so", "fault=prepare"), "add.f32.linear_b", CASE_FAIL,
           "prepare: with the delegate: ");
}

static void expect_failure(const char *text, enum status status, const char *message)
{
    struct subject s;
    struct diag diag = { .status = STATUS_OK };
    enum status found = subject_parse(&s, text, &diag);

    if (found == STATUS_OK)
        found = subject_load(&s, &diag);
    if (found != status || !strstr(diag.text, message))
        fail_msg("%s: expected '%s', found '%s'", text, message, diag.text);
    subject_close(&s);
}

TEST(test_wrong_subjects)
{
    char text[SPEC_BYTES];

    expect_failure(spec(NULL, "threads=0"), STATUS_USAGE, "threads=0: expected 1 to 1024");
    expect_failure(spec(NULL, "threads=2x"), STATUS_USAGE, "threads=2x: expected 1 to 1024");
    expect_failure(spec(NULL, "precision=fp16"), STATUS_USAGE, "its only key is threads");
    expect_failure(spec(NULL, "delegate=/nowhere/x.so"), STATUS_IO, "/nowhere/x.so");
    expect_failure("tflite-c:/nowhere/x.so", STATUS_IO, "/nowhere/x.so");
    snprintf(text, sizeof text, "tflite-c:%s", build_path("", "libassay_delegate.so"));
    expect_failure(text, STATUS_IO,
                   "no TensorFlow Lite C library: it does not export TfLiteVersion");
    snprintf(text, sizeof text, "tflite-c:%s", build_path("..", "Makefile"));
    expect_failure(text, STATUS_IO, "Makefile");
    expect_failure(spec(NULL, NULL), STATUS_OK, "");
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
