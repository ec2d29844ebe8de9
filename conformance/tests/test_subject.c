/* Subjects: paths, options, bounds, what loads and what does not. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: mock/create_only.so mock/destroy_only.so */
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/sha256.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(test_reference)
{
    TfLiteDelegate *delegate = NULL;
    struct subject s;

    assert_int_equal(subject_init(&s, "none", NULL, &err), STATUS_OK);
    assert_null(s.path);
    assert_string_equal(s.label, "reference");
    assert_string_equal(s.sha256, "");
    assert_int_equal(s.bounds, BOUNDS_FP32);
    assert_int_equal(subject_load(&s, &err), STATUS_OK);
    assert_int_equal(subject_create(&s, NULL, 0, &delegate, &err), STATUS_OK);
    assert_null(delegate);
    subject_destroy(&s, NULL);
    subject_close(&s);
    subject_close(&s); /* takes an empty one too */
}

TEST(test_options)
{
    const char *items[] = { "fault=none", "ulps=3", "fault=swap", "empty=", "a=b=c" };
    const struct string_list list = { items, 5 };
    struct subject s CLOSED_BY(subject_close);

    assert_int_equal(subject_init(&s, mock_path("delegate.so"), &list, &err), STATUS_OK);
    assert_int_equal(s.option_count, 4);
    assert_string_equal(s.options[0].value, "swap"); /* the later one counts */
    assert_string_equal(s.options[2].value, "");
    assert_string_equal(s.options[3].value, "b=c");
    assert_string_equal(s.label, "delegate.so fault=swap ulps=3 empty= a=b=c");
    assert_int_equal(s.path[0], '/');
    assert_int_equal(strlen(s.sha256), 64);
    assert_int_equal(subject_set(&s, "ulps", "4", &err), STATUS_OK);
    assert_int_equal(s.option_count, 4);
    assert_string_equal(s.options[1].value, "4");
}

static void expect_usage(const char *option)
{
    const struct string_list list = { &option, 1 };
    struct subject s;

    assert_int_equal(subject_init(&s, mock_path("delegate.so"), &list, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, option));
    assert_non_null(strstr(err.text, ": expected KEY=VALUE"));
    assert_null(s.path);
}

TEST(test_bad_options)
{
    enum { KEY_BYTES_MAX = 255 };
    char option[KEY_BYTES_MAX + 4];
    const char *items[SUBJECT_OPTIONS_MAX + 1];
    const struct string_list one = { items, 1 };
    char texts[SUBJECT_OPTIONS_MAX + 1][16];
    const struct string_list list = { items, SUBJECT_OPTIONS_MAX + 1 };
    struct subject s;

    expect_usage("precision");
    expect_usage("=fp16");
    expect_usage("=");
    expect_usage("");
    memset(option, 'k', sizeof option);
    strcpy(option + KEY_BYTES_MAX + 1, "=1");
    expect_usage(option);
    strcpy(option + KEY_BYTES_MAX, "=1");
    items[0] = option;
    assert_int_equal(subject_init(&s, mock_path("delegate.so"), &one, &err), STATUS_OK);
    assert_int_equal(strlen(s.options[0].key), KEY_BYTES_MAX);
    subject_close(&s);
    for (size_t i = 0; i <= SUBJECT_OPTIONS_MAX; i++) {
        snprintf(texts[i], sizeof texts[i], "k%zu=1", i);
        items[i] = texts[i];
    }
    assert_int_equal(subject_init(&s, mock_path("delegate.so"), &list, &err), STATUS_USAGE);
}

/* Our options choose the class of bounds; other libraries are held to fp32. */
TEST(test_bounds)
{
    static const struct {
        const char *key, *value;
        enum bounds bounds;
    } settings[] = { { "allow_precision_loss", "1", BOUNDS_FP16 },
                     { "allow_precision_loss", "0", BOUNDS_FP32 },
                     { "precision", "fp16", BOUNDS_FP16 },
                     { "precision", "fp32", BOUNDS_FP32 },
                     { "precision", "fast", BOUNDS_FP16_RUNS } };
    const char *const path = scratch_text("libassay_delegate.so", "x\n");
    struct subject ours CLOSED_BY(subject_close), other CLOSED_BY(subject_close);

    assert_int_equal(subject_init(&ours, path, NULL, &err), STATUS_OK);
    assert_int_equal(subject_init(&other, mock_path("delegate.so"), NULL, &err), STATUS_OK);
    assert_false(subject_is_default(&ours)); /* same name, another place */
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        assert_int_equal(subject_set(&ours, settings[i].key, settings[i].value, &err), STATUS_OK);
        assert_int_equal(subject_set(&other, settings[i].key, settings[i].value, &err), STATUS_OK);
        assert_int_equal(ours.bounds, settings[i].bounds);
        assert_int_equal(other.bounds, BOUNDS_FP32);
    }
    assert_int_equal(subject_load(&ours, &err), STATUS_IO); /* it is no library */
    assert_non_null(strstr(err.text, "libassay_delegate.so"));
}

/* Our integers are held to exact unless an option says otherwise. */
TEST(test_bounds_of_integers)
{
    const struct test_case floats = { .dynamic = true }, bytes = { .quantized = true };
    const char *const path = scratch_text("libassay_delegate.so", "x\n");
    struct subject ours CLOSED_BY(subject_close), other CLOSED_BY(subject_close),
        reference CLOSED_BY(subject_close);

    assert_int_equal(subject_init(&ours, path, NULL, &err), STATUS_OK);
    assert_int_equal(subject_init(&other, mock_path("delegate.so"), NULL, &err), STATUS_OK);
    assert_int_equal(subject_init(&reference, "none", NULL, &err), STATUS_OK);
    assert_int_equal(ours.quantized, BOUNDS_EXACT);
    assert_int_equal(other.quantized, BOUNDS_FLOAT_VIEW);
    assert_int_equal(reference.quantized, BOUNDS_EXACT);
    assert_int_equal(subject_bounds(&ours), BOUNDS_FP32); /* it is not asked about integers */
    assert_int_equal(subject_set(&ours, "quantized", "exact", &err), STATUS_OK);
    assert_int_equal(subject_bounds(&ours), BOUNDS_EXACT);
    assert_int_equal(subject_set(&ours, "quantized", "float_view", &err), STATUS_OK);
    assert_int_equal(ours.quantized, BOUNDS_FLOAT_VIEW);
    assert_int_equal(subject_bounds(&ours), BOUNDS_FLOAT_VIEW);
    assert_int_equal(ours.bounds, BOUNDS_FP32);
    /* All cases, unless it leaves some to others. */
    assert_true(subject_runs(&ours, &floats) && subject_runs(&ours, &bytes));
    ours.skips_floats = true;
    assert_true(!subject_runs(&ours, &floats) && subject_runs(&ours, &bytes));
    ours.skips_floats = false;
    ours.skips_quantized = true;
    assert_true(subject_runs(&ours, &floats) && !subject_runs(&ours, &bytes));
}

TEST(test_missing)
{
    struct subject s CLOSED_BY(subject_close);

    assert_int_equal(subject_init(&s, "/nowhere/delegate.so", NULL, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "/nowhere/delegate.so"));
    assert_null(s.path);
    /* Ours is neither beside the test programs nor in ../lib/assay. */
    assert_int_equal(subject_init(&s, NULL, NULL, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "libassay_delegate.so"));
    /* A library, and no delegate. */
    assert_int_equal(subject_init(&s, mock_path("../libassay.so"), NULL, &err), STATUS_OK);
    assert_int_equal(subject_load(&s, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "tflite_plugin_create_delegate"));
    assert_null(s.library);
}

/* The loader would wait for the writer of a pipe, and the hash of a device would have no end. */
TEST(test_no_files)
{
    static const char *const kinds[] = { "delegate:%s", "tflite-c:%s",
                                         "tflite-c:/proc/self/exe?delegate=%s",
                                         "litert:gpu?library=%s" };
    const char *const files[] = { scratch("pipe"), "/dev/zero" };

    assert_int_equal(mkfifo(files[0], 0600), 0);
    alarm(60); /* a failure hangs */
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (size_t k = 0; k < 2; k++) {
            struct subject s;
            char text[256], expected[256];

            snprintf(text, sizeof text, kinds[i], files[k]);
            snprintf(expected, sizeof expected, "%s: a %s, expected a regular file", files[k],
                     k ? "character device" : "named pipe");
            assert_int_equal(subject_parse(&s, text, &err), STATUS_IO);
            if (!strstr(err.text, expected))
                fail_msg("%s: \"%s\" is not in \"%s\"", text, expected, err.text);
        }
    }
    alarm(0);
}

TEST(test_hash_of_a_long_file)
{
    char hex[SHA256_HEX_BYTES];

    assert_int_equal(limits_set("file_bytes=1000", &err), STATUS_OK);
    assert_int_equal(sha256_file("/proc/self/exe", hex, &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "/proc/self/exe: a longer file"));
    assert_string_equal(hex, "");
    assert_int_equal(limits_set("file_bytes=4G", &err), STATUS_OK);
    assert_int_equal(sha256_file("/proc/self/exe", hex, &err), STATUS_OK);
    assert_int_equal(strlen(hex), 64);
}

/* The hash that is kept is of this file as it is now. */
TEST(test_hash_of_a_changed_file)
{
    const char *const path = scratch_text("library.so", "");
    char expected[SHA256_HEX_BYTES];

    for (int i = 0; i < 5; i++) {
        const char *const library = i < 4 ? path : mock_path("delegate.so");
        struct subject s CLOSED_BY(subject_close);

        assert_int_equal(truncate(path, 100 + i / 2), 0); /* each size twice */
        assert_int_equal(subject_init(&s, library, NULL, &err), STATUS_OK);
        assert_int_equal(sha256_file(library, expected, &err), STATUS_OK);
        assert_string_equal(s.sha256, expected);
    }
}

/* A library with one of the two functions of a delegate. */
TEST(test_half_delegates)
{
    static const char *const halves[][2] = {
        { "create_only.so", "does not export tflite_plugin_destroy_delegate" },
        { "destroy_only.so", "does not export tflite_plugin_create_delegate" },
    };

    for (int i = 0; i < 2; i++) {
        struct subject s CLOSED_BY(subject_close);

        assert_int_equal(subject_init(&s, mock_path(halves[i][0]), NULL, &err), STATUS_OK);
        assert_int_equal(subject_load(&s, &err), STATUS_IO);
        if (!strstr(err.text, halves[i][1]))
            fail_msg("\"%s\" is not in \"%s\"", halves[i][1], err.text);
        assert_null(s.library);
    }
}

TEST(test_load_and_create)
{
    const struct subject_option extra[] = { { "ulps", "1" }, { "fault", "none" } };
    TfLiteDelegate *delegate;
    struct subject s;

    assert_int_equal(subject_init(&s, mock_path("delegate.so"), NULL, &err), STATUS_OK);
    assert_int_equal(subject_create(&s, NULL, 0, &delegate, &err), STATUS_USAGE);
    assert_int_equal(subject_load(&s, &err), STATUS_OK);
    assert_int_equal(subject_load(&s, &err), STATUS_OK); /* again: nothing happens */
    assert_null(s.extras.get_stats);
    /* An extra option replaces the subject's for this object only. */
    assert_int_equal(subject_set(&s, "fault", "no_device", &err), STATUS_OK);
    assert_int_equal(subject_create(&s, NULL, 0, &delegate, &err), STATUS_NO_DEVICE);
    assert_non_null(strstr(err.text, "there is no device"));
    assert_int_equal(subject_create(&s, extra, 2, &delegate, &err), STATUS_OK);
    assert_non_null(delegate);
    subject_destroy(&s, delegate);
    subject_close(&s);
    assert_int_equal(subject_init(&s, mock_path("gpu.so"), NULL, &err), STATUS_OK);
    assert_int_equal(subject_load(&s, &err), STATUS_OK);
    assert_non_null(s.extras.get_stats);
    assert_non_null(s.extras.get_refusal);
    assert_null(s.extras.devices);
    /* Of options that it rejects, a library that can be asked says so. */
    assert_int_equal(subject_set(&s, "fault", "colour", &err), STATUS_OK);
    assert_int_equal(subject_create(&s, NULL, 0, &delegate, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "colour"));
    subject_close(&s);
}

static void expect_no_subject(const char *text, const char *message)
{
    struct subject s CLOSED_BY(subject_close);

    assert_int_equal(subject_parse(&s, text, &err), STATUS_USAGE);
    if (!strstr(err.text, message))
        fail_msg("%s: expected '%s' in '%s'", text, message, err.text);
}

TEST(test_spec)
{
    char text[PATH_MAX + 200], again[PATH_MAX + 200];
    struct subject s;

    snprintf(text, sizeof text, "delegate:%s?fault=a%%26b%%3f&ulps=3&bounds=fp16,exact",
             mock_path("delegate.so"));
    assert_int_equal(subject_parse(&s, text, &err), STATUS_OK);
    assert_int_equal(s.option_count, 2);
    assert_string_equal(subject_option(&s, "fault"), "a&b?");
    assert_string_equal(subject_option(&s, "ulps"), "3");
    assert_null(subject_option(&s, "bounds"));
    assert_int_equal(s.bounds, BOUNDS_FP16);
    assert_int_equal(s.quantized, BOUNDS_EXACT);
    assert_string_equal(s.plugin, s.path);
    assert_true(subject_spec(&s, text, sizeof text));
    assert_false(subject_spec(&s, again, 20));
    subject_close(&s);
    assert_int_equal(subject_parse(&s, text, &err), STATUS_OK); /* what it writes, it reads */
    assert_true(subject_spec(&s, again, sizeof again));
    assert_string_equal(again, text);
    subject_close(&s);
    assert_int_equal(subject_parse(&s, "reference", &err), STATUS_OK);
    assert_null(s.path);
    assert_true(subject_spec(&s, again, sizeof again));
    assert_string_equal(again, "reference");
    subject_close(&s);
    snprintf(text, sizeof text, "delegate:%s", "/nowhere/x.so");
    assert_int_equal(subject_parse(&s, text, &err), STATUS_IO);
}

TEST(test_wrong_spec)
{
    expect_no_subject("", "expected one of reference, delegate:PATH");
    expect_no_subject("gpu", "subject gpu: expected one of");
    expect_no_subject("delegate", "expected one of");
    expect_no_subject("delegate:", "expected one of");
    expect_no_subject("reference:x", "expected one of");
    expect_no_subject("reference?threads=2", "a reference has no key threads");
    expect_no_subject("delegate:x?precision", "expected KEY=VALUE, found 'precision'");
    expect_no_subject("delegate:x?=fp16", "expected KEY=VALUE, found '=fp16'");
    expect_no_subject("delegate:x?a=1&a=2", "the key a is given twice");
    expect_no_subject("delegate:x?a=%4", "found '%4'");
    expect_no_subject("delegate:x?a=%00", "not 00");
    expect_no_subject("delegate:%zz", "found '%zz'");
    expect_no_subject("delegate:x?bounds=fp8", "the class 'fp8' is not known");
}

/* Whichever allocation fails. */
TEST(test_no_memory)
{
    enum status s = STATUS_NO_MEMORY;
    bool no_words = false;
    char text[PATH_MAX + 200];

    snprintf(text, sizeof text, "delegate:%s?ulps=3", mock_path("delegate.so"));
    for (long after = 0; s != STATUS_OK; after++) {
        struct subject subject CLOSED_BY(subject_close);
        struct diag diag = { .text = "" };

        mem_fail_after(after);
        s = subject_parse(&subject, text, &diag);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
        no_words = no_words || strcmp(diag.text, "subject: out of memory") == 0;
        assert_int_equal(subject.option_count, s == STATUS_OK);
    }
    assert_true(no_words);
}
