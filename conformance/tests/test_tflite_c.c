/* Subjects in another TensorFlow Lite C library, for which our own stands here. */
/* Needs: libassay_delegate.so */
/* Needs: libassay.so */
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdio.h>

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

static const char *const samples[] = {
    "relu.f32.c5",    "pad.f32.hw_end",      "add.f32.linear_b",
    "conv_2d.f16.c5", "reshape.f32.flat_c5", "gap.f32.conv_2d_runtime_both",
    "lstm.f32.a3",
};

TEST(test_runtime_alone)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        judge_kit_expect(spec(NULL, NULL), samples[i], CASE_PASS, "");
    judge_kit_expect(spec(NULL, "threads=2&bounds=exact"), "add.i8.c5", CASE_PASS, "");
    /* Computed in prepare: poison would stay in the output. */
    judge_kit_expect(spec(NULL, NULL), "shape.f32.image", CASE_PASS, "");
    judge_kit_expect(spec(NULL, NULL), "broadcast_args.i32.one", CASE_PASS, "");
}

/* The delegate's faults are seen in the other runtime as in ours. */
TEST(test_delegate)
{
    for (size_t i = 0; i + 1 < sizeof samples / sizeof samples[0]; i++)
        judge_kit_expect(spec("delegate.so", "fault=none"), samples[i], CASE_PASS, "");
    judge_kit_expect(spec("delegate.so", "fault=none&threads=2"), "add.f32.linear_b", CASE_PASS,
                     "");
    judge_kit_expect(spec("delegate.so", "fault=decline"), "add.f32.linear_b", CASE_DECLINED,
                     "not taken");
    judge_kit_expect(spec("delegate.so", "fault=ulps&ulps=9"), "add.f32.linear_b", CASE_FAIL,
                     "wrong");
    judge_kit_expect(spec("delegate.so", "fault=prepare"), "add.f32.linear_b", CASE_FAIL,
                     "prepare: with the delegate: ");
}

TEST(test_wrong_subjects)
{
    char text[SPEC_BYTES];

    judge_kit_expect_load(spec(NULL, "threads=0"), STATUS_USAGE, "threads=0: expected 1 to 1024");
    judge_kit_expect_load(spec(NULL, "threads=2x"), STATUS_USAGE, "threads=2x: expected 1 to 1024");
    judge_kit_expect_load(spec(NULL, "precision=fp16"), STATUS_USAGE, "its only key is threads");
    judge_kit_expect_load(spec(NULL, "delegate=/nowhere/x.so"), STATUS_IO, "/nowhere/x.so");
    judge_kit_expect_load("tflite-c:/nowhere/x.so", STATUS_IO, "/nowhere/x.so");
    snprintf(text, sizeof text, "tflite-c:%s", build_path("", "libassay_delegate.so"));
    judge_kit_expect_load(text, STATUS_IO,
                          "no TensorFlow Lite C library: it does not export TfLiteVersion");
    snprintf(text, sizeof text, "tflite-c:%s", build_path("..", "Makefile"));
    judge_kit_expect_load(text, STATUS_IO, "Makefile");
    judge_kit_expect_load(spec(NULL, NULL), STATUS_OK, "");
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
