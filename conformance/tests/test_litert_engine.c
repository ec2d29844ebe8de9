/* The judge on a mock of LiteRT: what goes wrong in the library is the result of that case. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: mock/litert.so mock/litert_old.so */
/* Needs: mock/accelerator.so mock/accelerator_bytes.so */
/* Needs: mock/accelerator_version.so mock/accelerator_nameless.so */
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse(struct subject *s, const char *what, const char *keys)
{
    char text[2 * PATH_MAX];

    snprintf(text, sizeof text, "litert:%s?library=%s%s", what, mock_path("litert.so"),
             keys ? keys : "");
    if (subject_parse(s, text, &err) != STATUS_OK)
        fail_msg("%s: %s", text, err.text);
}

static struct case_result judge_with(const char *what, const char *keys, const char *fault,
                                     const char *name)
{
    struct case_result result;
    struct subject subject;

    setenv("MOCK_LITERT", fault, 1);
    parse(&subject, what, keys);
    result = judge_kit_run(&subject, name);
    unsetenv("MOCK_LITERT");
    return result;
}

static void expect(const char *what, const char *keys, const char *fault, const char *name,
                   enum case_status status, const char *reason)
{
    const struct case_result r = judge_with(what, keys, fault, name);

    if (r.status != status || !strstr(r.reason, reason))
        fail_msg("%s with %s%s: expected %s with '%s', found %s with '%s'", name, fault,
                 keys ? keys : "", case_status_name(status), reason, case_status_name(r.status),
                 r.reason);
}

static const char *const samples[] = {
    "relu.f32.c5",
    "pad.f32.hw_end",
    "reshape.f32.flat_c5",
    "add.f32.linear_b",
    "conv_2d.f32.c5",
    "conv_2d.f16.c5",
    "add.i8.c5",
    "softmax.f32.tail1001_4d",
    "gap.f32.conv_2d_after_sub_c1", /* two tensors of one name */
    "gap.f32.conv_2d_runtime_both",
    "lstm.f32.a5", /* state: a reset compiles anew */
};

TEST(test_honest_passes)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        expect("cpu", NULL, "none", samples[i], CASE_PASS, "");
        expect("gpu", NULL, "none", samples[i], CASE_PASS, "");
        expect("cpu", "&buffers=managed", "none", samples[i], CASE_PASS, "");
        expect("cpu", NULL, "device_memory", samples[i], CASE_PASS, "");
    }
}

/* The library finds what it must not do only where the memory is ours. */
TEST(test_abilities)
{
    static const struct {
        const char *what, *keys;
        unsigned abilities;
    } rows[] = { { "cpu", NULL, ENGINE_GUARDS | ENGINE_POISON | ENGINE_RESIZE | ENGINE_OFFSET },
                 { "gpu", NULL, ENGINE_POISON | ENGINE_RESIZE },
                 { "gpu", "&buffers=host",
                   ENGINE_GUARDS | ENGINE_POISON | ENGINE_RESIZE | ENGINE_OFFSET },
                 { "cpu", "&buffers=managed", ENGINE_POISON | ENGINE_RESIZE } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct subject s CLOSED_BY(subject_close);

        parse(&s, rows[i].what, rows[i].keys);
        assert_int_equal(engine_abilities(&s), rows[i].abilities | ENGINE_LOCAL);
    }
}

TEST(test_wrong_results)
{
    expect("cpu", NULL, "wrong", "relu.f32.c5", CASE_FAIL, "");
    expect("cpu", NULL, "second", "relu.f32.c5", CASE_FAIL, "");
    expect("cpu", NULL, "unwritten", "relu.f32.c5", CASE_FAIL, "not written");
    expect("cpu", "&buffers=managed", "unwritten", "relu.f32.c5", CASE_FAIL, "not written");
    expect("cpu", NULL, "shape", "relu.f32.c5", CASE_FAIL, "found f32 [");
    expect("cpu", NULL, "rank", "relu.f32.c5", CASE_FAIL, "rank 100, at most 8");
}

TEST(test_writes_out_of_bounds)
{
    expect("cpu", NULL, "overrun", "relu.f32.c5", CASE_FAIL, "behind its last was written");
    expect("cpu", NULL, "underrun", "relu.f32.c5", CASE_FAIL, "in front of its first was written");
    expect("cpu", NULL, "input", "relu.f32.c5", CASE_FAIL, "input 0 was written to");
    expect("gpu", NULL, "device_input", "relu.f32.c5", CASE_FAIL, "input 0 was written to");
    expect("cpu", NULL, "constant", "conv_2d.f32.c5", CASE_FAIL, "constants were written to");
}

TEST(test_refusals)
{
    expect("gpu", NULL, "compile", "relu.f32.c5", CASE_DECLINED,
           "kLiteRtStatusErrorCompilation: Some ops are not accelerated");
    expect("gpu", NULL, "partial", "relu.f32.c5", CASE_DECLINED, "not wholly accelerated");
    expect("cpu", NULL, "partial", "relu.f32.c5", CASE_DECLINED, "XNNPACK leaves nodes");
    expect("cpu", NULL, "variables", "relu.f32.c5", CASE_DECLINED, "variables are not supported");
    /* Who asks for other kernels gets them judged. */
    expect("gpu", "&fallback=cpu", "partial", "relu.f32.c5", CASE_PASS, "");
    expect("cpu", "&kernel_mode=builtin", "partial", "relu.f32.c5", CASE_PASS, "");
    /* The CPU has to run every model. */
    expect("cpu", NULL, "compile", "relu.f32.c5", CASE_FAIL, "prepare: LiteRtCreateCompiledModel");
    expect("gpu", "&fallback=cpu", "compile", "relu.f32.c5", CASE_FAIL, "prepare: ");
}

TEST(test_errors)
{
    expect("cpu", NULL, "run", "relu.f32.c5", CASE_FAIL,
           "invoke: LiteRtRunCompiledModel: kLiteRtStatusErrorRuntimeFailure: Failed to invoke");
    expect("cpu", NULL, "invalid_model", "relu.f32.c5", CASE_FAIL,
           "kLiteRtStatusErrorInvalidArgument: the model is not valid");
    expect("cpu", NULL, "outputs", "relu.f32.c5", CASE_FAIL,
           "LiteRT finds 2 outputs, the model has 1");
    expect("cpu", NULL, "many_outputs", "relu.f32.c5", CASE_FAIL, "LiteRT finds 1000 outputs");
    expect("cpu", NULL, "type", "relu.f32.c5", CASE_FAIL, "the type i32, the model f32");
    expect("cpu", NULL, "input_shape", "relu.f32.c5", CASE_FAIL, "bytes, the case has");
    expect("cpu", NULL, "dynamic", "relu.f32.c5", CASE_FAIL, "dimension 0 of 4 is not known");
    expect("cpu", NULL, "requirements", "relu.f32.c5", CASE_FAIL, "no requirements");
    expect("cpu", NULL, "huge", "relu.f32.c5", CASE_FAIL, "out of memory");
    expect("cpu", "&buffers=managed", "lock", "relu.f32.c5", CASE_FAIL, "LiteRtLockTensorBuffer");
    expect("gpu", "&precision=fp32", "options", "relu.f32.c5", CASE_FAIL,
           "LiteRtAddOpaqueOptions: kLiteRtStatusErrorInvalidArgument");
}

/* ---- in worker processes ---- */

static void expect_end(const char *fault, enum case_status status, const char *reason)
{
    struct subject subject;
    struct test_case cases[2] = { *kit_case("relu.f32.c5"), *kit_case("add.f32.linear_b") };
    struct run_request request = kit_request(&subject, 1, cases, 2, 1);
    struct run_outcome outcome;

    request.timeout_s = 5;
    setenv("MOCK_LITERT", fault, 1);
    parse(&subject, "cpu", NULL);
    assert_int_equal(runner_run(&request, &outcome, &err), STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        if (outcome.results[i].status != status || !strstr(outcome.results[i].reason, reason))
            fail_msg("%s: expected %s with '%s', found %s with '%s'", fault,
                     case_status_name(status), reason, case_status_name(outcome.results[i].status),
                     outcome.results[i].reason);
    }
    run_outcome_close(&outcome);
    subject_close(&subject);
    unsetenv("MOCK_LITERT");
}

TEST(test_ends_of_processes)
{
    expect_end("none", CASE_PASS, "");
    expect_end("abort", CASE_CRASH, "SIGABRT in S2: frame A");
    expect_end("abort_compile", CASE_CRASH, "SIGABRT in S2: prepare");
    expect_end("hang", CASE_TIMEOUT, "frame A");
    expect_end("run", CASE_FAIL, "Failed to invoke"); /* read from the worker's log */
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
