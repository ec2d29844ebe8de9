/* The real LiteRT: that our declarations are its own, and that it computes what the reference does.
 * Skipped, with a message, where there is none. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: mock/litert.so mock/litert_old.so */
/* Needs: mock/accelerator.so mock/accelerator_bytes.so */
/* Needs: mock/accelerator_version.so mock/accelerator_nameless.so */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/litert_find.h"
#include "conformance/suite/subject/litert_model.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where `ci/bootstrap conformance-litert` puts it, then where the suite looks. */
static bool find(void)
{
    const char *const preloaded = getenv("LD_PRELOAD");
    char path[PATH_MAX], installed[PATH_MAX];

    if (preloaded && strstr(preloaded, "vgpreload")) {
        print_message("skipped: LiteRT copies memory onto itself, an error to valgrind\n");
        return false;
    }

    snprintf(installed, sizeof installed, "%s", build_path("litert-venv", "libLiteRt.so"));
    if (!getenv("LITERT_LIBRARY") && access(installed, R_OK) == 0)
        setenv("LITERT_LIBRARY", installed, 1);
    if (litert_find(NULL, path, &err) == STATUS_OK)
        return true;
    print_message("skipped: %s\n", err.text);
    return false;
}

TEST(test_cpu)
{
    static const char *const names[] = { "relu.f32.c5",         "conv_2d.f32.c5",
                                         "reshape.f32.flat_c5", "add.i8.c5",
                                         "pad.f32.hw_end",      "gap.f32.conv_2d_after_sub_c1" };

    if (!find())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        judge_kit_expect("litert:cpu", names[i], CASE_PASS, "");
        judge_kit_expect("litert:cpu?buffers=managed", names[i], CASE_PASS, "");
    }
}

/* Shapes, types and memory are where our declarations have them. */
TEST(test_declarations)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    struct subject subject CLOSED_BY(subject_close);
    struct case_instance instance CLOSED_BY(case_instance_close);
    struct litert_model m;
    struct litert_source source = { .inputs = 1, .outputs = 1 };

    if (!find())
        skip();
    assert_int_equal(case_build(kit_case("mean.f32.hw_c5"), &request, &instance, &err), STATUS_OK);
    source.bytes = instance.file.bytes;
    source.count = instance.file.count;
    assert_int_equal(subject_parse(&subject, "litert:cpu", &err), STATUS_OK);
    if (subject_load(&subject, &err) != STATUS_OK ||
        litert_model_open(&m, subject.runtime, &source, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_string_equal(m.refusal, "");
    assert_int_equal(m.inputs[0].type.element_type, kTfLiteFloat32);
    assert_int_equal(m.inputs[0].type.layout.rank, 4);
    assert_int_equal(m.inputs[0].bytes, instance.inputs[0].bytes);
    assert_int_equal(m.outputs[0].type.layout.dimensions[m.outputs[0].type.layout.rank - 1], 5);
    assert_non_null(m.inputs[0].memory); /* the CPU lists host memory, so there are guard words */
    assert_non_null(m.outputs[0].memory);
    assert_true(m.outputs[0].room >= m.outputs[0].bytes);
    litert_model_close(&m);
    source.outputs = 2;
    assert_int_equal(litert_model_open(&m, subject.runtime, &source, &err), STATUS_MISMATCH);
    source.outputs = 1;
    source.count /= 2; /* a file that is cut */
    assert_int_not_equal(litert_model_open(&m, subject.runtime, &source, &err), STATUS_OK);
    assert_non_null(strstr(err.text, "LiteRtCreateModelFromBuffer"));
}

/* An output of no bytes has a buffer like any other. */
TEST(test_empty_tensors)
{
    static const char relu[] = "RELU x:f32[0,4] -> y:f32[0,4]";
    const struct model_text text = { .text = relu, .count = sizeof relu - 1 };
    struct litert_layout shapes[LITERT_IO_MAX] = { { 0 } };
    struct tflite_file file;
    struct litert_source source = { .inputs = 1, .outputs = 1 };
    struct subject subject;
    struct litert_model m;

    if (!find())
        skip();
    assert_int_equal(model_text_read(&text, &file, &err), STATUS_OK);
    source.bytes = file.bytes;
    source.count = file.count;
    assert_int_equal(subject_parse(&subject, "litert:cpu?fallback=cpu", &err), STATUS_OK);
    if (subject_load(&subject, &err) != STATUS_OK ||
        litert_model_open(&m, subject.runtime, &source, &err) != STATUS_OK ||
        litert_io_fill(m.litert, &m.outputs[0], 1, &err) != STATUS_OK ||
        litert_io_write(m.litert, &m.inputs[0], NULL, &err) != STATUS_OK ||
        litert_model_run(&m, &err) != STATUS_OK ||
        litert_model_shapes(&m, shapes, &err) != STATUS_OK ||
        litert_io_check(&m.outputs[0], "output", 0, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(m.outputs[0].bytes, 0);
    assert_int_equal(shapes[0].rank, 2);
    assert_int_equal(shapes[0].dimensions[0], 0);
    litert_model_close(&m);
    subject_close(&subject);
    mem_free(file.bytes);
}

TEST(test_kernels)
{
    if (!find())
        skip();
    judge_kit_expect("litert:cpu?kernel_mode=reference", "softmax.f32.beta_half", CASE_PASS, "");
    judge_kit_expect("litert:cpu?fallback=cpu", "softmax.f32.beta_half", CASE_PASS, "");
    judge_kit_expect("litert:cpu", "softmax.f32.beta_half", CASE_DECLINED, "XNNPACK leaves nodes");
    judge_kit_expect("litert:cpu", "lstm.f32.a5", CASE_DECLINED,
                     "Variable tensors not yet supported");
}

/* LiteRT takes the accelerator that is handed in, and passes on that it makes no delegate. */
TEST(test_accelerator)
{
    char spec[PATH_MAX + 64], device[64], runtime[64];
    struct subject subject CLOSED_BY(subject_close);

    if (!find())
        skip();
    snprintf(spec, sizeof spec, "litert:gpu?accelerator=%s", mock_path("accelerator.so"));
    judge_kit_expect(spec, "relu.f32.c5", CASE_DECLINED, "LiteRtCreateCompiledModel");
    assert_int_equal(subject_parse(&subject, spec, &err), STATUS_OK);
    assert_int_equal(subject_load(&subject, &err), STATUS_OK);
    subject.kind->describe(&subject, device, sizeof device, runtime, sizeof runtime);
    assert_string_equal(device, "Mock accelerator 4.5.6");
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
