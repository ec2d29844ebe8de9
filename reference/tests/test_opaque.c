/* The opaque ABI on a host that is not ours: what older ones do that ours does not. */
#include "reference/tests/kit/test.h"
#include "tensorflow/lite/c/c_api_opaque.h"

static int inits, frees;

static void *fail_init(void *user_data, TfLiteOpaqueContext *context, const char *buffer,
                       size_t length)
{
    (void)user_data, (void)context, (void)buffer, (void)length;
    inits++;
    return TfLiteKernelInitFailed();
}

static void count_free(void *user_data, TfLiteOpaqueContext *context, void *data)
{
    (void)user_data, (void)context, (void)data;
    frees++;
}

static TfLiteStatus prepare(TfLiteOpaqueContext *context, TfLiteOpaqueDelegate *delegate,
                            void *data)
{
    return TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(context, data, NULL, delegate);
}

/* As tflite-runtime 2.14 does: it prepares and frees a kernel whose init failed, too. */
static TfLiteStatus make_prepare_and_free(TfLiteContext *context, TfLiteRegistration kernel,
                                          const TfLiteIntArray *nodes, TfLiteDelegate *delegate)
{
    const TfLiteDelegateParams params = { .delegate = delegate };
    TfLiteNode node = { .user_data = kernel.init(context, (const char *)&params, sizeof params) };
    const TfLiteStatus status = kernel.prepare(context, &node);

    (void)nodes;
    kernel.free(context, node.user_data);
    kernel.free(context, NULL);
    return status;
}

TEST(a_kernel_that_was_not_made_is_neither_prepared_nor_freed)
{
    TfLiteContext context = { .ReplaceNodeSubsetsWithDelegateKernels = make_prepare_and_free };
    TfLiteOperator *const op = TfLiteOperatorCreate(kTfLiteBuiltinDelegate, "opaque", 1, NULL);
    const TfLiteOpaqueDelegateBuilder builder = { .data = op, .Prepare = prepare };
    TfLiteOpaqueDelegate *const delegate = TfLiteOpaqueDelegateCreate(&builder);

    assert_non_null(op);
    assert_non_null(delegate);
    TfLiteOperatorSetInitWithData(op, fail_init);
    TfLiteOperatorSetFreeWithData(op, count_free);
    assert_int_equal(delegate->Prepare(&context, delegate), kTfLiteError);
    assert_int_equal(inits, 1);
    assert_int_equal(frees, 0);
    TfLiteOpaqueDelegateDelete(delegate);
    TfLiteOperatorDelete(op);
}
