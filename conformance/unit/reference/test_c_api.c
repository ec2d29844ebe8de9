/* The TensorFlow Lite C API: documented behaviour, invalid arguments of every function, and the
 * example program linked with the built library. */
#include "conformance/unit/kit/capture.h"
#include "conformance/unit/kit/mock_delegate.h"

#include "reference/api/c_api.h"
#include "reference/format/file.h"
#include "reference/format/write.h"
#include "tensorflow/lite/c/c_api_experimental.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

static char said[8192];

static void listen(void *user, const char *format, va_list args)
{
    const size_t length = strlen(said);

    assert_ptr_equal(user, said);
    vsnprintf(said + length, sizeof said - length - 2, format, args);
    strcat(said, "\n");
}

static const float weights[] = { 1, 4, -2, 3 };

/* s = x + w, y = softmax(s), with one signature for it and one for a second subgraph. */
static void classifier(struct tflite_file *file)
{
    const struct model_tensor_map inputs[] = { { { "image", 5 }, 0 } };
    const struct model_tensor_map outputs[] = { { { "scores", 6 }, 3 }, { { "sum", 3 }, 2 } };
    const struct model_signature signatures[] = {
        { .inputs = inputs,
          .input_count = 1,
          .outputs = outputs,
          .output_count = 2,
          .key = { "serving_default", 15 } },
        { .inputs = inputs, .input_count = 1, .key = { "other", 5 }, .subgraph_index = 1 },
    };
    struct model_subgraph twice[2];
    struct diag diag = { 0 };
    struct options add, softmax;
    struct builder b;
    struct model m, with_signature;
    int x, w, s, y;

    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    options_init(&softmax, OPTIONS_SoftmaxOptions);
    options_set_float(&softmax, "beta", 1);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, (int32_t[]){ 1, 4 });
    w = builder_constant(&b, TENSOR_FLOAT32, "w", 2, (int32_t[]){ 1, 4 }, weights, sizeof weights);
    s = builder_tensor(&b, TENSOR_FLOAT32, "s", 2, (int32_t[]){ 1, 4 });
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, (int32_t[]){ 1, 4 });
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ x, w }, 1, &s);
    builder_op(&b, BUILTIN_SOFTMAX, 1, &softmax, 1, &s, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 2, (int[]){ y, s });
    KIT_OK(builder_finish(&b, &m, &diag));
    with_signature = m;
    with_signature.signatures = signatures;
    with_signature.signature_count = 2;
    twice[0] = twice[1] = m.subgraphs[0];
    with_signature.subgraphs = twice;
    with_signature.subgraph_count = 2;
    KIT_OK(tflite_write(&with_signature, file, &diag));
    model_close(&m);
}

static TfLiteModel *load(const struct tflite_file *file)
{
    TfLiteModel *model = TfLiteModelCreateWithErrorReporter(file->bytes, file->count, listen, said);

    if (!model)
        fail_msg("%s", said);
    return model;
}

static TfLiteInterpreterOptions *listening(void)
{
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();

    assert_non_null(options);
    TfLiteInterpreterOptionsSetErrorReporter(options, listen, said);
    said[0] = '\0';
    return options;
}

static void check_run(TfLiteInterpreter *interpreter, TfLiteStatus want)
{
    const float x[] = { 1, 2, 3, 4 };
    float s[4], y[4], sum = 0;

    assert_int_equal(
        TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), x, sizeof x),
        kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), want);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 1), s, sizeof s),
        kTfLiteOk);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 0), y, sizeof y),
        kTfLiteOk);
    for (int i = 0; i < 4; i++) {
        assert_true(s[i] == x[i] + weights[i]);
        sum += y[i];
    }
    assert_true(sum > 0.99999f && sum < 1.00001f);
    assert_true(y[3] > y[1] && y[1] > y[0] && y[0] > y[2]);
}

/* ---- the plain life ---- */

static void a_program_runs(void **state)
{
    struct tflite_file file;
    TfLiteInterpreterOptions *options = listening(), *copy;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    const TfLiteTensor *x;

    (void)state;
    assert_string_equal(TfLiteVersion(), ASSAY_VERSION);
    assert_string_equal(TfLiteExtensionApisVersion(), ASSAY_VERSION);
    assert_int_equal(TfLiteSchemaVersion(), 3);
    classifier(&file);
    model = load(&file);
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
    assert_non_null(strstr(said, "before the tensors were allocated\n"));
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_non_null(TfLiteTensorData(x));
    check_run(interpreter, kTfLiteOk);

    said[0] = '\0';
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 3, 4 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(interpreter, 0), 0), 3);
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 1, 4 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    check_run(interpreter, kTfLiteOk);
    assert_string_equal(said, "");
    assert_int_equal(TfLiteInterpreterResizeInputTensor(interpreter, 0, (int[]){ 1, 5 }, 2),
                     kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteError);
    assert_non_null(strstr(said, "ADD: node 0"));
    TfLiteInterpreterDelete(interpreter);
    mem_free(file.bytes);
}

static void sizes_must_match(void **state)
{
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteTensor *x, *w;
    float data[8] = { 0 };

    (void)state;
    classifier(&file);
    model = load(&file);
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

static void nothing_breaks_on_null(void **state)
{
    float data[4] = { 0 };
    int handle;
    TfLiteDelegate *delegate;
    struct capture c;

    (void)state;
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

static void nothing_breaks_out_of_range(void **state)
{
    static const int32_t bad[] = { -1, 2, INT32_MAX, INT32_MIN };
    static TfLiteTensor elsewhere; /* below the heap, as writable is above it */
    TfLiteInterpreterOptions *options = listening();
    const TfLiteTensor foreign = { 0 };
    TfLiteTensor writable = { 0 };
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    TfLiteDelegate *delegate;
    int handle;

    (void)state;
    classifier(&file);
    model = load(&file);
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
    assert_non_null(strstr(said, "input 2147483647, expected 0 to "));
    said[0] = '\0';
    assert_int_equal(TfLiteInterpreterSetBufferHandle(interpreter, &writable, 0, delegate),
                     kTfLiteError);
    assert_int_equal(TfLiteInterpreterSetBufferHandle(interpreter, &elsewhere, 0, delegate),
                     kTfLiteError);
    assert_string_equal(said, "");
    assert_int_equal(TfLiteTensorNumDims(&foreign), -1);
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, NULL),
                     kTfLiteDelegateError);
    assert_int_equal(TfLiteInterpreterSetCustomAllocationForTensor(interpreter, 0, NULL, 0),
                     kTfLiteError);
    assert_null(TfLiteInterpreterGetSignatureRunner(interpreter, "none"));
    assert_null(TfLiteInterpreterGetSignatureRunner(interpreter, NULL));
    assert_null(TfLiteInterpreterGetSignatureRunner(interpreter, "other"));
    assert_non_null(strstr(said, "signature \"other\": subgraph 1"));
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

static void bad_models_are_reported(void **state)
{
    struct tflite_file file;
    struct capture c;
    const char *line;

    (void)state;
    classifier(&file);
    said[0] = '\0';
    for (size_t n = 0; n < file.count;
         n++) { /* an exact copy, so that a sanitizer sees an overread */
        uint8_t *cut = malloc(n + 1);
        assert_non_null(cut);
        memcpy(cut, file.bytes, n);
        said[0] = '\0';
        if (n + 64 < file.count) { /* the end may be padding */
            assert_null(TfLiteModelCreateWithErrorReporter(cut, n, listen, said));
            assert_non_null(strchr(said, '\n'));
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

/* ---- delegates ---- */

static void delegates_in_options(void **state)
{
    TfLiteInterpreterOptions *options = listening();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    struct mock mock;

    (void)state;
    classifier(&file);
    model = load(&file);
    mock_begin(&mock);
    TfLiteInterpreterOptionsAddDelegate(options, NULL); /* nothing */
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_non_null(interpreter);
    assert_string_equal(mock.log, "Pip");
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    assert_string_equal(mock.log, "Pipvf");

    /* A delegate that fails: no interpreter, unless fallback is enabled. */
    mock.prepare_status = kTfLiteError;
    said[0] = '\0';
    assert_null(TfLiteInterpreterCreate(model, options));
    assert_string_equal(said,
                        "mock: Prepare told to fail\nthe delegate's Prepare failed (status 1), "
                        "the original execution plan is restored\n");
    TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
    mock_clear_log(&mock);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_non_null(interpreter);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    check_run(interpreter, kTfLiteOk);
    assert_string_equal(mock.log, "P");

    /* The same delegate, applied to a live interpreter. */
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi),
                     kTfLiteDelegateError);
    mock.prepare_status = kTfLiteOk;
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi), kTfLiteOk);
    mock_clear_log(&mock);
    check_run(interpreter, kTfLiteOk);
    assert_string_equal(mock.log, "v");

    /* Invoke fails and is repeated without the delegate, with the same input. */
    mock.fail_invoke = mock.invokes + 1;
    mock_clear_log(&mock);
    said[0] = '\0';
    check_run(interpreter, kTfLiteDelegateError);
    assert_string_equal(mock.log, "vf");
    assert_non_null(strstr(said, "mock: told to fail\n"));
    assert_non_null(strstr(said, "retrying without delegates\n"));
    check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

static void no_fallback_unless_enabled(void **state)
{
    TfLiteInterpreterOptions *options = listening();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    struct mock mock;

    (void)state;
    classifier(&file);
    model = load(&file);
    mock_begin(&mock);
    mock.fail_invoke = 1;
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteError);
    assert_string_equal(said, "mock: told to fail\nnode 2 (Mock) failed to invoke (status 1)\n");
    check_run(interpreter, kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

/* Taking the delegate away moves tensors; the inputs come along. */
static void the_fallback_gives_the_same_outputs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        TfLiteInterpreterOptions *options = listening();
        struct diag diag = { 0 };
        struct interpreter *plain;
        TfLiteInterpreter *interpreter;
        struct tflite_file file;
        struct model m;
        struct mock mock;
        TfLiteModel *model;

        kit_random_graph(&m, seed, 12, 1);
        KIT_OK(tflite_write(&m, &file, &diag));
        model = load(&file);
        mock_begin(&mock);
        mock.fail_invoke = 1;
        TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
        TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
        interpreter = TfLiteInterpreterCreate(model, options);
        assert_non_null(interpreter);
        assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
        kit_fill_inputs(interpreter->in, seed);
        assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
        KIT_OK(interpreter_open(&plain, &m, NULL, &diag));
        KIT_OK(interpreter_allocate(plain, &diag));
        kit_fill_inputs(plain, seed);
        KIT_OK(interpreter_invoke(plain, &diag));
        kit_same_outputs(plain, interpreter->in, seed);
        interpreter_close(plain);
        TfLiteInterpreterDelete(interpreter);
        TfLiteInterpreterOptionsDelete(options);
        TfLiteModelDelete(model);
        mock_end(&mock);
        mem_free(file.bytes);
        model_close(&m);
    }
}

static void a_lost_delegate_is_not_forgotten(void **state)
{
    TfLiteInterpreterOptions *options = listening();
    struct tflite_file file;
    TfLiteModel *model;
    struct mock mock;

    (void)state;
    classifier(&file);
    model = load(&file);
    mock_begin(&mock);
    mem_fail_after(0);
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    mem_fail_after(-1);
    assert_null(TfLiteInterpreterCreate(model, options));
    assert_string_equal(said, "no memory for an interpreter\n");
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

static void buffer_handles_stay_on_request(void **state)
{
    TfLiteInterpreterOptions *options = listening();
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteDelegate *owner;
    struct mock mock;
    float y[4];
    int handle;

    (void)state;
    classifier(&file);
    model = load(&file);
    mock_begin(&mock);
    mock.handles = true;
    interpreter = TfLiteInterpreterCreate(model, options);
    assert_int_equal(TfLiteInterpreterModifyGraphWithDelegate(interpreter, &mock.abi), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    check_run(interpreter, kTfLiteOk);
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

static void cancelled_on_request(void **state)
{
    TfLiteInterpreterOptions *options = listening();
    struct tflite_file file;
    TfLiteModel *model;
    struct mock mock;

    (void)state;
    classifier(&file);
    model = load(&file);
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
    check_run(to_cancel, kTfLiteOk);
    TfLiteInterpreterDelete(to_cancel);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    mock_end(&mock);
    mem_free(file.bytes);
}

/* ---- signatures, variables, memory of the caller ---- */

static void signatures_name_tensors(void **state)
{
    struct tflite_file file;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    const float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    (void)state;
    classifier(&file);
    model = load(&file);
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
    assert_true(((const float *)TfLiteTensorData(
                    TfLiteSignatureRunnerGetOutputTensor(runner, "sum")))[7] == 8 + weights[3]);
    assert_int_equal(TfLiteSignatureRunnerCancel(runner), kTfLiteError); /* not enabled */
    TfLiteSignatureRunnerDelete(runner);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
    mem_free(file.bytes);
}

/* y = x + v, v a variable */
static void variables_and_own_memory(void **state)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    struct options add;
    struct builder b;
    struct model m;
    TfLiteModel *model;
    TfLiteInterpreter *interpreter;
    float *memory = aligned_alloc(64, 64), *v;
    TfLiteCustomAllocation allocation = { memory, 64 };
    int x, w, y;

    (void)state;
    assert_non_null(memory);
    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    x = kit_vector(&b, 4);
    w = kit_vector(&b, 4);
    builder_variable(&b, w);
    y = kit_vector(&b, 4);
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ x, w }, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    KIT_OK(builder_finish(&b, &m, &diag));
    KIT_OK(tflite_write(&m, &file, &diag));
    model_close(&m);
    model = load(&file);
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
    free(memory);
}

/* ---- memory ---- */

static bool one_life(const struct tflite_file *file, struct mock *mock)
{
    TfLiteModel *model = TfLiteModelCreateWithErrorReporter(file->bytes, file->count, listen, said);
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate(), *copy;
    TfLiteInterpreter *interpreter;
    TfLiteSignatureRunner *runner;
    bool good = false;

    said[0] = '\0';
    TfLiteInterpreterOptionsSetErrorReporter(options, listen, said);
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

static void survives_failed_allocations(void **state)
{
    struct tflite_file file;
    bool good;
    long n = 0;

    (void)state;
    classifier(&file);
    do {
        struct mock mock;
        mock_begin(&mock);
        mem_fail_after(n++);
        good = one_life(&file, &mock);
        mem_fail_after(-1);
        mock_end(&mock);
    } while (!good && n < 2000);
    assert_true(good);
    assert_true(n > 30);
    mem_free(file.bytes);
}

static void lives_a_thousand_times(void **state)
{
    struct tflite_file file;

    (void)state;
    classifier(&file);
    for (int i = 0; i < 1000; i++) {
        struct mock mock;
        mock_begin(&mock);
        mock.handles = i % 2;
        assert_true(one_life(&file, &mock));
        mock_end(&mock);
    }
    mem_free(file.bytes);
}

/* ---- real models ---- */

/* Each loads; each then runs, or says which node keeps it from that. */
static void real_models_load(void **state)
{
    const char *dir = getenv("ASSAY_MODELS");
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *list;
    int count = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/real", dir ? dir : "../shared/models");
    list = opendir(path);
    if (!list) {
        print_message("skipped: no models in %s\n", path);
        skip();
    }
    while ((entry = readdir(list))) {
        TfLiteInterpreterOptions *options = listening();
        TfLiteInterpreter *interpreter;
        TfLiteModel *model;

        if (!strstr(entry->d_name, ".tflite")) {
            TfLiteInterpreterOptionsDelete(options);
            continue;
        }
        snprintf(path, sizeof path, "%s/real/%s", dir ? dir : "../shared/models", entry->d_name);
        model = TfLiteModelCreateFromFileWithErrorReporter(path, listen, said);
        if (!model)
            fail_msg("%s: %s", path, said);
        interpreter = TfLiteInterpreterCreate(model, options);
        if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
            assert_non_null(strstr(said, "node "));
        else
            assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
        TfLiteInterpreterDelete(interpreter);
        TfLiteInterpreterOptionsDelete(options);
        TfLiteModelDelete(model);
        count++;
    }
    closedir(list);
    assert_true(count > 0);
}

/* ---- as built ---- */

/* A file of the build directory, which is above that of this program; false: not built. */
static bool built(char *path, size_t size, const char *name)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    assert_true(snprintf(path, size, "%s/../../%s", self, name) < (int)size);
    return access(path, R_OK) == 0;
}

static void the_library_shows_the_api_only(void **state)
{
    char path[PATH_MAX], command[PATH_MAX + 64], line[512];
    int count = 0;
    FILE *nm;

    (void)state;
    if (!built(path, sizeof path, "libassay.so")) {
        print_message("skipped: libassay.so is not built\n");
        skip();
    }
    snprintf(command, sizeof command, "nm -D --defined-only '%s'", path);
    nm = popen(command, "r");
    assert_non_null(nm);
    while (fgets(line, sizeof line, nm)) {
        const char *name = strrchr(line, ' ');
        assert_non_null(name);
        if (strncmp(name + 1, "TfLite", 6) != 0 && !strstr(line, "asan") && !strstr(line, "gcov") &&
            strcmp(name + 1, "mangle_path\n") != 0) /* of --coverage */
            fail_msg("visible: %s", name + 1);
        count++;
    }
    pclose(nm);
    assert_true(count >= 60);
}

/* The example gives what this program computes. */
static void the_example_runs(void **state)
{
    char path[PATH_MAX], model[] = "/tmp/assay-test-XXXXXX", command[2 * PATH_MAX], line[256];
    const int fd = mkstemp(model);
    struct tflite_file file;
    FILE *example;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    if (!built(path, sizeof path, "examples/classify")) {
        unlink(model);
        print_message("skipped: the example is not built\n");
        skip();
    }
    classifier(&file);
    assert_int_equal(file_write(model, file.bytes, file.count, NULL), STATUS_OK);
    snprintf(command, sizeof command, "'%s' '%s'", path, model);
    example = popen(command, "r");
    assert_non_null(example);
    assert_non_null(fgets(line, sizeof line, example));
    assert_string_equal(line, "y: 4 values\n");
    assert_non_null(fgets(line, sizeof line, example)); /* softmax of the weights: 1 is largest */
    assert_int_equal(atoi(line), 1);
    assert_true(strtod(strrchr(line, ' '), NULL) > 0.70 && strtod(strrchr(line, ' '), NULL) < 0.71);
    while (fgets(line, sizeof line, example))
        ;
    assert_int_equal(pclose(example), 0);
    snprintf(command, sizeof command, "'%s' /nowhere 2>/dev/null", path);
    assert_int_not_equal(system(command), 0);
    unlink(model);
    mem_free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_runs),
        cmocka_unit_test(sizes_must_match),
        cmocka_unit_test(nothing_breaks_on_null),
        cmocka_unit_test(nothing_breaks_out_of_range),
        cmocka_unit_test(bad_models_are_reported),
        cmocka_unit_test(delegates_in_options),
        cmocka_unit_test(no_fallback_unless_enabled),
        cmocka_unit_test(the_fallback_gives_the_same_outputs),
        cmocka_unit_test(a_lost_delegate_is_not_forgotten),
        cmocka_unit_test(buffer_handles_stay_on_request),
        cmocka_unit_test(cancelled_on_request),
        cmocka_unit_test(signatures_name_tensors),
        cmocka_unit_test(variables_and_own_memory),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(lives_a_thousand_times),
        cmocka_unit_test(real_models_load),
        cmocka_unit_test(the_library_shows_the_api_only),
        cmocka_unit_test(the_example_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
