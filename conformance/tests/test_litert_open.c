/* What of LiteRT is found, loaded and refused, before any model: libraries, accelerators, options.
 */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: mock/litert.so mock/litert_old.so */
/* Needs: mock/accelerator.so mock/accelerator_bytes.so */
/* Needs: mock/accelerator_version.so mock/accelerator_nameless.so */
#include "conformance/suite/subject/litert_api.h"
#include "conformance/suite/subject/litert_find.h"
#include "conformance/suite/subject/litert_runtime.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPEC_BYTES = 3 * PATH_MAX };

/* "litert:WHAT?library=.../NAME&KEYS"; %s in keys is the folder of the mocks. */
static const char *spec(const char *what, const char *library, const char *keys)
{
    static char text[2 * SPEC_BYTES];
    char folder[PATH_MAX], expanded[SPEC_BYTES] = "";
    const char *const place = keys ? strstr(keys, "%s") : NULL;

    snprintf(folder, sizeof folder, "%s", mock_path(""));
    if (place)
        snprintf(expanded, sizeof expanded, "&%.*s%s%s", (int)(place - keys), keys, folder,
                 place + 2);
    else if (keys)
        snprintf(expanded, sizeof expanded, "&%s", keys);
    snprintf(text, sizeof text, "litert:%s?library=%s%s%s", what, folder, library, expanded);
    return text;
}

static void expect_parse(const char *text, enum status expected, const char *message)
{
    struct subject s CLOSED_BY(subject_close);
    struct diag diag = { .text = "" };
    const enum status status = subject_parse(&s, text, &diag);

    if (status != expected || !strstr(diag.text, message))
        fail_msg("%s: expected %s with '%s', found %s with '%s'", text, status_text(expected),
                 message, status_text(status), diag.text);
}

/* ---- libraries ---- */

TEST(test_libraries)
{
    judge_kit_expect_load(spec("cpu", "litert.so", NULL), STATUS_OK, "");
    judge_kit_expect_load(
        spec("cpu", "litert_old.so", NULL), STATUS_IO,
        "does not export LiteRtRunCompiledModel, which LiteRT 2.3.0 has; this is version "
        "unknown");
    judge_kit_expect_load(spec("cpu", "delegate.so", NULL), STATUS_IO,
                          "no LiteRT library: it does not export LiteRtCreateEnvironment");
    judge_kit_expect_load(spec("cpu", "litert.so.d", NULL), STATUS_IO, "litert.so.d");
    expect_parse(spec("cpu", "nowhere.so", NULL), STATUS_IO, "nowhere.so: No such file");
}

TEST(test_library_from_environment)
{
    char path[PATH_MAX], found[PATH_MAX];

    snprintf(path, sizeof path, "%s", mock_path("litert.so"));
    setenv("LITERT_LIBRARY", path, 1);
    assert_int_equal(litert_find(NULL, found, &err), STATUS_OK);
    assert_string_equal(strrchr(found, '/'), "/litert.so");
    assert_int_equal(litert_find(mock_path("gpu.so"), found, &err), STATUS_OK);
    assert_string_equal(strrchr(found, '/'), "/gpu.so"); /* what is named comes first */
    setenv("LITERT_LIBRARY", "/nowhere/libLiteRt.so", 1);
    assert_int_equal(litert_find(NULL, found, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "LITERT_LIBRARY=/nowhere/libLiteRt.so: No such file"));
    unsetenv("LITERT_LIBRARY");
}

/* A python3 of ours says where the package is; one that fails leaves the line that installs it. */
static void write_python(const char *script)
{
    char text[2 * PATH_MAX];

    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    assert_int_equal(chmod(scratch_text("python3", text), 0755), 0);
}

TEST(test_library_of_a_wheel)
{
    const char *const folder = scratch("wheel"), *const path = scratch("wheel/libLiteRt.so");
    char found[PATH_MAX], script[PATH_MAX], old[PATH_MAX];

    if (access("/usr/lib/libLiteRt.so", F_OK) == 0)
        skip();
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(symlink(mock_path("litert.so"), path), 0);
    snprintf(script, sizeof script, "echo noise >&2; echo '%s'", folder);
    write_python(script);
    setenv("PATH", scratch("."), 1);
    KIT_OK(litert_find(NULL, found, &err));
    assert_string_equal(found, path);
    write_python("exit 1");
    assert_int_equal(litert_find(NULL, found, &err), STATUS_NO_DEVICE);
    assert_non_null(strstr(err.text, "python3 -m pip install ai-edge-litert==2.3.0"));
    setenv("PATH", old, 1);
}

/* The real python3 finds the package, and does not run it. */
TEST(test_wheel_is_not_imported)
{
    const char *const library = scratch("ai_edge_litert/libLiteRt.so"), *const marker =
                                                                            scratch("imported");
    char text[300], found[PATH_MAX];

    if (access("/usr/lib/libLiteRt.so", F_OK) == 0 ||
        system("python3 -c pass >/dev/null 2>&1") != 0) {
        print_message("skipped: no python3 here\n");
        skip();
    }
    snprintf(text, sizeof text, "open('%s', 'w')\n", marker);
    assert_int_equal(mkdir(scratch("ai_edge_litert"), 0700), 0);
    scratch_text("ai_edge_litert/__init__.py", text);
    assert_int_equal(symlink(mock_path("litert.so"), library), 0);
    setenv("PYTHONPATH", scratch("."), 1);
    KIT_OK(litert_find(NULL, found, &err));
    unsetenv("PYTHONPATH");
    assert_string_equal(found, library);
    assert_int_not_equal(access(marker, F_OK), 0);
}

TEST(test_version)
{
    const char *const info = scratch("ai_edge_litert-2.9.1.dist-info"),
                      *const path = scratch("ai_edge_litert/libLiteRt.so");
    char version[32];

    assert_int_equal(mkdir(info, 0700), 0);
    litert_find_version(path, version, sizeof version);
    assert_string_equal(version, "2.9.1");
    assert_false(litert_is_known_version(version));
    rmdir(info);
    litert_find_version(path, version, sizeof version);
    assert_string_equal(version, "");
    litert_find_version("/usr/lib/libLiteRt.so", version, sizeof version);
    assert_string_equal(version, "");
}

/* ---- accelerators ---- */

TEST(test_accelerators)
{
    char bytes[80];

    snprintf(bytes, sizeof bytes, "of ABI version 1.0 has 192 bytes, expected %zu",
             sizeof(struct litert_accelerator_def)); /* 200 where pointers have 64 bits */
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%saccelerator.so"), STATUS_OK, "");
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%sdelegate.so"), STATUS_IO,
                          "no LiteRT accelerator: it does not export LiteRtAcceleratorImpl");
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%saccelerator_bytes.so"), STATUS_IO,
                          bytes);
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%saccelerator_version.so"),
                          STATUS_IO, "has ABI version 2.0, expected 1.x");
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%saccelerator_nameless.so"),
                          STATUS_IO, "get_name is NULL");
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%snowhere.so"), STATUS_IO,
                          "nowhere.so");
}

/* LiteRT goes on with another accelerator, or with none: the suite must not. */
TEST(test_missing_accelerators)
{
    setenv("MOCK_LITERT", "no_accelerator", 1);
    judge_kit_expect_load(spec("gpu", "litert.so", NULL), STATUS_NO_DEVICE,
                          "loader's path: accelerator could not be loaded");
    setenv("MOCK_LITERT", "ignore_accelerator", 1);
    judge_kit_expect_load(spec("gpu", "litert.so", "accelerator=%saccelerator.so"),
                          STATUS_NO_DEVICE, "accelerator.so, it found Mock 1.2.3");
    setenv("MOCK_LITERT", "no_device", 1);
    judge_kit_expect_load(
        spec("gpu", "litert.so", NULL), STATUS_NO_DEVICE,
        "litert: Mock 1.2.3: LiteRtCreateCompiledModel: kLiteRtStatusErrorRuntimeFailure: "
        "No adapters found");
    setenv("MOCK_LITERT", "compile", 1); /* the op is not taken: no lack of a device */
    judge_kit_expect_load(spec("gpu", "litert.so", NULL), STATUS_OK, "");
    setenv("MOCK_LITERT", "environment", 1);
    judge_kit_expect_load(
        spec("cpu", "litert.so", NULL), STATUS_NO_DEVICE,
        "LiteRtCreateEnvironment: kLiteRtStatusErrorRuntimeFailure: no environment today");
    unsetenv("MOCK_LITERT");
}

TEST(test_device)
{
    char device[64], runtime[64];
    struct subject s CLOSED_BY(subject_close);

    KIT_OK(subject_parse(&s, spec("gpu", "litert.so", "accelerator=%saccelerator.so"), &err));
    assert_int_equal(subject_load(&s, &err), STATUS_OK);
    s.kind->describe(&s, device, sizeof device, runtime, sizeof runtime);
    assert_string_equal(device, "Mock accelerator 4.5.6");
    assert_string_equal(runtime, "LiteRT of unknown version (tested with 2.3.0)");
}

/* ---- options ---- */

TEST(test_options)
{
    struct litert_config c;

    assert_int_equal(litert_config_init(&c, "gpu", &err), STATUS_OK);
    assert_int_equal(c.hardware, LITERT_GPU);
    assert_int_equal(litert_config_set(&c, "precision", "fp32", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "benchmark_mode", "1", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "prefer_texture_weights", "false", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "kernel_batch_size", "12", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "serialization_dir", "/tmp/x", &err), STATUS_OK);
    assert_string_equal(c.gpu, "precision = 2\nbenchmark_mode = true\n"
                               "prefer_texture_weights = false\nkernel_batch_size = 12\n"
                               "serialization_dir = \"/tmp/x\"\n");
    assert_string_equal(c.xnnpack, "");
    assert_int_equal(litert_config_init(&c, "cpu", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "kernel_mode", "builtin", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "xnnpack_flags", "3", &err), STATUS_OK);
    assert_string_equal(c.xnnpack, "kernel_mode = \"builtin\"\nflags = 3\n");
    assert_true(c.builtin_kernels);
    assert_int_equal(litert_config_set(&c, "fallback", "cpu", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "buffers", "managed", &err), STATUS_OK);
    assert_true(c.fallback && c.buffers == LITERT_BUFFERS_MANAGED);
    assert_int_equal(litert_config_init(&c, "npu", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "openvino_device", "cpu", &err), STATUS_OK);
    assert_int_equal(litert_config_set(&c, "openvino_precision", "f32", &err), STATUS_OK);
    assert_string_equal(c.openvino, "graph.0.graph_backend = 0\n"
                                    "configs_map.INFERENCE_PRECISION_HINT = \"f32\"\n");
}

TEST(test_wrong_options)
{
    expect_parse("litert:tpu", STATUS_USAGE, "expected litert:cpu, litert:gpu or litert:npu");
    expect_parse("litert:gpu?precision=bf16", STATUS_USAGE,
                 "expected one of default, fp16, fp32, fp16_with_fp32_accum");
    expect_parse("litert:cpu?precision=fp32", STATUS_USAGE, "belongs to litert:gpu");
    expect_parse("litert:gpu?openvino_device=cpu", STATUS_USAGE, "belongs to litert:npu");
    expect_parse("litert:cpu?accelerator=x.so", STATUS_USAGE, "unknown option accelerator=x.so");
    expect_parse("litert:cpu?colour=red", STATUS_USAGE, "unknown option colour=red");
    expect_parse("litert:cpu?num_threads=-1", STATUS_USAGE, "expected a number from 0 on");
    expect_parse("litert:cpu?num_threads=two", STATUS_USAGE, "expected a number from 0 on");
    expect_parse("litert:gpu?benchmark_mode=yes", STATUS_USAGE,
                 "expected one of 0, 1, false, true");
    expect_parse("litert:gpu?serialization_dir=a%22b", STATUS_USAGE, "without quotes");
    expect_parse("litert:gpu?buffers=none", STATUS_USAGE, "auto, host, managed");
    expect_parse("litert:gpu?fallback=gpu", STATUS_USAGE, "none, cpu");
}

static void expect_option(struct litert_config *c, const char *key, const char *value,
                          const char *message) /* NULL: it is taken */
{
    struct diag diag = { .text = "" };
    const enum status status = litert_config_set(c, key, value, &diag);

    if (status != (message ? STATUS_USAGE : STATUS_OK) ||
        !strstr(diag.text, message ? message : ""))
        fail_msg("%s=%.100s: expected '%s', found %s with '%s'", key, value, message ? message : "",
                 status_text(status), diag.text);
}

TEST(test_numbers)
{
    static const char *const numbers[] = { "0", "12", "2147483647", "9999999999" };
    static const char *const others[] = { "",    "-1",  "+1",          " 1",
                                          "1 ",  "3x",  "0x10",        "1.0",
                                          "two", "1e3", "12345678901", "99999999999999999999" };
    char text[80];
    struct litert_config c;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_int_equal(litert_config_init(&c, "cpu", &err), STATUS_OK);
        expect_option(&c, "num_threads", numbers[i], NULL);
        snprintf(text, sizeof text, "num_threads = %s\n", numbers[i]);
        assert_string_equal(c.xnnpack, text);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(litert_config_init(&c, "cpu", &err), STATUS_OK);
        snprintf(text, sizeof text, "num_threads=%s: expected a number from 0 on", others[i]);
        expect_option(&c, "num_threads", others[i], text);
        assert_string_equal(c.xnnpack, "");
    }
}

/* Texts and options that LiteRT would get cut. */
TEST(test_long_options)
{
    enum { TEXT_MAX = 509 };
    static const char start[] = "serialization_dir = \"";
    const size_t line = sizeof start - 1 + TEXT_MAX + 2;
    char value[TEXT_MAX + 2] = "";
    struct litert_config c;

    assert_int_equal(litert_config_init(&c, "gpu", &err), STATUS_OK);
    memset(value, 'a', TEXT_MAX + 1);
    expect_option(&c, "serialization_dir", value, "line ends, of at most 509 bytes");
    assert_string_equal(c.gpu, "");
    value[TEXT_MAX] = '\0';
    for (int i = 0; i < 3; i++)
        expect_option(&c, "serialization_dir", value, NULL);
    assert_int_equal(strlen(c.gpu), 3 * line);
    expect_option(&c, "serialization_dir", value, "litert: options of more than 2048 bytes");
    /* 2047 bytes and their NUL are the most. */
    assert_int_equal(litert_config_init(&c, "gpu", &err), STATUS_OK);
    for (int i = 0; i < 3; i++)
        expect_option(&c, "serialization_dir", value, NULL);
    value[LITERT_TOML_BYTES - 4 * line + TEXT_MAX] = '\0';
    expect_option(&c, "serialization_dir", value, "litert: options of more than 2048 bytes");
    c.gpu[3 * line] = '\0';
    value[LITERT_TOML_BYTES - 4 * line + TEXT_MAX - 1] = '\0';
    expect_option(&c, "serialization_dir", value, NULL);
    assert_int_equal(strlen(c.gpu), LITERT_TOML_BYTES - 1);
}

/* The class of bounds that a precision stands for. */
TEST(test_bounds)
{
    static const struct {
        const char *what, *keys;
        enum bounds bounds;
    } rows[] = { { "cpu", NULL, BOUNDS_FP32 },
                 { "gpu", NULL, BOUNDS_FP16 },
                 { "gpu", "precision=fp16", BOUNDS_FP16 },
                 { "gpu", "precision=fp32", BOUNDS_FP32 },
                 { "gpu", "bounds=fp32", BOUNDS_FP32 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct subject s CLOSED_BY(subject_close);

        KIT_OK(subject_parse(&s, spec(rows[i].what, "litert.so", rows[i].keys), &err));
        assert_int_equal(s.bounds, rows[i].bounds);
    }
}

/* ---- LiteRT's log ---- */

TEST(test_explain)
{
    static const char log[] = "INFO: [environment.cc:30] Creating LiteRT environment\n"
                              "WARNING: [a.cc:3] odd\n"
                              "ERROR: [compiled_model.cc:992] first\n"
                              "ERROR: [compiled_model.cc:992] first\n"
                              "ERROR: second\n";
    char text[64];

    litert_explain(log, text, sizeof text);
    assert_string_equal(text, "first; second");
    litert_explain("WARNING: [a.cc:3] odd\nINFO: no\n", text, sizeof text);
    assert_string_equal(text, "odd");
    litert_explain("terminate called\n", text, sizeof text);
    assert_string_equal(text, "terminate called");
    litert_explain("ERROR: [x] ", text, sizeof text);
    assert_string_equal(text, "");
    litert_explain(log, text, 8); /* what does not fit is left out */
    assert_string_equal(text, "first");
}

static void without_environment(const char *file)
{
    (void)file;
    unsetenv("MOCK_LITERT");
    unsetenv("LITERT_LIBRARY");
}

TEST_FILE(.before = without_environment);
