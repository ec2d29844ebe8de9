/* own_delegate.c once more, by the opaque ABI: contexts, nodes and tensors are seen through
 * functions alone.  It is built and judged in the same way, and runs in the same hosts. */
#include <stdlib.h>

#include "tensorflow/lite/c/c_api_opaque.h"

struct kernel {
    int count;
    struct step {
        int in, out; /* tensors */
    } steps[];
};

static void *init(void *user_data, TfLiteOpaqueContext *context, const char *buffer, size_t length)
{
    const TfLiteIntArray *nodes = ((const TfLiteOpaqueDelegateParams *)buffer)->nodes_to_replace;
    struct kernel *k = calloc(1, sizeof *k + (size_t)nodes->size * sizeof k->steps[0]);
    TfLiteOpaqueNode *node;
    TfLiteOperator *op;

    (void)user_data, (void)length;
    for (int i = 0; k && i < nodes->size; i++) {
        TfLiteOpaqueContextGetNodeAndRegistration(context, nodes->data[i], &node, &op);
        k->steps[i] = (struct step){ TfLiteOpaqueNodeGetInputTensorIndex(node, 0),
                                     TfLiteOpaqueNodeGetOutputTensorIndex(node, 0) };
        for (int j = 0; j < i; j++)
            if (k->steps[j].out == k->steps[i].in)
                k->steps[i].in = k->steps[j].in;
        k->count++;
    }
    /* Without memory it is NULL, of which prepare tells: TfLiteKernelInitFailed(), which is meant
     * for this, older hosts prepare and free as if it were a kernel. */
    return k;
}

static void release(void *user_data, TfLiteOpaqueContext *context, void *data)
{
    (void)user_data, (void)context;
    free(data);
}

static TfLiteStatus prepare(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node)
{
    const struct kernel *k = TfLiteOpaqueNodeGetUserData(node);

    (void)user_data;
    if (!k)
        return kTfLiteError;
    for (const struct step *s = k->steps; s < k->steps + k->count; s++) {
        const TfLiteOpaqueTensor *in = TfLiteOpaqueContextGetOpaqueTensor(context, s->in);
        TfLiteIntArray *dims = TfLiteIntArrayCreate(TfLiteOpaqueTensorNumDims(in));

        for (int i = 0; dims && i < dims->size; i++)
            dims->data[i] = TfLiteOpaqueTensorDim(in, i);
        if (TfLiteOpaqueContextResizeTensor(
                context, TfLiteOpaqueContextGetOpaqueTensor(context, s->out), dims) != kTfLiteOk)
            return kTfLiteError;
    }
    return kTfLiteOk;
}

static TfLiteStatus invoke(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node)
{
    const struct kernel *k = TfLiteOpaqueNodeGetUserData(node);

    (void)user_data;
    for (const struct step *s = k->steps; s < k->steps + k->count; s++) {
        const TfLiteOpaqueTensor *shown = TfLiteOpaqueContextGetOpaqueTensor(context, s->out);
        const float *in =
            TfLiteOpaqueTensorData(TfLiteOpaqueContextGetOpaqueTensor(context, s->in));
        float *out = TfLiteOpaqueTensorData(shown);

        for (size_t i = 0; out && i < TfLiteOpaqueTensorByteSize(shown) / sizeof *out; i++)
            out[i] = in[i] < 0 ? 0 : in[i];
    }
    return kTfLiteOk;
}

/* `data` is the kernel's operator, of the builder below. */
static TfLiteStatus choose(TfLiteOpaqueContext *context, TfLiteOpaqueDelegate *delegate, void *data)
{
    TfLiteIntArray *plan, *taken;
    TfLiteOpaqueNode *node;
    TfLiteOperator *op;
    TfLiteStatus status;

    if (TfLiteOpaqueContextGetExecutionPlan(context, &plan) != kTfLiteOk ||
        !(taken = TfLiteIntArrayCopy(plan)))
        return kTfLiteError;
    taken->size = 0;
    for (int i = 0; i < plan->size; i++) {
        TfLiteOpaqueContextGetNodeAndRegistration(context, plan->data[i], &node, &op);
        if (TfLiteOperatorGetBuiltInCode(op) == kTfLiteBuiltinRelu &&
            TfLiteOpaqueTensorType(TfLiteOpaqueNodeGetInput(context, node, 0)) == kTfLiteFloat32)
            taken->data[taken->size++] = plan->data[i];
    }
    status =
        TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(context, data, taken, delegate);
    TfLiteIntArrayFree(taken);
    return status;
}

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    TfLiteOperator *op = TfLiteOperatorCreate(kTfLiteBuiltinDelegate, "OpaqueDelegate", 1, NULL);
    const TfLiteOpaqueDelegateBuilder builder = { .data = op, .Prepare = choose };

    (void)keys, (void)values, (void)count, (void)report_error;
    TfLiteOperatorSetInitWithData(op, init);
    TfLiteOperatorSetFreeWithData(op, release);
    TfLiteOperatorSetPrepareWithData(op, prepare);
    TfLiteOperatorSetInvokeWithData(op, invoke);
    return TfLiteOpaqueDelegateCreate(&builder);
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    TfLiteOperatorDelete(TfLiteOpaqueDelegateGetData(delegate));
    TfLiteOpaqueDelegateDelete(delegate);
}
