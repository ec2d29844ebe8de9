/* NULL and wrong handles as arguments of every function that the two libraries export give an error
 * and no crash.  An export without such a row fails the test. */
/* Needs: libassay_delegate.so */
/* Needs: libassay.so */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/runtime/report.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "tensorflow/lite/c/c_api_experimental.h"
#include "tensorflow/lite/c/c_api_opaque.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

#include <limits.h>

static char said[512];

static void reported(const char *text)
{
    snprintf(said, sizeof said, "%s", text);
}

/* ---- the delegate ---- */

/* What is no delegate of ours: NULL, another library's, one that is gone.  The other's data_ is
 * poison: it must not be looked into. */
static TfLiteDelegate other = { .data_ = (void *)8 };
static TfLiteDelegate *gone; /* NULL where there is no device */

static TfLiteDelegate *wrong_delegate(int i)
{
    return i == 0 ? NULL : i == 1 ? &other : gone;
}

enum { WRONG = 3 };

#define CALL(name_, ...)                                                                           \
    static void name_(void)                                                                        \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct model

CALL(gpu_version, assert_non_null(assay_gpu_version()));
static void gpu_delegate_create(void)
{
    struct assay_gpu_options o = { .struct_size = sizeof o, .count = 1 };
    struct assay_gpu_options tiny = { .struct_size = 4 };

    said[0] = '\0';
    assert_null(assay_gpu_delegate_create(&o, reported)); /* no keys, no values */
    assert_true(said[0]);
    assert_null(assay_gpu_delegate_create(&o, NULL));
    o.keys = o.values = (const char *const[]){ NULL };
    assert_null(assay_gpu_delegate_create(&o, reported));
    assert_null(assay_gpu_delegate_create(&tiny, reported));
    assert_non_null(strstr(said, "found 4"));
    o = (struct assay_gpu_options){ .struct_size = sizeof o, .device = &o };
    assert_null(assay_gpu_delegate_create(&o, reported)); /* a device without an instance */
}

CALL(gpu_delegate_destroy,
     for (int i = 0; i < WRONG; i++) assay_gpu_delegate_destroy(wrong_delegate(i)));
static void plugin_create_delegate(void)
{
    said[0] = '\0';
    assert_null(tflite_plugin_create_delegate(NULL, NULL, 1, reported));
    assert_true(said[0]);
    assert_null(tflite_plugin_create_delegate(NULL, NULL, 1, NULL));
    assert_null(tflite_plugin_create_delegate((const char *const[]){ "wait" }, NULL, 1, reported));
    assert_null(tflite_plugin_create_delegate((const char *const[]){ NULL },
                                              (const char *const[]){ NULL }, 1, reported));
}

CALL(plugin_destroy_delegate,
     for (int i = 0; i < WRONG; i++) tflite_plugin_destroy_delegate(wrong_delegate(i)));
CALL(v2_default, assert_int_equal(TfLiteGpuDelegateOptionsV2Default().max_delegated_partitions, 1));
static void v2_create(void)
{
    const TfLiteGpuDelegateOptionsV2 zero = { .is_precision_loss_allowed = -1 };

    assert_null(TfLiteGpuDelegateV2Create(&zero)); /* no first priority */
    TfLiteGpuDelegateV2Delete(TfLiteGpuDelegateV2Create(NULL));
}

CALL(v2_delete, for (int i = 0; i < WRONG; i++) TfLiteGpuDelegateV2Delete(wrong_delegate(i)));
CALL(gpu_option_help, assert_non_null(assay_gpu_option_help()));
static void gpu_check_options(void)
{
    const char *const key = "precision", *const good = "fp16", *const bad = "fp17";
    char error[80] = "";

    assert_int_equal(assay_gpu_check_options(NULL, NULL, 0, NULL, 0), 0);
    assert_int_equal(assay_gpu_check_options(NULL, NULL, 1, NULL, 0), -1);
    assert_int_equal(assay_gpu_check_options(&key, &good, 1, error, sizeof error), 0);
    assert_string_equal(error, "");
    assert_int_equal(assay_gpu_check_options(&key, &bad, 1, error, 0), -1);
    assert_int_equal(assay_gpu_check_options(&key, &bad, 1, error, sizeof error), -1);
    assert_non_null(strstr(error, "found 'fp17'"));
}

static void gpu_devices(void)
{
    struct assay_gpu_device tiny = { .struct_size = 0 };
    char error[8];
    const int count = assay_gpu_devices(NULL, 5, error, 0);

    assert_int_equal(assay_gpu_devices(&tiny, 0, NULL, 8), count);
    assert_int_equal(assay_gpu_devices(&tiny, -1, error, sizeof error), count);
    if (count > 0) /* with room for one that knows no size */
        assert_int_equal(assay_gpu_devices(&tiny, 1, error, sizeof error), -1);
}

static void gpu_query_support(void)
{
    struct assay_gpu_support_query q = { .struct_size = sizeof q };

    assert_int_equal(assay_gpu_query_support(NULL, &q), -1);
    assert_int_equal(assay_gpu_query_support(NULL, NULL), -1);
}

static void gpu_rule(void)
{
    const char *id;

    assert_int_equal(assay_gpu_rule(0, NULL, NULL), 0);
    assert_int_equal(assay_gpu_rule(-1, &id, &id), -1);
    assert_int_equal(assay_gpu_rule(1 << 30, &id, &id), -1);
}

/* int count(delegate) and int get(delegate, i, struct that begins with its size). */
#define COUNT_AND_GET(count, get, type)                                                            \
    static void test_##count(void)                                                                 \
    {                                                                                              \
        for (int i = 0; i < WRONG; i++)                                                            \
            assert_int_equal(assay_gpu_##count(wrong_delegate(i)), 0);                             \
    }                                                                                              \
    GET(get, type)
#define GET(get, type)                                                                             \
    static void test_##get(void)                                                                   \
    {                                                                                              \
        struct type s = { .struct_size = sizeof s };                                               \
                                                                                                   \
        for (int i = 0; i < WRONG; i++) {                                                          \
            assert_int_equal(assay_gpu_##get(wrong_delegate(i), 0, &s), -1);                       \
            assert_int_equal(assay_gpu_##get(wrong_delegate(i), -1, NULL), -1);                    \
        }                                                                                          \
    }
COUNT_AND_GET(refusal_count, get_refusal, assay_gpu_refusal)
COUNT_AND_GET(step_count, get_step, assay_gpu_step)
COUNT_AND_GET(tensor_count, get_tensor, assay_gpu_tensor)
COUNT_AND_GET(io_count, get_io, assay_gpu_io)
COUNT_AND_GET(reason_count, get_reason, assay_gpu_reason)

CALL(test_keep_reasons, for (int i = 0; i < WRONG; i++)
                            assert_int_equal(assay_gpu_keep_reasons(wrong_delegate(i)), -1));

GET(get_inference, assay_gpu_inference)
GET(get_transform, assay_gpu_transform)
GET(get_partition, assay_gpu_partition)

static void gpu_get_stats(void)
{
    struct assay_gpu_stats s = { .struct_size = sizeof s };

    for (int i = 0; i < WRONG; i++) {
        assert_int_equal(assay_gpu_get_stats(wrong_delegate(i), &s), -1);
        assert_int_equal(assay_gpu_get_stats(wrong_delegate(i), NULL), -1);
    }
}

static void gpu_get_placement(void)
{
    struct assay_gpu_placement p = { .struct_size = sizeof p };

    for (int i = 0; i < WRONG; i++) {
        assert_int_equal(assay_gpu_get_placement(wrong_delegate(i), &p), -1);
        assert_int_equal(assay_gpu_get_placement(wrong_delegate(i), NULL), -1);
    }
}

static void gpu_measure_peaks(void)
{
    struct assay_gpu_peaks p = { .struct_size = sizeof p };
    char error[128];

    for (int i = 0; i < WRONG; i++) {
        error[0] = '\0';
        assert_int_equal(assay_gpu_measure_peaks(wrong_delegate(i), &p, error, 128), -1);
        assert_true(error[0]);
        assert_int_equal(assay_gpu_measure_peaks(wrong_delegate(i), NULL, NULL, 0), -1);
    }
}

static void gpu_get_device(void)
{
    struct assay_gpu_vulkan v = { .struct_size = sizeof v };

    for (int i = 0; i < WRONG; i++) {
        assert_int_equal(assay_gpu_get_device(wrong_delegate(i), &v), -1);
        assert_int_equal(assay_gpu_get_device(wrong_delegate(i), NULL), -1);
    }
}

static void gpu_bind_buffer_to_tensor(void)
{
    struct assay_gpu_buffer b = { .struct_size = sizeof b, .partition = -1 };
    char error[128];

    for (int i = 0; i < WRONG; i++) {
        error[0] = '\0';
        assert_int_equal(assay_gpu_bind_buffer_to_tensor(wrong_delegate(i), &b, error, 128), -1);
        assert_true(error[0]);
        assert_int_equal(assay_gpu_bind_buffer_to_tensor(wrong_delegate(i), NULL, error, 128), -1);
        assert_int_equal(assay_gpu_bind_buffer_to_tensor(wrong_delegate(i), &b, NULL, 0), -1);
    }
}

static void gpu_unbind_tensor(void)
{
    char error[128];

    for (int i = 0; i < WRONG; i++) {
        error[0] = '\0';
        assert_int_equal(assay_gpu_unbind_tensor(wrong_delegate(i), 0, -1, error, 128), -1);
        assert_true(error[0]);
        assert_int_equal(assay_gpu_unbind_tensor(wrong_delegate(i), 0, -1, NULL, 0), -1);
    }
}

static void gpu_wait(void)
{
    char error[128];

    for (int i = 0; i < WRONG; i++) {
        error[0] = '\0';
        assert_int_equal(assay_gpu_wait(wrong_delegate(i), error, 128), -1);
        assert_true(error[0]);
        assert_int_equal(assay_gpu_wait(wrong_delegate(i), NULL, 0), -1);
    }
}

CALL(gpu_lock_queue, for (int i = 0; i < WRONG; i++) assay_gpu_lock_queue(wrong_delegate(i)));
CALL(gpu_unlock_queue, for (int i = 0; i < WRONG; i++) assay_gpu_unlock_queue(wrong_delegate(i)));

/* ---- the runtime ---- */

static TfLiteModel *model;
static TfLiteInterpreter *live; /* one input [1, 32, 32, 1], one output */

CALL(lite_versions, assert_non_null(TfLiteVersion()); assert_non_null(TfLiteExtensionApisVersion());
     assert_int_equal(TfLiteSchemaVersion(), 3));
static void lite_models(void)
{
    assert_null(TfLiteModelCreateWithErrorReporter(NULL, 0, report_nothing, NULL));
    assert_null(TfLiteModelCreateWithErrorReporter(NULL, 100, report_nothing, NULL));
    assert_null(TfLiteModelCreateWithErrorReporter("no model", 8, report_nothing, NULL));
    assert_null(TfLiteModelCreateFromFileWithErrorReporter(NULL, report_nothing, NULL));
    assert_null(TfLiteModelCreateFromFileWithErrorReporter("/nonexistent", report_nothing, NULL));
    assert_null(TfLiteModelCreate(NULL, 0));
    assert_null(TfLiteModelCreateFromFile(NULL));
    TfLiteModelDelete(NULL);
}

static void lite_arrays(void)
{
    TfLiteIntArray *const a = TfLiteIntArrayCreate(2), *const none = TfLiteIntArrayCreate(0);
    TfLiteIntArray *copy;

    a->data[1] = 7;
    copy = TfLiteIntArrayCopy(a);
    assert_null(TfLiteIntArrayCreate(-1));
    assert_null(TfLiteIntArrayCopy(NULL));
    assert_int_equal(TfLiteIntArrayEqual(NULL, NULL), 1);
    assert_int_equal(TfLiteIntArrayEqual(a, NULL), 0);
    assert_int_equal(TfLiteIntArrayEqual(a, none), 0);
    assert_int_equal(TfLiteIntArrayEqual(a, copy), 1);
    copy->data[0] = 1;
    assert_int_equal(TfLiteIntArrayEqual(a, copy), 0);
    TfLiteIntArrayFree(copy);
    TfLiteIntArrayFree(none);
    TfLiteIntArrayFree(a);
    TfLiteIntArrayFree(NULL);
}

static void lite_options(void)
{
    const TfLiteRegistration kernel = { 0 };
    TfLiteInterpreterOptions *const o = TfLiteInterpreterOptionsCreate();

    assert_null(TfLiteInterpreterOptionsCopy(NULL));
    TfLiteInterpreterOptionsSetNumThreads(NULL, 3);
    TfLiteInterpreterOptionsAddDelegate(NULL, &other);
    TfLiteInterpreterOptionsAddDelegate(o, NULL);
    TfLiteInterpreterOptionsSetErrorReporter(NULL, report_nothing, NULL);
    TfLiteInterpreterOptionsSetErrorReporter(o, NULL, NULL);
    TfLiteInterpreterOptionsSetEnableDelegateFallback(NULL, true);
    TfLiteInterpreterOptionsAddCustomOp(NULL, "Twice", &kernel, 1, 1);
    TfLiteInterpreterOptionsAddCustomOp(o, NULL, &kernel, 1, 1);
    TfLiteInterpreterOptionsAddCustomOp(o, "Twice", NULL, 1, 1);
    TfLiteInterpreterOptionsAddCustomOp(o, "Twice", &kernel, 2, 1);
    TfLiteInterpreterOptionsAddBuiltinOp(NULL, 0, &kernel, 1, 1);
    TfLiteInterpreterOptionsAddBuiltinOp(o, 0, NULL, 1, 1);
    TfLiteInterpreterOptionsAddBuiltinOp(o, -1, &kernel, 1, 1);
    TfLiteInterpreterOptionsAddBuiltinOp(o, 32, &kernel, 1, 1); /* CUSTOM, without a name */
    assert_int_equal(TfLiteInterpreterOptionsEnableCancellation(NULL, true), kTfLiteError);
    TfLiteInterpreterOptionsDelete(o);
    TfLiteInterpreterOptionsDelete(NULL);
}

static void lite_interpreters(void)
{
    TfLiteInterpreterOptions *const o = TfLiteInterpreterOptionsCreate();

    TfLiteInterpreterOptionsSetErrorReporter(o, report_nothing, NULL);
    assert_null(TfLiteInterpreterCreate(NULL, o));
    assert_null(TfLiteInterpreterCreate(NULL, NULL));
    TfLiteInterpreterOptionsDelete(o);
    TfLiteInterpreterDelete(NULL);
    assert_int_not_equal(TfLiteInterpreterAllocateTensors(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterInvoke(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterCancel(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterCancel(live), kTfLiteOk); /* not enabled */
    assert_int_not_equal(TfLiteInterpreterResetVariableTensors(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterResizeInputTensor(NULL, 0, NULL, 0), kTfLiteOk);
    for (int i = -1; i <= 1; i += 2)
        assert_int_not_equal(TfLiteInterpreterResizeInputTensor(live, i, (int[]){ 1 }, 1),
                             kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterResizeInputTensor(live, 0, NULL, 2), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterResizeInputTensor(live, 0, (int[]){ -4 }, 1), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterResizeInputTensor(live, 0, (int[]){ 4 }, -1), kTfLiteOk);
}

static void lite_indices(void)
{
    static const int wrong[] = { -1, 1, 1 << 30 };

    assert_int_equal(TfLiteInterpreterGetInputTensorCount(NULL), 0);
    assert_int_equal(TfLiteInterpreterGetOutputTensorCount(NULL), 0);
    assert_int_equal(TfLiteInterpreterGetVariableTensorCount(NULL), 0);
    assert_null(TfLiteInterpreterInputTensorIndices(NULL));
    assert_null(TfLiteInterpreterOutputTensorIndices(NULL));
    for (int i = 0; i < 6; i++) {
        TfLiteInterpreter *const in = i < 3 ? live : NULL;
        const int n = wrong[i % 3];

        assert_null(TfLiteInterpreterGetInputTensor(in, n));
        assert_null(TfLiteInterpreterGetOutputTensor(in, n));
        assert_null(TfLiteInterpreterGetVariableTensor(in, n));
        assert_int_equal(TfLiteInterpreterGetInputTensorIndex(in, n), -1);
        assert_int_equal(TfLiteInterpreterGetOutputTensorIndex(in, n), -1);
        if (n != 1 || !in)
            assert_null(TfLiteInterpreterGetTensor(in, n));
    }
}

static void lite_handles(void)
{
    const TfLiteCustomAllocation none = { NULL, 64 };
    TfLiteTensor *const t = TfLiteInterpreterGetInputTensor(live, 0);
    TfLiteOpaqueDelegate *delegate;
    TfLiteBufferHandle handle;

    assert_int_not_equal(TfLiteInterpreterModifyGraphWithDelegate(NULL, &other), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterModifyGraphWithDelegate(live, NULL), kTfLiteOk);
    for (int i = 0; i < 2; i++) {
        TfLiteInterpreter *const in = i ? live : NULL;

        assert_int_not_equal(TfLiteInterpreterSetCustomAllocationForTensor(in, 0, NULL, 0),
                             kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterSetCustomAllocationForTensor(in, 0, &none, 0),
                             kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterSetCustomAllocationForTensor(in, -1, &none, 0),
                             kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterSetBufferHandle(in, NULL, 1, &other), kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterSetBufferHandle(in, t, 1, NULL), kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterGetBufferHandle(in, -1, &handle, &delegate),
                             kTfLiteOk);
        assert_int_not_equal(TfLiteInterpreterEnsureTensorDataIsReadable(in, -1), kTfLiteOk);
    }
    assert_int_not_equal(TfLiteInterpreterGetBufferHandle(NULL, 0, &handle, &delegate), kTfLiteOk);
    assert_int_not_equal(TfLiteInterpreterEnsureTensorDataIsReadable(NULL, 0), kTfLiteOk);
    TfLiteSetAllowBufferHandleOutput(NULL, true);
}

static void lite_signatures(void)
{
    assert_int_equal(TfLiteInterpreterGetSignatureCount(NULL), 0);
    assert_null(TfLiteInterpreterGetSignatureKey(NULL, 0));
    assert_null(TfLiteInterpreterGetSignatureKey(live, -1));
    assert_null(TfLiteInterpreterGetSignatureKey(live, 7));
    assert_null(TfLiteInterpreterGetSignatureRunner(NULL, "main"));
    assert_null(TfLiteInterpreterGetSignatureRunner(live, "no such signature"));
    assert_int_equal(TfLiteSignatureRunnerGetInputCount(NULL), 0);
    assert_int_equal(TfLiteSignatureRunnerGetOutputCount(NULL), 0);
    assert_null(TfLiteSignatureRunnerGetInputName(NULL, 0));
    assert_null(TfLiteSignatureRunnerGetOutputName(NULL, 0));
    assert_null(TfLiteSignatureRunnerGetInputTensor(NULL, "x"));
    assert_null(TfLiteSignatureRunnerGetOutputTensor(NULL, "x"));
    assert_int_not_equal(TfLiteSignatureRunnerResizeInputTensor(NULL, "x", NULL, 0), kTfLiteOk);
    assert_int_not_equal(TfLiteSignatureRunnerAllocateTensors(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteSignatureRunnerInvoke(NULL), kTfLiteOk);
    assert_int_not_equal(TfLiteSignatureRunnerCancel(NULL), kTfLiteOk);
    TfLiteSignatureRunnerDelete(NULL);
}

static void lite_tensors(void)
{
    TfLiteTensor *const t = TfLiteInterpreterGetInputTensor(live, 0);
    const size_t size = TfLiteTensorByteSize(t);
    char *bytes CLOSED_BY(kit_free) = calloc(1, size + 1);

    assert_non_null(bytes);
    assert_int_equal(TfLiteTensorType(NULL), kTfLiteNoType);
    assert_int_equal(TfLiteTensorNumDims(NULL), -1);
    assert_int_equal(TfLiteTensorDim(NULL, 0), -1);
    assert_int_equal(TfLiteTensorDim(t, -1), -1);
    assert_int_equal(TfLiteTensorDim(t, 4), -1);
    assert_int_equal(TfLiteTensorByteSize(NULL), 0);
    assert_null(TfLiteTensorData(NULL));
    assert_null(TfLiteTensorName(NULL));
    assert_true(TfLiteTensorQuantizationParams(NULL).scale == 0);
    assert_int_not_equal(TfLiteTensorCopyFromBuffer(NULL, bytes, 4), kTfLiteOk);
    assert_int_not_equal(TfLiteTensorCopyFromBuffer(t, NULL, size), kTfLiteOk);
    assert_int_not_equal(TfLiteTensorCopyFromBuffer(t, bytes, size + 1), kTfLiteOk);
    assert_int_not_equal(TfLiteTensorCopyToBuffer(NULL, bytes, 4), kTfLiteOk);
    assert_int_not_equal(TfLiteTensorCopyToBuffer(t, NULL, size), kTfLiteOk);
    assert_int_not_equal(TfLiteTensorCopyToBuffer(t, bytes, size - 1), kTfLiteOk);
}

/* ---- the opaque ABI ---- */

static void opaque_delegates(void)
{
    const TfLiteOpaqueDelegateBuilder builder = { .data = &other };

    assert_null(TfLiteOpaqueDelegateCreate(NULL));
    assert_null(TfLiteOpaqueDelegateCreate(&builder)); /* without Prepare */
    assert_null(TfLiteOpaqueDelegateGetData(NULL));
    TfLiteOpaqueDelegateDelete(NULL);
}

static void opaque_operators(void)
{
    assert_int_equal(TfLiteOperatorSetInitWithData(NULL, NULL), kTfLiteError);
    assert_int_equal(TfLiteOperatorSetFreeWithData(NULL, NULL), kTfLiteError);
    assert_int_equal(TfLiteOperatorSetPrepareWithData(NULL, NULL), kTfLiteError);
    assert_int_equal(TfLiteOperatorSetInvokeWithData(NULL, NULL), kTfLiteError);
    assert_int_equal((int32_t)TfLiteOperatorGetBuiltInCode(NULL), -1);
    assert_null(TfLiteOperatorGetCustomName(NULL));
    assert_int_equal(TfLiteOperatorGetVersion(NULL), 0);
    assert_null(TfLiteOperatorGetUserData(NULL));
    TfLiteOperatorDelete(NULL);
}

static void opaque_contexts(void)
{
    TfLiteIntArray *plan;
    TfLiteOpaqueNode *node;
    TfLiteOperator *op;

    assert_int_equal(TfLiteOpaqueContextGetExecutionPlan(NULL, &plan), kTfLiteError);
    assert_int_equal(TfLiteOpaqueContextGetNodeAndRegistration(NULL, 0, &node, &op), kTfLiteError);
    assert_int_equal(
        TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(NULL, NULL, NULL, NULL),
        kTfLiteError);
    assert_int_equal(TfLiteOpaqueContextGetNumTensors(NULL), 0);
    assert_null(TfLiteOpaqueContextGetOpaqueTensor(NULL, 0));
    assert_int_equal(TfLiteOpaqueContextResizeTensor(NULL, NULL, TfLiteIntArrayCreate(1)),
                     kTfLiteError);
    TfLiteOpaqueContextReportError(NULL, "%d", 1);
}

static void opaque_nodes(void)
{
    const int *items;
    const void *data;
    int count = 1, size = 1;

    assert_int_equal(TfLiteOpaqueNodeNumberOfInputs(NULL), 0);
    assert_int_equal(TfLiteOpaqueNodeNumberOfOutputs(NULL), 0);
    assert_null(TfLiteOpaqueNodeGetInput(NULL, NULL, 0));
    assert_null(TfLiteOpaqueNodeGetOutput(NULL, NULL, 0));
    assert_int_equal(TfLiteOpaqueNodeGetInputTensorIndex(NULL, 0), -1);
    assert_int_equal(TfLiteOpaqueNodeGetOutputTensorIndex(NULL, 0), -1);
    assert_int_equal(TfLiteOpaqueNodeInputs(NULL, &items, NULL), kTfLiteError);
    assert_int_equal(TfLiteOpaqueNodeInputs(NULL, &items, &count), kTfLiteOk);
    assert_int_equal(count, 0);
    assert_int_equal(TfLiteOpaqueNodeOutputs(NULL, NULL, &count), kTfLiteError);
    assert_null(TfLiteOpaqueNodeGetUserData(NULL));
    assert_null(TfLiteOpaqueNodeGetBuiltinData(NULL));
    assert_int_equal(TfLiteOpaqueNodeGetCustomInitialData(NULL, &data, NULL), kTfLiteError);
    assert_int_equal(TfLiteOpaqueNodeGetCustomInitialData(NULL, &data, &size), kTfLiteOk);
    assert_int_equal(size, 0);
}

static void opaque_tensors(void)
{
    assert_int_equal(TfLiteOpaqueTensorType(NULL), kTfLiteNoType);
    assert_int_equal(TfLiteOpaqueTensorNumDims(NULL), -1);
    assert_int_equal(TfLiteOpaqueTensorDim(NULL, 0), -1);
    assert_int_equal(TfLiteOpaqueTensorByteSize(NULL), 0);
    assert_null(TfLiteOpaqueTensorData(NULL));
    assert_null(TfLiteOpaqueTensorName(NULL));
    assert_int_equal(TfLiteOpaqueTensorGetAllocationType(NULL), kTfLiteMemNone);
    assert_int_equal(TfLiteOpaqueTensorIsVariable(NULL), 0);
    assert_int_equal(TfLiteOpaqueTensorGetQuantization(NULL).type, kTfLiteNoQuantization);
    assert_true(TfLiteOpaqueTensorGetQuantizationParams(NULL).scale == 0);
}

/* ---- every export ---- */

static const struct {
    const char *symbols; /* separated by spaces */
    void (*test)(void);
} rows[] = {
    { "assay_gpu_version", gpu_version },
    { "assay_gpu_delegate_create", gpu_delegate_create },
    { "assay_gpu_delegate_destroy", gpu_delegate_destroy },
    { "tflite_plugin_create_delegate", plugin_create_delegate },
    { "tflite_plugin_destroy_delegate", plugin_destroy_delegate },
    { "TfLiteGpuDelegateOptionsV2Default", v2_default },
    { "TfLiteGpuDelegateV2Create", v2_create },
    { "TfLiteGpuDelegateV2Delete", v2_delete },
    { "assay_gpu_option_help", gpu_option_help },
    { "assay_gpu_check_options", gpu_check_options },
    { "assay_gpu_devices", gpu_devices },
    { "assay_gpu_query_support", gpu_query_support },
    { "assay_gpu_rule", gpu_rule },
    { "assay_gpu_refusal_count", test_refusal_count },
    { "assay_gpu_get_refusal", test_get_refusal },
    { "assay_gpu_step_count", test_step_count },
    { "assay_gpu_get_step", test_get_step },
    { "assay_gpu_tensor_count", test_tensor_count },
    { "assay_gpu_get_tensor", test_get_tensor },
    { "assay_gpu_io_count", test_io_count },
    { "assay_gpu_get_io", test_get_io },
    { "assay_gpu_reason_count", test_reason_count },
    { "assay_gpu_get_reason", test_get_reason },
    { "assay_gpu_keep_reasons", test_keep_reasons },
    { "assay_gpu_get_inference", test_get_inference },
    { "assay_gpu_get_transform", test_get_transform },
    { "assay_gpu_get_placement", gpu_get_placement },
    { "assay_gpu_get_partition", test_get_partition },
    { "assay_gpu_get_stats", gpu_get_stats },
    { "assay_gpu_measure_peaks", gpu_measure_peaks },
    { "assay_gpu_get_device", gpu_get_device },
    { "assay_gpu_bind_buffer_to_tensor", gpu_bind_buffer_to_tensor },
    { "assay_gpu_unbind_tensor", gpu_unbind_tensor },
    { "assay_gpu_wait", gpu_wait },
    { "assay_gpu_lock_queue", gpu_lock_queue },
    { "assay_gpu_unlock_queue", gpu_unlock_queue },
    { "TfLiteVersion TfLiteExtensionApisVersion TfLiteSchemaVersion", lite_versions },
    { "TfLiteModelCreate TfLiteModelCreateWithErrorReporter TfLiteModelCreateFromFile "
      "TfLiteModelCreateFromFileWithErrorReporter TfLiteModelDelete",
      lite_models },
    { "TfLiteInterpreterOptionsCreate TfLiteInterpreterOptionsCopy TfLiteInterpreterOptionsDelete "
      "TfLiteInterpreterOptionsSetNumThreads TfLiteInterpreterOptionsAddDelegate "
      "TfLiteInterpreterOptionsSetErrorReporter TfLiteInterpreterOptionsEnableCancellation "
      "TfLiteInterpreterOptionsSetEnableDelegateFallback TfLiteInterpreterOptionsAddCustomOp "
      "TfLiteInterpreterOptionsAddBuiltinOp",
      lite_options },
    { "TfLiteIntArrayCreate TfLiteIntArrayCopy TfLiteIntArrayFree TfLiteIntArrayEqual",
      lite_arrays },
    { "TfLiteInterpreterCreate TfLiteInterpreterDelete TfLiteInterpreterAllocateTensors "
      "TfLiteInterpreterInvoke TfLiteInterpreterCancel TfLiteInterpreterResetVariableTensors "
      "TfLiteInterpreterResizeInputTensor",
      lite_interpreters },
    { "TfLiteInterpreterGetInputTensorCount TfLiteInterpreterGetOutputTensorCount "
      "TfLiteInterpreterGetVariableTensorCount TfLiteInterpreterInputTensorIndices "
      "TfLiteInterpreterOutputTensorIndices TfLiteInterpreterGetInputTensor "
      "TfLiteInterpreterGetOutputTensor TfLiteInterpreterGetVariableTensor "
      "TfLiteInterpreterGetInputTensorIndex TfLiteInterpreterGetOutputTensorIndex "
      "TfLiteInterpreterGetTensor",
      lite_indices },
    { "TfLiteInterpreterModifyGraphWithDelegate TfLiteInterpreterSetCustomAllocationForTensor "
      "TfLiteInterpreterSetBufferHandle TfLiteInterpreterGetBufferHandle "
      "TfLiteInterpreterEnsureTensorDataIsReadable TfLiteSetAllowBufferHandleOutput",
      lite_handles },
    { "TfLiteInterpreterGetSignatureCount TfLiteInterpreterGetSignatureKey "
      "TfLiteInterpreterGetSignatureRunner TfLiteSignatureRunnerGetInputCount "
      "TfLiteSignatureRunnerGetOutputCount TfLiteSignatureRunnerGetInputName "
      "TfLiteSignatureRunnerGetOutputName TfLiteSignatureRunnerGetInputTensor "
      "TfLiteSignatureRunnerGetOutputTensor TfLiteSignatureRunnerResizeInputTensor "
      "TfLiteSignatureRunnerAllocateTensors TfLiteSignatureRunnerInvoke "
      "TfLiteSignatureRunnerCancel TfLiteSignatureRunnerDelete",
      lite_signatures },
    { "TfLiteTensorType TfLiteTensorNumDims TfLiteTensorDim TfLiteTensorByteSize TfLiteTensorData "
      "TfLiteTensorName TfLiteTensorQuantizationParams TfLiteTensorCopyFromBuffer "
      "TfLiteTensorCopyToBuffer",
      lite_tensors },
    { "TfLiteOpaqueDelegateCreate TfLiteOpaqueDelegateDelete TfLiteOpaqueDelegateGetData",
      opaque_delegates },
    { "TfLiteOperatorCreate TfLiteOperatorDelete TfLiteOperatorGetBuiltInCode "
      "TfLiteOperatorGetCustomName TfLiteOperatorGetUserData TfLiteOperatorGetVersion "
      "TfLiteOperatorSetFreeWithData TfLiteOperatorSetInitWithData "
      "TfLiteOperatorSetInvokeWithData TfLiteOperatorSetPrepareWithData",
      opaque_operators },
    { "TfLiteOpaqueContextGetExecutionPlan TfLiteOpaqueContextGetNodeAndRegistration "
      "TfLiteOpaqueContextGetNumTensors TfLiteOpaqueContextGetOpaqueTensor "
      "TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels TfLiteOpaqueContextReportError "
      "TfLiteOpaqueContextReportErrorVa TfLiteOpaqueContextResizeTensor",
      opaque_contexts },
    { "TfLiteOpaqueNodeGetBuiltinData TfLiteOpaqueNodeGetCustomInitialData "
      "TfLiteOpaqueNodeGetInput TfLiteOpaqueNodeGetInputTensorIndex TfLiteOpaqueNodeGetOutput "
      "TfLiteOpaqueNodeGetOutputTensorIndex TfLiteOpaqueNodeGetUserData TfLiteOpaqueNodeInputs "
      "TfLiteOpaqueNodeNumberOfInputs TfLiteOpaqueNodeNumberOfOutputs TfLiteOpaqueNodeOutputs",
      opaque_nodes },
    { "TfLiteOpaqueTensorByteSize TfLiteOpaqueTensorData TfLiteOpaqueTensorDim "
      "TfLiteOpaqueTensorGetAllocationType TfLiteOpaqueTensorGetQuantization "
      "TfLiteOpaqueTensorGetQuantizationParams TfLiteOpaqueTensorIsVariable "
      "TfLiteOpaqueTensorName TfLiteOpaqueTensorNumDims TfLiteOpaqueTensorType",
      opaque_tensors },
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Each exported symbol of the library is in one row. */
static size_t expect_rows(const char *library)
{
    char command[PATH_MAX + 128], line[512];
    size_t count = 0;
    FILE *f;

    snprintf(command, sizeof command, "nm -D --defined-only '%s'", build_path(".", library));
    assert_non_null(f = popen(command, "r"));
    while (fgets(line, sizeof line, f)) {
        char kind, name[256];
        bool found = false;

        if (sscanf(line, "%*x %c %255s", &kind, name) != 2 || kind != 'T')
            continue;
#ifdef ASSAY_COVERAGE
        if (strcmp(name, "mangle_path") == 0) /* of libgcov */
            continue;
#endif
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            found |= has_word(rows[i].symbols, name);
        if (!found)
            fail_msg("%s exports %s, which has no test here", library, name);
        count++;
    }
    assert_int_equal(pclose(f), 0);
    return count;
}

TEST(every_export_has_a_row)
{
    size_t words = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        words++;
        for (const char *c = rows[i].symbols; *c; c++)
            words += *c == ' ';
    }
    assert_int_equal(expect_rows("libassay.so") + expect_rows("libassay_delegate.so"), words);
}

TEST(wrong_arguments)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        rows[i].test();
}

FIXTURE(setup)
{
    TfLiteInterpreterOptions *const o = TfLiteInterpreterOptionsCreate();

    gone = tflite_plugin_create_delegate(NULL, NULL, 0, reported);
    tflite_plugin_destroy_delegate(gone);
    TfLiteInterpreterOptionsSetErrorReporter(o, report_nothing, NULL);
    model = TfLiteModelCreateFromFile("golden/digits/digits_f32.tflite");
    live = model ? TfLiteInterpreterCreate(model, o) : NULL;
    TfLiteInterpreterOptionsDelete(o);
    return live && TfLiteInterpreterAllocateTensors(live) == kTfLiteOk ? 0 : -1;
}

FIXTURE(teardown)
{
    TfLiteInterpreterDelete(live);
    TfLiteModelDelete(model);
    return 0;
}

TEST_FILE(.setup = setup, .teardown = teardown);
