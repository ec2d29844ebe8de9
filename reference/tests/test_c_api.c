/* The TensorFlow Lite C API without delegates: documented behaviour, and invalid arguments of every
 * function. */
#include "reference/runtime/report.h"
#include "reference/runtime/state.h"
#include "reference/tests/kit/c_api_kit.h"
#include "reference/tests/kit/capture.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

/* ---- the plain life ---- */

TEST(a_program_runs)
{
    struct tflite_file file;
    TfLiteInterpreterOptions *options = c_api_options(), *copy;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    const TfLiteTensor *x;

    assert_string_equal(TfLiteVersion(), ASSAY_VERSION);
    assert_string_equal(TfLiteExtensionApisVersion(), ASSAY_VERSION);
    assert_int_equal(TfLiteSchemaVersion(), 3);
    c_api_classifier(&file);
    model = c_api_load(&file);
    TfLiteInterpreterOptionsSetNumThreads(options, 2);
    copy = TfLiteInterpreterOptionsCopy(options);
    assert_non_null(copy);
    TfLiteInterpreterOptionsDelete(options);
    interpreter = TfLiteInterpreterCreate(model, copy);
    assert_non_null(interpreter);
    TfLiteInterpreterOptionsDelete(copy);
    TfLiteModelDelete(model); /* goes with the interpreter */

    assert_int_equal(TfLiteInterpreterGetInputTensorCount(interpreter), 1);
    assert_int_equal(TfLiteInterpreterGetOutputTensorCount(interpreter), 2);
    assert_int_equal(TfLiteInterpreterInputTensorIndices(interpreter)[0], 0);
    assert_int_equal(TfLiteInterpreterOutputTensorIndices(interpreter)[1], 2);
    assert_int_equal(TfLiteInterpreterGetInputTensorIndex(interpreter, 0), 0);
    assert_int_equal(TfLiteInterpreterGetOutputTensorIndex(interpreter, 0), 3);
    x = TfLiteInterpreterGetInputTensor(interpreter, 0);
    assert_ptr_equal(x, TfLiteInterpreterGetTensor(interpreter, 0));
    assert_string_equal(TfLiteTensorName(x), "x");
    assert_int_equal(TfLiteTensorType(x), kTfLiteFloat32);
    assert_int_equal(TfLiteTensorNumDims(x), 2);
    assert_int_equal(TfLiteTensorDim(x, 1), 4);
    assert_int_equal(TfLiteTensorByteSize(x), 16);
    assert_null(TfLiteTensorData(x)); /* before allocation */
    assert_true(TfLiteTensorQuantizationParams(x).scale == 0);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteError);
    assert_non_null(strstr(c_api_messages, "before the tensors were allocated\n"));
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_non_null(TfLiteTensorData(x));
    c_api_check_run(interpreter, kTfLiteOk);

    c_api_messages[0] = '\0';
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 3, 4 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(interpreter, 0), 0), 3);
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 1, 4 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    c_api_check_run(interpreter, kTfLiteOk);
    assert_string_equal(c_api_messages, "");
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 1, 5 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteError);
    assert_non_null(strstr(c_api_messages, "ADD: node 0"));
    TfLiteInterpreterDelete(interpreter);
    mem_free(file.bytes);
}

TEST(sizes_must_match)
{
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteTensor *x, *w;
    float data[8] = { 0 };

    c_api_classifier(&file);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    assert_non_null(interpreter);
    x = TfLiteInterpreterGetInputTensor(interpreter, 0);
    w = TfLiteInterpreterGetTensor(interpreter, 1);
    assert_int_equal(TfLiteTensorCopyFromBuffer(x, data, 16), kTfLiteError); /* no memory yet */
    assert_int_equal(TfLiteTensorCopyToBuffer(x, data, 16), kTfLiteError);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    for (size_t n = 0; n < sizeof data; n++) {
        assert_int_equal(TfLiteTensorCopyFromBuffer(x, data, n),
                         n == 16 ? kTfLiteOk : kTfLiteError);
        assert_int_equal(TfLiteTensorCopyToBuffer(x, data, n), n == 16 ? kTfLiteOk : kTfLiteError);
    }
    assert_int_equal(TfLiteTensorCopyFromBuffer(w, data, 16), kTfLiteError); /* constant */
    assert_int_equal(TfLiteTensorCopyToBuffer(w, data, 16), kTfLiteOk);
    assert_true(data[1] == 4);
    assert_int_equal(TfLiteTensorCopyFromBuffer(x, NULL, 16), kTfLiteError);
    assert_int_equal(TfLiteTensorCopyToBuffer(x, NULL, 16), kTfLiteError);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* ---- NULL and out of range ---- */

TEST(nothing_breaks_on_null)
{
    float data[4] = { 0 };
    int handle;
    TfLiteDelegate *delegate;
    struct capture c;

    capture_begin(&c, stderr);
    assert_null(TfLiteModelCreate(NULL, 100));
    assert_null(TfLiteModelCreateFromFile(NULL));
    assert_null(TfLiteInterpreterCreate(NULL, NULL));
    capture_end(&c);
    assert_string_equal(c.text, "the model is NULL\nthe path is NULL\nthe model is NULL\n");
    TfLiteModelDelete(NULL);
    assert_null(TfLiteInterpreterOptionsCopy(NULL));
    TfLiteInterpreterOptionsDelete(NULL);
    TfLiteInterpreterOptionsSetNumThreads(NULL, 1);
    TfLiteInterpreterOptionsAddDelegate(NULL, NULL);
    TfLiteInterpreterOptionsSetErrorReporter(NULL, NULL, NULL);
    TfLiteInterpreterOptionsSetEnableDelegateFallback(NULL, true);
    assert_int_equal(TfLiteInterpreterOptionsEnableCancellation(NULL, true), kTfLiteError);
    TfLiteInterpreterDelete(NULL);
    assert_int_equal(TfLiteInterpreterGetInputTensorCount(NULL), 0);
    assert_int_equal(TfLiteInterpreterGetOutputTensorCount(NULL), 0);
    assert_null(TfLiteInterpreterInputTensorIndices(NULL));
    assert_null(TfLiteInterpreterOutputTensorIndices(NULL));
    assert_null(TfLiteInterpreterGetInputTensor(NULL, 0));
    assert_null(TfLiteInterpreterGetOutputTensor(NULL, 0));
    assert_null(TfLiteInterpreterGetTensor(NULL, 0));
    assert_int_equal(TfLiteInterpreterResizeInputTensor(NULL, 0, NULL, 0), kTfLiteError);
    assert_int_equal(TfLiteInterpreterAllocateTensors(NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterInvoke(NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterCancel(NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetSignatureCount(NULL), 0);
    assert_null(TfLiteInterpreterGetSignatureKey(NULL, 0));
    assert_null(TfLiteInterpreterGetSignatureRunner(NULL, "a"));
    assert_int_equal(TfLiteSignatureRunnerGetInputCount(NULL), 0);
    assert_int_equal(TfLiteSignatureRunnerGetOutputCount(NULL), 0);
    assert_null(TfLiteSignatureRunnerGetInputName(NULL, 0));
    assert_null(TfLiteSignatureRunnerGetOutputName(NULL, 0));
    assert_null(TfLiteSignatureRunnerGetInputTensor(NULL, "a"));
    assert_null(TfLiteSignatureRunnerGetOutputTensor(NULL, "a"));
    assert_int_equal(TfLiteSignatureRunnerResizeInputTensor(NULL, "a", NULL, 0), kTfLiteError);
    assert_int_equal(TfLiteSignatureRunnerAllocateTensors(NULL), kTfLiteError);
    assert_int_equal(TfLiteSignatureRunnerInvoke(NULL), kTfLiteError);
    assert_int_equal(TfLiteSignatureRunnerCancel(NULL), kTfLiteError);
    TfLiteSignatureRunnerDelete(NULL);
    assert_int_equal(TfLiteTensorType(NULL), kTfLiteNoType);
    assert_int_equal(TfLiteTensorNumDims(NULL), -1);
    assert_int_equal(TfLiteTensorDim(NULL, 0), -1);
    assert_int_equal(TfLiteTensorByteSize(NULL), 0);
    assert_null(TfLiteTensorData(NULL));
    assert_null(TfLiteTensorName(NULL));
    assert_true(TfLiteTensorQuantizationParams(NULL).scale == 0);
    assert_int_equal(TfLiteTensorCopyFromBuffer(NULL, data, 0), kTfLiteError);
    assert_int_equal(TfLiteTensorCopyToBuffer(NULL, data, 0), kTfLiteError);
    assert_int_equal(TfLiteInterpreterResetVariableTensors(NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetVariableTensorCount(NULL), 0);
    assert_null(TfLiteInterpreterGetVariableTensor(NULL, 0));
    assert_int_equal(TfLiteInterpreterGetInputTensorIndex(NULL, 0), -1);
    assert_int_equal(TfLiteInterpreterGetOutputTensorIndex(NULL, 0), -1);
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(NULL, NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(NULL, 0, NULL, 0), kTfLiteError);
    assert_int_equal(TfLiteInterpreterSetBufferHandle(NULL, NULL, 0, NULL), kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetBufferHandle(NULL, 0, &handle, &delegate), kTfLiteError);
    TfLiteSetAllowBufferHandleOutput(NULL, true);
    assert_int_equal(TfLiteInterpreterEnsureTensorDataIsReadable(NULL, 0), kTfLiteError);
}

TEST(nothing_breaks_out_of_range)
{
    static const int32_t bad[] = { -1, 2, INT32_MAX, INT32_MIN };
    static TfLiteTensor elsewhere; /* below the heap, as writable is above it */
    TfLiteInterpreterOptions *options = c_api_options();
    const TfLiteTensor foreign = { 0 };
    TfLiteTensor writable = { 0 };
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    TfLiteDelegate *delegate;
    int handle;

    c_api_classifier(&file);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_non_null(interpreter);
    runner = TfLiteInterpreterGetSignatureRunner(interpreter, "serving_default");
    assert_non_null(runner);
    for (size_t i = 0; i < 4; i++) {
        assert_null(TfLiteInterpreterGetInputTensor(interpreter, bad[i]));
        assert_null(TfLiteInterpreterGetOutputTensor(interpreter, bad[i]));
        assert_int_equal(TfLiteInterpreterGetInputTensorIndex(interpreter, bad[i]), -1);
        assert_int_equal(TfLiteInterpreterGetOutputTensorIndex(interpreter, bad[i]), -1);
        assert_null(TfLiteInterpreterGetVariableTensor(interpreter, bad[i]));
        assert_null(TfLiteInterpreterGetSignatureKey(interpreter, bad[i]));
        assert_null(TfLiteSignatureRunnerGetInputName(runner, bad[i]));
        assert_null(TfLiteSignatureRunnerGetOutputName(runner, bad[i]));
        assert_int_equal(
            TfLiteInterpreterResizeInputTensor(interpreter, bad[i], (int[]){ 1, 4 }, 2),
            kTfLiteError);
        assert_int_equal(TfLiteTensorDim(TfLiteInterpreterGetTensor(interpreter, 0), bad[i]), -1);
    }
    assert_null(TfLiteInterpreterGetTensor(interpreter, 4));
    assert_null(TfLiteInterpreterGetTensor(interpreter, -1));
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, NULL, 2), kTfLiteError);
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ -4 }, 1),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterEnsureTensorDataIsReadable(interpreter, 9), kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetBufferHandle(interpreter, 9, &handle, &delegate),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetBufferHandle(interpreter, 0, NULL, &delegate),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterGetBufferHandle(interpreter, 0, &handle, &delegate),
                     kTfLiteOk);
    assert_int_equal(handle, -1);
    assert_null(delegate);
    assert_non_null(strstr(c_api_messages, "input 2147483647, expected 0 to "));
    c_api_messages[0] = '\0';
    assert_int_equal(TfLiteInterpreterSetBufferHandle(interpreter, &writable, 0, delegate),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterSetBufferHandle(interpreter, &elsewhere, 0, delegate),
                     kTfLiteError);
    assert_string_equal(c_api_messages, "");
    assert_int_equal(TfLiteTensorNumDims(&foreign), -1);
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, NULL),
                     kTfLiteDelegateError);
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, NULL, 0),
                     kTfLiteError);
    assert_null(TfLiteInterpreterGetSignatureRunner(interpreter, "none"));
    assert_null(TfLiteInterpreterGetSignatureRunner(interpreter, NULL));
    assert_null(TfLiteSignatureRunnerGetInputTensor(runner, "scores"));
    assert_null(TfLiteSignatureRunnerGetInputTensor(runner, NULL));
    assert_null(TfLiteSignatureRunnerGetOutputTensor(runner, "image"));
    assert_int_equal(TfLiteSignatureRunnerResizeInputTensor(runner, "none", (int[]){ 1 }, 1),
                     kTfLiteError);
    TfLiteSignatureRunnerDelete(runner);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* ---- bad models ---- */

TEST(bad_models_are_reported)
{
    struct tflite_file file;
    struct capture c;
    const char *line;

    c_api_classifier(&file);
    c_api_messages[0] = '\0';
    for (size_t n = 0; n < file.count;
         n++) { /* an exact copy, so that a sanitizer sees an overread */
        uint8_t *cut = malloc(n + 1);
        assert_non_null(cut);
        memcpy(cut, file.bytes, n);
        c_api_messages[0] = '\0';
        if (n + 64 < file.count) { /* the end may be padding */
            assert_null(TfLiteModelCreateWithErrorReporter(cut, n, c_api_listen, c_api_messages));
            assert_non_null(strchr(c_api_messages, '\n'));
        }
        free(cut);
    }
    capture_begin(&c, stderr);
    assert_null(TfLiteModelCreate("TFL3", 4));
    assert_null(TfLiteModelCreateFromFile("/nowhere/model.tflite"));
    line = capture_end(&c);
    assert_non_null(strstr(line, "/nowhere/model.tflite"));
    assert_true(strchr(line, '\n') != NULL && strchr(strchr(line, '\n') + 1, '\n') != NULL);
    mem_free(file.bytes);
}

/* Without a reporter a message goes to standard error, which may be a terminal. */
TEST(messages_obey_no_terminal)
{
    static struct interpreter in; /* without a reporter */
    struct capture c;

    capture_begin(&c, stderr);
    assert_null(TfLiteModelCreateFromFile("/nowhere/\x1b[2J\xc2\x9b\n.tflite"));
    report_send(&in, "tensor '\x1b]0;title\a' has no data\n");
    assert_string_equal(capture_end(&c),
                        "/nowhere/\\x1b[2J\\xc2\\x9b\\x0a.tflite: No such file or directory\n"
                        "tensor '\\x1b]0;title\\x07' has no data\n");
}

/* ---- signatures, variables, memory of the caller ---- */

TEST(signatures_name_tensors)
{
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    const float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    c_api_classifier(&file);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    assert_int_equal(TfLiteInterpreterGetSignatureCount(interpreter), 2);
    assert_string_equal(TfLiteInterpreterGetSignatureKey(interpreter, 0), "serving_default");
    runner = TfLiteInterpreterGetSignatureRunner(interpreter, "serving_default");
    assert_non_null(runner);
    assert_int_equal(TfLiteSignatureRunnerGetInputCount(runner), 1);
    assert_int_equal(TfLiteSignatureRunnerGetOutputCount(runner), 2);
    assert_string_equal(TfLiteSignatureRunnerGetInputName(runner, 0), "image");
    assert_string_equal(TfLiteSignatureRunnerGetOutputName(runner, 1), "sum");
    assert_int_equal(TfLiteSignatureRunnerResizeInputTensor(runner, "image", (int[]){ 2, 4 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteSignatureRunnerAllocateTensors(runner), kTfLiteOk);
    assert_int_equal(TfLiteTensorCopyFromBuffer(
                         TfLiteSignatureRunnerGetInputTensor(runner, "image"), x, sizeof x),
                     kTfLiteOk);
    assert_int_equal(TfLiteSignatureRunnerInvoke(runner), kTfLiteOk);
    assert_true(((const float *)TfLiteTensorData(TfLiteSignatureRunnerGetOutputTensor(
                    runner, "sum")))[7] == 8 + c_api_weights[3]);
    assert_int_equal(TfLiteSignatureRunnerCancel(runner), kTfLiteError); /* not enabled */
    TfLiteSignatureRunnerDelete(runner);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* A decoder in small: its state is an input and an output of both signatures, in one memory of the
 * caller or in two. */
TEST(signatures_of_other_subgraphs_hand_on_state)
{
    static const char graph[] =
        "DYNAMIC_UPDATE_SLICE cache:f32[4] x:f32[%d] at:i32[1] -> next:f32[4]; "
        "SUM {keep_dims=true} next i32[1]=0 -> sum; outputs next sum; "
        "signature %s x=x at=at cache=cache -> next=next sum=sum";
    static const char *const keys[] = { "prefill", "decode" };
    char first[256], second[256];
    struct tflite_file file;
    struct model m;
    TfLiteModel *model;

    snprintf(first, sizeof first, graph, 2, keys[0]);
    snprintf(second, sizeof second, graph, 1, keys[1]);
    kit_text(&m, "%s\ngraph\n%s", first, second);
    KIT_OK(tflite_write(&m, &file, &err));
    model_close(&m);
    model = c_api_load(&file);
    for (int aliased = 0; aliased < 2; aliased++) {
        TfLiteInterpreter *const interpreter = TfLiteInterpreterCreate(model, NULL);
        float *memory CLOSED_BY(kit_free) = aligned_alloc(64, 64);
        const TfLiteCustomAllocation allocation = { memory, 64 };
        float kept[4] = { 0 };

        assert_non_null(interpreter);
        for (int tensor = 0; tensor < 4 && aliased; tensor += 3) /* cache and next of prefill */
            assert_int_equal(
                TfLiteInterpreterSetCustomAllocationForTensor(interpreter, tensor, &allocation, 0),
                kTfLiteOk);
        for (int k = 0; k < 2; k++) {
            TfLiteSignatureRunner *const runner =
                TfLiteInterpreterGetSignatureRunner(interpreter, keys[k]);
            const float x[2] = { 3, 4 }, y[1] = { 5 };
            const int32_t at[1] = { k == 0 ? 1 : 9 };
            const float *sum;

            assert_non_null(runner);
            assert_int_equal(TfLiteSignatureRunnerGetInputCount(runner), 3);
            assert_int_equal(TfLiteSignatureRunnerAllocateTensors(runner), kTfLiteOk);
            assert_int_equal(TfLiteTensorCopyFromBuffer(
                                 TfLiteSignatureRunnerGetInputTensor(runner, "x"),
                                 k == 0 ? (const void *)x : y, k == 0 ? sizeof x : sizeof y),
                             kTfLiteOk);
            TfLiteTensorCopyFromBuffer(TfLiteSignatureRunnerGetInputTensor(runner, "at"), at, 4);
            TfLiteTensorCopyFromBuffer(TfLiteSignatureRunnerGetInputTensor(runner, "cache"), kept,
                                       sizeof kept);
            assert_int_equal(TfLiteSignatureRunnerInvoke(runner), kTfLiteOk);
            TfLiteTensorCopyToBuffer(TfLiteSignatureRunnerGetOutputTensor(runner, "next"), kept,
                                     sizeof kept);
            sum = TfLiteTensorData(TfLiteSignatureRunnerGetOutputTensor(runner, "sum"));
            assert_true(sum[0] == (k == 0 ? 7 : 12));
            TfLiteSignatureRunnerDelete(runner);
        }
        assert_true(kept[0] == 0 && kept[1] == 3 && kept[2] == 4 && kept[3] == 5);
        if (aliased)
            assert_true(memory[1] == 3 && memory[2] == 4 && memory[3] == 0); /* after prefill */
        TfLiteInterpreterDelete(interpreter);
    }
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* Subgraphs with a signature share the variables of the model. */
TEST(signatures_share_variables)
{
    struct tflite_file file;
    struct model m;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *set, *get;
    const float x[1] = { 7 };

    kit_text(&m, "VAR_HANDLE {shared_name=v} -> h:resource[]; ASSIGN_VARIABLE {} h x:f32[1]; "
                 "inputs x; signature set x=x ->\n"
                 "graph\nVAR_HANDLE {shared_name=v} -> h:resource[]; "
                 "READ_VARIABLE {} h -> y:f32[1]; outputs y; signature get -> y=y");
    KIT_OK(tflite_write(&m, &file, &err));
    model_close(&m);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    set = TfLiteInterpreterGetSignatureRunner(interpreter, "set");
    get = TfLiteInterpreterGetSignatureRunner(interpreter, "get");
    assert_int_equal(TfLiteSignatureRunnerAllocateTensors(set), kTfLiteOk);
    assert_int_equal(TfLiteSignatureRunnerAllocateTensors(get), kTfLiteOk);
    assert_int_equal(TfLiteSignatureRunnerInvoke(get), kTfLiteError); /* no value yet */
    TfLiteTensorCopyFromBuffer(TfLiteSignatureRunnerGetInputTensor(set, "x"), x, sizeof x);
    assert_int_equal(TfLiteSignatureRunnerInvoke(set), kTfLiteOk);
    assert_int_equal(TfLiteSignatureRunnerInvoke(get), kTfLiteOk);
    assert_true(
        ((const float *)TfLiteTensorData(TfLiteSignatureRunnerGetOutputTensor(get, "y")))[0] == 7);
    TfLiteSignatureRunnerDelete(set);
    TfLiteSignatureRunnerDelete(get);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* y = x + v, v a variable */
TEST(variables_and_own_memory)
{
    struct tflite_file file;
    struct model m;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    float *memory CLOSED_BY(kit_free) = aligned_alloc(64, 64), *v;
    TfLiteCustomAllocation allocation = { memory, 64 };
    const int y = 2;

    assert_non_null(memory);
    kit_text(&m, "ADD {} x:f32[1,4] w:f32[1,4]! -> y; inputs x");
    KIT_OK(tflite_write(&m, &file, &err));
    model_close(&m);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    allocation.data = (char *)memory + 4;
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(
                         interpreter, y, &allocation, kTfLiteCustomAllocationFlagsNone),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(
                         interpreter, y, &allocation, kTfLiteCustomAllocationFlagsSkipAlignCheck),
                     kTfLiteOk);
    allocation.data = memory;
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(
                         interpreter, y, &allocation, kTfLiteCustomAllocationFlagsNone),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterResetVariableTensors(interpreter), kTfLiteError);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterGetVariableTensorCount(interpreter), 1);
    v = TfLiteTensorData(TfLiteInterpreterGetVariableTensor(interpreter, 0));
    v[2] = 10;
    memset(TfLiteTensorData(TfLiteInterpreterGetInputTensor(interpreter, 0)), 0, 16);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    assert_true(memory[2] == 10 && memory[1] == 0);
    assert_int_equal(TfLiteInterpreterResetVariableTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    assert_true(memory[2] == 0);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* A caller may have given memory to the one signature that it runs. */
TEST(signatures_are_reset_without_the_first)
{
    static const char graph[] = "SVDF {rank=1} x:f32[1,1] f32[1,1]=1 f32[1,2]=1 - s:f32[1,2]! -> "
                                "y:f32[1,1]; inputs x; outputs y; signature %s x=x -> y=y";
    const float x = 1;
    char first[256], second[256];
    struct tflite_file file;
    struct model m;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    float y[3];

    snprintf(first, sizeof first, graph, "first");
    snprintf(second, sizeof second, graph, "second");
    kit_text(&m, "%s\ngraph\n%s", first, second);
    KIT_OK(tflite_write(&m, &file, &err));
    model_close(&m);
    model = c_api_load(&file);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    runner = TfLiteInterpreterGetSignatureRunner(interpreter, "second");
    assert_non_null(runner);
    assert_int_equal(TfLiteSignatureRunnerAllocateTensors(runner), kTfLiteOk);
    for (int i = 0; i < 3; i++) {
        TfLiteTensorCopyFromBuffer(TfLiteSignatureRunnerGetInputTensor(runner, "x"), &x, sizeof x);
        assert_int_equal(TfLiteSignatureRunnerInvoke(runner), kTfLiteOk);
        TfLiteTensorCopyToBuffer(TfLiteSignatureRunnerGetOutputTensor(runner, "y"), &y[i],
                                 sizeof y[i]);
        if (i == 1)
            assert_int_equal(TfLiteInterpreterResetVariableTensors(interpreter), kTfLiteError);
    }
    assert_true(y[0] == 1 && y[1] == 2 && y[2] == 1);
    TfLiteSignatureRunnerDelete(runner);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* ---- memory ---- */

static bool one_life(const struct tflite_file *file, struct mock *mock)
{
    TfLiteModel *model =
        TfLiteModelCreateWithErrorReporter(file->bytes, file->count, c_api_listen, c_api_messages);
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate(), *copy;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    bool good = false;

    c_api_messages[0] = '\0';
    TfLiteInterpreterOptionsSetErrorReporter(options, c_api_listen, c_api_messages);
    TfLiteInterpreterOptionsAddDelegate(options, &mock->abi);
    copy = TfLiteInterpreterOptionsCopy(options);
    interpreter = model && copy ? TfLiteInterpreterCreate(model, copy) : NULL;
    TfLiteModelDelete(model);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteInterpreterOptionsDelete(copy);
    if (interpreter) {
        runner = TfLiteInterpreterGetSignatureRunner(interpreter, "serving_default");
        good = runner && TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk &&
               TfLiteInterpreterInvoke(interpreter) == kTfLiteOk;
        TfLiteSignatureRunnerDelete(runner);
    }
    TfLiteInterpreterDelete(interpreter);
    return good;
}

TEST(survives_failed_allocations)
{
    struct tflite_file file;
    bool good;
    long n = 0;

    c_api_classifier(&file);
    do {
        struct mock mock CLOSED_BY(mock_end);
        mock_begin(&mock);
        mem_fail_after(n++);
        good = one_life(&file, &mock);
        mem_fail_after(-1);
    } while (!good && n < 2000);
    assert_true(good);
    assert_true(n > 30);
    mem_free(file.bytes);
}

TEST(lives_a_thousand_times)
{
    struct tflite_file file;

    c_api_classifier(&file);
    for (int i = 0; i < 1000; i++) {
        MOCK(mock);
        mock.handles = i % 2;
        assert_true(one_life(&file, &mock));
    }
    mem_free(file.bytes);
}
