/* Delegates through the TensorFlow Lite C API: in the options, with and without fallback, buffer
 * handles, and cancelling. */
#include "reference/tests/kit/c_api_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/api/c_api.h"

/* ---- delegates ---- */

TEST(delegates_in_options)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    struct mock mock;

    c_api_classifier(&file);
    model = c_api_load(&file);
    mock_begin(&mock);
    TfLiteInterpreterOptionsAddDelegate(options, NULL); /* nothing */
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_non_null(interpreter);
    assert_string_equal(mock.log, "PipPip"); /* both subgraphs have a signature */
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    c_api_check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    assert_string_equal(mock.log, "PipPipvff");

    /* A delegate that fails: no interpreter, unless fallback is enabled. */
    mock.prepare_status = kTfLiteError;
    c_api_messages[0] = '\0';
    assert_null(TfLiteInterpreterCreate(model, options));
    assert_string_equal(c_api_messages,
                        "mock: Prepare told to fail\nthe delegate's Prepare failed (status 1), "
                        "the original execution plan is restored\n");
    TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
    mock_clear_log(&mock);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_non_null(interpreter);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    c_api_check_run(interpreter, kTfLiteOk);
    assert_string_equal(mock.log, "PP");

    /* The same delegate, applied to a live interpreter. */
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi),
                     kTfLiteDelegateError);
    mock.prepare_status = kTfLiteOk;
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi), kTfLiteOk);
    mock_clear_log(&mock);
    c_api_check_run(interpreter, kTfLiteOk);
    assert_string_equal(mock.log, "v");

    /* Invoke fails and is repeated without the delegate, with the same input. */
    mock.fail_invoke = mock.invokes + 1;
    mock_clear_log(&mock);
    c_api_messages[0] = '\0';
    c_api_check_run(interpreter, kTfLiteDelegateError);
    assert_string_equal(mock.log, "vf");
    assert_non_null(strstr(c_api_messages, "mock: told to fail\n"));
    assert_non_null(strstr(c_api_messages, "retrying without delegates\n"));
    c_api_check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

TEST(no_fallback_unless_enabled)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    struct mock mock;

    c_api_classifier(&file);
    model = c_api_load(&file);
    mock_begin(&mock);
    mock.fail_invoke = 1;
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteError);
    assert_string_equal(c_api_messages,
                        "mock: told to fail\nnode 2 (Mock) failed to invoke (status 1)\n");
    c_api_check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

/* Taking the delegate away moves tensors; the inputs come along. */
TEST(the_fallback_gives_the_same_outputs)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        TfLiteInterpreterOptions *options = c_api_options();
        struct interpreter *plain;
        TfLiteInterpreter *interpreter;
        struct tflite_file file;
        struct model m CLOSED_BY(model_close);
        struct mock mock;
        TfLiteModel *model;

        kit_random_graph(&m, seed, 12, 1);
        KIT_OK(tflite_write(&m, &file, &err));
        model = c_api_load(&file);
        mock_begin(&mock);
        mock.fail_invoke = 1;
        TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
        TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
        interpreter = TfLiteInterpreterCreate(model, options);
        assert_non_null(interpreter);
        assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
        kit_fill_inputs(interpreter->in, seed);
        assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
        KIT_OK(interpreter_open(&plain, &m, NULL, &err));
        KIT_OK(interpreter_allocate(plain, &err));
        kit_invoke(plain, seed);
        kit_same_outputs(plain, interpreter->in, seed);
        interpreter_close(plain);
        TfLiteInterpreterDelete(interpreter);
        TfLiteInterpreterOptionsDelete(options);
        TfLiteModelDelete(model);
        mock_end(&mock);
        mem_free(file.bytes);
    }
}

TEST(a_lost_delegate_is_not_forgotten)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;
    TfLiteModel *model;
    struct mock mock;

    c_api_classifier(&file);
    model = c_api_load(&file);
    mock_begin(&mock);
    mem_fail_after(0);
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    mem_fail_after(-1);
    assert_null(TfLiteInterpreterCreate(model, options));
    assert_string_equal(c_api_messages, "no memory for an interpreter\n");
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

TEST(buffer_handles_stay_on_request)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteDelegate *owner;
    struct mock mock;
    float y[4];
    int handle;

    c_api_classifier(&file);
    model = c_api_load(&file);
    mock_begin(&mock);
    mock.handles = true;
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    c_api_check_run(interpreter, kTfLiteOk);
    TfLiteSetAllowBufferHandleOutput(interpreter, true);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 0), y, sizeof y),
        kTfLiteError); /* it would be the old data */
    assert_int_equal(TfLiteInterpreterGetBufferHandle(interpreter, 3, &handle, &owner), kTfLiteOk);
    assert_true(handle >= 0);
    assert_ptr_equal(owner, &mock.abi);
    assert_int_equal(TfLiteInterpreterEnsureTensorDataIsReadable(interpreter, 3), kTfLiteOk);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 0), y, sizeof y),
        kTfLiteOk);
    assert_int_equal(TfLiteInterpreterSetBufferHandle(
                         interpreter, TfLiteInterpreterGetTensor(interpreter, 3), -1, &mock.abi),
                     kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

/* ---- cancelling ---- */

static TfLiteInterpreter *to_cancel;

static void probe_cancel(struct mock *mock, TfLiteContext *context, const char *where)
{
    (void)mock;
    (void)context;
    if (strcmp(where, "invoke") == 0)
        assert_int_equal(TfLiteInterpreterCancel(to_cancel), kTfLiteOk);
}

TEST(cancelled_on_request)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;
    TfLiteModel *model;
    struct mock mock;

    c_api_classifier(&file);
    model = c_api_load(&file);
    mock_begin(&mock);
    mock.takes = mock_only;
    mock.choice = 0;
    mock.probe = probe_cancel;
    to_cancel = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterCancel(to_cancel), kTfLiteError); /* not enabled */
    TfLiteInterpreterDelete(to_cancel);
    assert_int_equal(TfLiteInterpreterOptionsEnableCancellation(options, true), kTfLiteOk);
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true); /* not for this */
    to_cancel = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterAllocateTensors(to_cancel), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(to_cancel), kTfLiteCancelled);
    mock.probe = NULL;
    c_api_check_run(to_cancel, kTfLiteOk);
    TfLiteInterpreterDelete(to_cancel);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}
