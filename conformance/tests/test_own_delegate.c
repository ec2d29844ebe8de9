/* The examples of delegates, delegate/examples/{own,opaque}_delegate.c, are judged as their page
 * says: what they take they compute, and one that was linked without TensorFlow Lite's functions is
 * told so. */
/* Needs: assay own/delegate.so own/opaque.so own/unlinked.so */
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "tensorflow/lite/c/common.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char text[1 << 14];

/* Judges RELU on a library of build/own; returns the exit code. */
static int judge(const char *library)
{
    char command[8300], assay[4096];
    size_t count;
    FILE *f;
    int code;

    snprintf(assay, sizeof assay, "%s", build_path(".", "assay"));
    snprintf(command, sizeof command,
             "%s conformance --delegate=%s --filter='relu.f32.*' --filter='relu.i8.*' "
             "--filter='gap.f32.relu*' --quiet --jobs=2 2>&1",
             assay, build_path("own", library));
    f = popen(command, "r");
    assert_non_null(f);
    count = fread(text, 1, sizeof text - 1, f);
    text[count] = '\0';
    code = pclose(f);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

static void expect(const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected '%s' in:\n%s", part, text);
}

static void expect_pass(const char *library)
{
    const char *passed;

    assert_int_equal(judge(library), 0);
    expect(" passed, 0 failed, ");
    /* All of f32 is taken. */
    assert_non_null(passed = strstr(text, "checks: "));
    assert_true(strtol(passed + strlen("checks: "), NULL, 10) > 90);
    expect("types not taken: relu (i8)");
}

TEST(the_example_passes)
{
    expect_pass("delegate.so");
}

/* ---- a host whose memory is used up ---- */

static TfLiteRegistration offered;

static TfLiteStatus plan_of_none(TfLiteContext *context, TfLiteIntArray **plan)
{
    static TfLiteIntArray none;

    (void)context;
    *plan = &none;
    return kTfLiteOk;
}

static TfLiteStatus take(TfLiteContext *context, TfLiteRegistration kernel,
                         const TfLiteIntArray *nodes, TfLiteDelegate *delegate)
{
    (void)context, (void)nodes, (void)delegate;
    offered = kernel;
    return kTfLiteOk;
}

/* tflite-runtime 2.14 prepares and frees whatever init has returned. */
TEST(a_kernel_without_memory_fails_in_prepare)
{
    TfLiteContext context = { .GetExecutionPlan = plan_of_none,
                              .ReplaceNodeSubsetsWithDelegateKernels = take };
    TfLiteNode node = { .user_data = NULL };
    TfLiteDelegate *(*create)(const char *const *, const char *const *, size_t,
                              void (*)(const char *));
    void (*destroy)(TfLiteDelegate *);
    void *const library = dlopen(build_path("own", "delegate.so"), RTLD_NOW);
    TfLiteDelegate *delegate;

    assert_non_null(library);
    *(void **)&create = dlsym(library, "tflite_plugin_create_delegate");
    *(void **)&destroy = dlsym(library, "tflite_plugin_destroy_delegate");
    delegate = create(NULL, NULL, 0, NULL);
    assert_int_equal(delegate->Prepare(&context, delegate), kTfLiteOk);
    assert_int_equal(offered.prepare(&context, &node), kTfLiteError);
    offered.free(&context, node.user_data);
    destroy(delegate);
    dlclose(library);
}

TEST(the_opaque_abi_is_taken)
{
    expect_pass("opaque.so");
}

TEST(a_missing_symbol_is_explained)
{
    assert_int_equal(judge("unlinked.so"), 2);
    expect("undefined symbol: TfLiteIntArray");
    expect("such as with -lassay (pkg-config --libs assay; conformance/doc/OWN_DELEGATE.md)");
}
