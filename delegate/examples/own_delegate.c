/* A delegate of one op, RELU of float, to begin your own with; conformance/doc/OWN_DELEGATE.md
 * walks through it:
 *
 *     cc -shared -fPIC -o libown.so own_delegate.c $(pkg-config --cflags --libs assay)
 *     assay conformance --delegate=./libown.so */
#include <stdlib.h>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/common.h"

struct kernel {
    int count;
    struct step {
        int in, out; /* tensors */
    } steps[];
};

static void *init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteIntArray *nodes = ((const TfLiteDelegateParams *)buffer)->nodes_to_replace;
    struct kernel *k = calloc(1, sizeof *k + (size_t)nodes->size * sizeof k->steps[0]);
    TfLiteRegistration *op;
    TfLiteNode *node;

    (void)length;
    for (int i = 0; k && i < nodes->size; i++) {
        context->GetNodeAndRegistration(context, nodes->data[i], &node, &op);
        k->steps[i] = (struct step){ node->inputs->data[0], node->outputs->data[0] };
        /* What only this kernel reads has no memory: RELU of RELU is RELU of what came first. */
        for (int j = 0; j < i; j++)
            if (k->steps[j].out == k->steps[i].in)
                k->steps[i].in = k->steps[j].in;
        k->count++;
    }
    /* Without memory it is NULL, of which prepare tells: TfLiteKernelInitFailed(), which is meant
     * for this, older hosts prepare and free as if it were a kernel. */
    return k;
}

static void release(TfLiteContext *context, void *user_data)
{
    (void)context;
    free(user_data);
}

/* Also called when inputs have other sizes. */
static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node)
{
    const struct kernel *k = node->user_data;

    if (!k)
        return kTfLiteError;
    for (const struct step *s = k->steps; s < k->steps + k->count; s++)
        if (context->ResizeTensor(context, &context->tensors[s->out],
                                  TfLiteIntArrayCopy(context->tensors[s->in].dims)) != kTfLiteOk)
            return kTfLiteError;
    return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node)
{
    const struct kernel *k = node->user_data;

    for (const struct step *s = k->steps; s < k->steps + k->count; s++) {
        const float *in = context->tensors[s->in].data.f;
        float *out = context->tensors[s->out].data.f;

        for (size_t i = 0; out && i < context->tensors[s->out].bytes / sizeof *out; i++)
            out[i] = in[i] < 0 ? 0 : in[i];
    }
    return kTfLiteOk;
}

/* Takes what it is sure of, and leaves the rest to the host. */
static TfLiteStatus choose(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const TfLiteRegistration kernel = {
        .init = init,
        .free = release,
        .prepare = prepare,
        .invoke = invoke,
        .builtin_code = kTfLiteBuiltinDelegate,
        .custom_name = "OwnDelegate",
        .version = 1,
    };
    TfLiteIntArray *plan, *taken;
    TfLiteRegistration *op;
    TfLiteNode *node;
    TfLiteStatus status;

    context->GetExecutionPlan(context, &plan);
    if (!(taken = TfLiteIntArrayCopy(plan)))
        return kTfLiteError;
    taken->size = 0;
    for (int i = 0; i < plan->size; i++) {
        context->GetNodeAndRegistration(context, plan->data[i], &node, &op);
        if (op->builtin_code == kTfLiteBuiltinRelu &&
            context->tensors[node->inputs->data[0]].type == kTfLiteFloat32)
            taken->data[taken->size++] = plan->data[i];
    }
    status = context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, taken, delegate);
    TfLiteIntArrayFree(taken);
    return status;
}

/* The two functions that hosts look for; keys and values are the --delegate-option=KEY=VALUE. */
TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    TfLiteDelegate *delegate = calloc(1, sizeof *delegate);

    (void)keys, (void)values, (void)count, (void)report_error;
    if (delegate)
        delegate->Prepare = choose;
    return delegate;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    free(delegate);
}
