/* The opaque ABI on top of the plain one, for a delegate to link with: nothing here needs the host
 * to be ours.
 *
 * An opaque pointer is one to the plain struct.  The operator of a model's node is its
 * registration; one that was created begins with a registration that points back at it. */
#include "tensorflow/lite/c/c_api_opaque.h"

#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- operators ---- */

struct TfLiteOperator {
    TfLiteRegistration registration; /* registration_external: this operator */
    void *user_data;
    void *(*init)(void *user_data, TfLiteOpaqueContext *context, const char *buffer, size_t length);
    void (*free)(void *user_data, TfLiteOpaqueContext *context, void *data);
    TfLiteStatus (*prepare)(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node);
    TfLiteStatus (*invoke)(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node);
};

TfLiteOperator *TfLiteOperatorCreate(TfLiteBuiltinOperator builtin_code, const char *custom_name,
                                     int version, void *user_data)
{
    TfLiteOperator *const op = mem_alloc(1, sizeof *op);

    if (!op)
        return NULL;
    op->registration = (TfLiteRegistration){ .builtin_code = (int32_t)builtin_code,
                                             .custom_name = custom_name,
                                             .version = version,
                                             .registration_external = op };
    op->user_data = user_data;
    return op;
}

void TfLiteOperatorDelete(TfLiteOperator *op)
{
    mem_free(op);
}

#define SET(name, member, type, arguments)                                                         \
    TfLiteStatus TfLiteOperatorSet##name##WithData(TfLiteOperator *op, type(*member) arguments)    \
    {                                                                                              \
        if (!op)                                                                                   \
            return kTfLiteError;                                                                   \
        op->member = member;                                                                       \
        return kTfLiteOk;                                                                          \
    }
SET(Init, init, void *,
    (void *user_data, TfLiteOpaqueContext *context, const char *buffer, size_t length))
SET(Free, free, void, (void *user_data, TfLiteOpaqueContext *context, void *data))
SET(Prepare, prepare, TfLiteStatus,
    (void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node))
SET(Invoke, invoke, TfLiteStatus,
    (void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node))

TfLiteBuiltinOperator TfLiteOperatorGetBuiltInCode(const TfLiteOperator *op)
{
    return (TfLiteBuiltinOperator)(op ? op->registration.builtin_code : -1);
}

const char *TfLiteOperatorGetCustomName(const TfLiteOperator *op)
{
    return op ? op->registration.custom_name : NULL;
}

int TfLiteOperatorGetVersion(const TfLiteOperator *op)
{
    return op ? op->registration.version : 0;
}

void *TfLiteOperatorGetUserData(const TfLiteOperator *op)
{
    return op && op->registration.registration_external == op ? op->user_data : NULL;
}

/* ---- kernels ---- */

/* What hosts keep as user_data of a kernel. */
struct kernel {
    const TfLiteOperator *op;
    void *data; /* what init returned */
};

/* The node whose kernel this thread runs, and its data. */
static _Thread_local struct {
    const TfLiteNode *node;
    void *data;
} running;

struct delegate {
    TfLiteDelegate abi; /* data_: this struct */
    TfLiteOpaqueDelegateBuilder builder;
    const TfLiteOperator *op; /* of the kernels that are made now */
};

static void *kernel_init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *const plain = (const void *)buffer;
    const struct delegate *const d = plain->delegate->data_;
    const TfLiteOpaqueDelegateParams params = {
        .delegate = plain->delegate,
        .delegate_data = d->builder.data,
        .nodes_to_replace = plain->nodes_to_replace,
        .input_tensors = plain->input_tensors,
        .output_tensors = plain->output_tensors,
    };
    struct kernel *const k = mem_alloc(1, sizeof *k);

    if (!k)
        return TfLiteKernelInitFailed();
    k->op = d->op;
    if (k->op->init)
        k->data = k->op->init(k->op->user_data, (TfLiteOpaqueContext *)context,
                              (const char *)&params, length);
    if (k->data != TfLiteKernelInitFailed())
        return k;
    mem_free(k);
    return TfLiteKernelInitFailed();
}

/* NULL: init failed.  Older hosts, such as tflite-runtime 2.14, prepare and free such a kernel all
 * the same. */
static struct kernel *made(void *user_data)
{
    return user_data == TfLiteKernelInitFailed() ? NULL : user_data;
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    struct kernel *const k = made(user_data);

    if (!k)
        return;
    if (k->op->free)
        k->op->free(k->op->user_data, (TfLiteOpaqueContext *)context, k->data);
    mem_free(k);
}

static TfLiteStatus run(TfLiteContext *context, TfLiteNode *node,
                        TfLiteStatus (*function)(void *, TfLiteOpaqueContext *, TfLiteOpaqueNode *))
{
    const struct kernel *const k = node->user_data;
    const TfLiteNode *const node_before = running.node;
    void *const data_before = running.data;
    TfLiteStatus status;

    if (!function)
        return kTfLiteOk;
    running.node = node;
    running.data = k->data;
    status = function(k->op->user_data, (TfLiteOpaqueContext *)context, (TfLiteOpaqueNode *)node);
    running.node = node_before;
    running.data = data_before;
    return status;
}

static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const struct kernel *const k = made(node->user_data);

    return k ? run(context, node, k->op->prepare) : kTfLiteError;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    return run(context, node, ((const struct kernel *)node->user_data)->op->invoke);
}

/* ---- delegates ---- */

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const struct delegate *const d = delegate->data_;

    return d->builder.Prepare((TfLiteOpaqueContext *)context, delegate, d->builder.data);
}

static TfLiteStatus copy_from(TfLiteContext *context, TfLiteDelegate *delegate,
                              TfLiteBufferHandle handle, TfLiteTensor *tensor)
{
    const struct delegate *const d = delegate->data_;

    return d->builder.CopyFromBufferHandle((TfLiteOpaqueContext *)context, delegate,
                                           d->builder.data, handle, (TfLiteOpaqueTensor *)tensor);
}

static TfLiteStatus copy_to(TfLiteContext *context, TfLiteDelegate *delegate,
                            TfLiteBufferHandle handle, TfLiteTensor *tensor)
{
    const struct delegate *const d = delegate->data_;

    return d->builder.CopyToBufferHandle((TfLiteOpaqueContext *)context, delegate, d->builder.data,
                                         handle, (TfLiteOpaqueTensor *)tensor);
}

static void free_handle(TfLiteContext *context, TfLiteDelegate *delegate,
                        TfLiteBufferHandle *handle)
{
    const struct delegate *const d = delegate->data_;

    d->builder.FreeBufferHandle((TfLiteOpaqueContext *)context, delegate, d->builder.data, handle);
}

TfLiteOpaqueDelegate *TfLiteOpaqueDelegateCreate(const TfLiteOpaqueDelegateBuilder *builder)
{
    struct delegate *const d = builder && builder->Prepare ? mem_alloc(1, sizeof *d) : NULL;

    if (!d)
        return NULL;
    d->builder = *builder;
    d->abi = (TfLiteDelegate){
        .data_ = d,
        .Prepare = prepare,
        .CopyFromBufferHandle = builder->CopyFromBufferHandle ? copy_from : NULL,
        .CopyToBufferHandle = builder->CopyToBufferHandle ? copy_to : NULL,
        .FreeBufferHandle = builder->FreeBufferHandle ? free_handle : NULL,
        .flags = builder->flags,
    };
    return &d->abi;
}

void TfLiteOpaqueDelegateDelete(TfLiteOpaqueDelegate *delegate)
{
    mem_free(delegate ? delegate->data_ : NULL);
}

void *TfLiteOpaqueDelegateGetData(const TfLiteOpaqueDelegate *delegate)
{
    return delegate ? ((const struct delegate *)delegate->data_)->builder.data : NULL;
}

/* ---- the context ---- */

static TfLiteContext *plain(const TfLiteOpaqueContext *context)
{
    return (TfLiteContext *)(uintptr_t)context;
}

TfLiteStatus TfLiteOpaqueContextGetExecutionPlan(TfLiteOpaqueContext *context,
                                                 TfLiteIntArray **plan)
{
    return context && plan ? plain(context)->GetExecutionPlan(plain(context), plan) : kTfLiteError;
}

TfLiteStatus TfLiteOpaqueContextGetNodeAndRegistration(TfLiteOpaqueContext *context, int node_index,
                                                       TfLiteOpaqueNode **node, TfLiteOperator **op)
{
    TfLiteNode *found;
    TfLiteRegistration *registration;
    TfLiteStatus status = kTfLiteError;

    if (context && node && op)
        status = plain(context)->GetNodeAndRegistration(plain(context), node_index, &found,
                                                        &registration);
    if (status == kTfLiteOk) {
        *node = (TfLiteOpaqueNode *)found;
        *op = (TfLiteOperator *)registration;
    }
    return status;
}

/* Hosts call init before this returns. */
TfLiteStatus TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    TfLiteOpaqueContext *context, TfLiteOperator *op, const TfLiteIntArray *nodes_to_replace,
    TfLiteOpaqueDelegate *delegate)
{
    TfLiteRegistration kernel;

    if (!context || !op || !delegate)
        return kTfLiteError;
    kernel = (TfLiteRegistration){ .init = kernel_init,
                                   .free = kernel_free,
                                   .prepare = kernel_prepare,
                                   .invoke = kernel_invoke,
                                   .builtin_code = op->registration.builtin_code,
                                   .custom_name = op->registration.custom_name,
                                   .version = op->registration.version };
    ((struct delegate *)delegate->data_)->op = op;
    return plain(context)->ReplaceNodeSubsetsWithDelegateKernels(plain(context), kernel,
                                                                 nodes_to_replace, delegate);
}

size_t TfLiteOpaqueContextGetNumTensors(const TfLiteOpaqueContext *context)
{
    return context ? plain(context)->tensors_size : 0;
}

TfLiteOpaqueTensor *TfLiteOpaqueContextGetOpaqueTensor(const TfLiteOpaqueContext *context,
                                                       int index)
{
    TfLiteContext *const c = plain(context);

    return c && index >= 0 && (size_t)index < c->tensors_size
               ? (TfLiteOpaqueTensor *)&c->tensors[index]
               : NULL;
}

TfLiteStatus TfLiteOpaqueContextResizeTensor(TfLiteOpaqueContext *context,
                                             TfLiteOpaqueTensor *tensor, TfLiteIntArray *new_size)
{
    if (context && tensor && new_size)
        return plain(context)->ResizeTensor(plain(context), (TfLiteTensor *)tensor, new_size);
    TfLiteIntArrayFree(new_size);
    return kTfLiteError;
}

void TfLiteOpaqueContextReportErrorVa(TfLiteOpaqueContext *context, const char *format,
                                      va_list arguments)
{
    char text[1024];

    if (!context || !format)
        return;
    vsnprintf(text, sizeof text, format, arguments);
    plain(context)->ReportError(plain(context), "%s", text);
}

void TfLiteOpaqueContextReportError(TfLiteOpaqueContext *context, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    TfLiteOpaqueContextReportErrorVa(context, format, arguments);
    va_end(arguments);
}

/* ---- nodes ---- */

/* NULL is a node of nothing. */
static const TfLiteNode *plain_node(const TfLiteOpaqueNode *node)
{
    static const TfLiteNode none;

    return node ? (const TfLiteNode *)node : &none;
}

static int at(const TfLiteIntArray *a, int index)
{
    return a && index >= 0 && index < a->size ? a->data[index] : kTfLiteOptionalTensor;
}

static TfLiteStatus list(const TfLiteIntArray *a, const int **items, int *count)
{
    if (!items || !count)
        return kTfLiteError;
    *items = a ? a->data : NULL;
    *count = a ? a->size : 0;
    return kTfLiteOk;
}

int TfLiteOpaqueNodeNumberOfInputs(const TfLiteOpaqueNode *node)
{
    return plain_node(node)->inputs ? plain_node(node)->inputs->size : 0;
}

int TfLiteOpaqueNodeNumberOfOutputs(const TfLiteOpaqueNode *node)
{
    return plain_node(node)->outputs ? plain_node(node)->outputs->size : 0;
}

int TfLiteOpaqueNodeGetInputTensorIndex(const TfLiteOpaqueNode *node, int index_of_input)
{
    return at(plain_node(node)->inputs, index_of_input);
}

int TfLiteOpaqueNodeGetOutputTensorIndex(const TfLiteOpaqueNode *node, int index_of_output)
{
    return at(plain_node(node)->outputs, index_of_output);
}

const TfLiteOpaqueTensor *TfLiteOpaqueNodeGetInput(const TfLiteOpaqueContext *context,
                                                   const TfLiteOpaqueNode *node, int index)
{
    return TfLiteOpaqueContextGetOpaqueTensor(context, at(plain_node(node)->inputs, index));
}

TfLiteOpaqueTensor *TfLiteOpaqueNodeGetOutput(TfLiteOpaqueContext *context,
                                              const TfLiteOpaqueNode *node, int index)
{
    return TfLiteOpaqueContextGetOpaqueTensor(context, at(plain_node(node)->outputs, index));
}

TfLiteStatus TfLiteOpaqueNodeInputs(const TfLiteOpaqueNode *node, const int **inputs, int *count)
{
    return list(plain_node(node)->inputs, inputs, count);
}

TfLiteStatus TfLiteOpaqueNodeOutputs(const TfLiteOpaqueNode *node, const int **outputs, int *count)
{
    return list(plain_node(node)->outputs, outputs, count);
}

void *TfLiteOpaqueNodeGetUserData(const TfLiteOpaqueNode *node)
{
    return plain_node(node) == running.node ? running.data : plain_node(node)->user_data;
}

void *TfLiteOpaqueNodeGetBuiltinData(const TfLiteOpaqueNode *node)
{
    return plain_node(node)->builtin_data;
}

TfLiteStatus TfLiteOpaqueNodeGetCustomInitialData(const TfLiteOpaqueNode *node,
                                                  const void **init_data, int *size)
{
    if (!init_data || !size)
        return kTfLiteError;
    *init_data = plain_node(node)->custom_initial_data;
    *size = plain_node(node)->custom_initial_data_size;
    return kTfLiteOk;
}

/* ---- tensors ---- */

/* NULL is a tensor of nothing. */
static const TfLiteTensor *plain_tensor(const TfLiteOpaqueTensor *tensor)
{
    static const TfLiteTensor none;

    return tensor ? (const TfLiteTensor *)tensor : &none;
}

TfLiteType TfLiteOpaqueTensorType(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->type;
}

int32_t TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor *tensor)
{
    const TfLiteIntArray *const dims = plain_tensor(tensor)->dims;

    return dims ? dims->size : -1;
}

int32_t TfLiteOpaqueTensorDim(const TfLiteOpaqueTensor *tensor, int32_t index)
{
    return at(plain_tensor(tensor)->dims, index);
}

size_t TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->bytes;
}

void *TfLiteOpaqueTensorData(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->data.raw;
}

const char *TfLiteOpaqueTensorName(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->name;
}

TfLiteAllocationType TfLiteOpaqueTensorGetAllocationType(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->allocation_type;
}

int TfLiteOpaqueTensorIsVariable(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->is_variable;
}

TfLiteQuantization TfLiteOpaqueTensorGetQuantization(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->quantization;
}

TfLiteQuantizationParams TfLiteOpaqueTensorGetQuantizationParams(const TfLiteOpaqueTensor *tensor)
{
    return plain_tensor(tensor)->params;
}
