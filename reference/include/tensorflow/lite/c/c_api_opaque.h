/* The opaque ABI of delegates: contexts, nodes and tensors that are seen through functions alone,
 * so that a delegate is bound to no layout.
 *
 * These functions belong to the delegate: it links them (-lassay), and then works in every host of
 * the delegate ABI, LiteRT from PyPI among them, since TfLiteOpaqueDelegateCreate makes a
 * TfLiteDelegate whose functions call those of the builder.  NULL in the place of a context, an
 * operator, a delegate or a result is an error; a NULL node or tensor has nothing. */
#ifndef TENSORFLOW_LITE_C_C_API_OPAQUE_H_
#define TENSORFLOW_LITE_C_C_API_OPAQUE_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteOpaqueContext TfLiteOpaqueContext;
typedef struct TfLiteOpaqueNode TfLiteOpaqueNode;
typedef struct TfLiteOpaqueTensor TfLiteOpaqueTensor;
typedef struct TfLiteOperator TfLiteOperator;

/* ---- delegates ---- */

/* What a delegate consists of.  Functions may be NULL but Prepare. */
typedef struct TfLiteOpaqueDelegateBuilder {
    void *data; /* passed to each function */
    TfLiteStatus (*Prepare)(TfLiteOpaqueContext *context, TfLiteOpaqueDelegate *delegate,
                            void *data);
    TfLiteStatus (*CopyFromBufferHandle)(TfLiteOpaqueContext *context,
                                         TfLiteOpaqueDelegate *delegate, void *data,
                                         TfLiteBufferHandle handle, TfLiteOpaqueTensor *tensor);
    TfLiteStatus (*CopyToBufferHandle)(TfLiteOpaqueContext *context, TfLiteOpaqueDelegate *delegate,
                                       void *data, TfLiteBufferHandle handle,
                                       TfLiteOpaqueTensor *tensor);
    void (*FreeBufferHandle)(TfLiteOpaqueContext *context, TfLiteOpaqueDelegate *delegate,
                             void *data, TfLiteBufferHandle *handle);
    int64_t flags; /* TfLiteDelegateFlags */
} TfLiteOpaqueDelegateBuilder;

/* Copies the builder; NULL without memory, or of NULL.  Ended by TfLiteOpaqueDelegateDelete. */
TFL_CAPI_EXPORT extern TfLiteOpaqueDelegate *
TfLiteOpaqueDelegateCreate(const TfLiteOpaqueDelegateBuilder *builder);
TFL_CAPI_EXPORT extern void TfLiteOpaqueDelegateDelete(TfLiteOpaqueDelegate *delegate);
/* The builder's data, of a delegate that was created so. */
TFL_CAPI_EXPORT extern void *TfLiteOpaqueDelegateGetData(const TfLiteOpaqueDelegate *delegate);

/* The argument of a delegate kernel's init. */
typedef struct TfLiteOpaqueDelegateParams {
    TfLiteOpaqueDelegate *delegate;
    void *delegate_data; /* of the builder */
    TfLiteIntArray *nodes_to_replace;
    TfLiteIntArray *input_tensors;
    TfLiteIntArray *output_tensors;
} TfLiteOpaqueDelegateParams;

/* ---- operators: the functions of a kernel ---- */

/* user_data is passed to each function as the first argument.  The operator has to live as long as
 * the delegate's kernels. */
TFL_CAPI_EXPORT extern TfLiteOperator *TfLiteOperatorCreate(TfLiteBuiltinOperator builtin_code,
                                                            const char *custom_name, int version,
                                                            void *user_data);
TFL_CAPI_EXPORT extern void TfLiteOperatorDelete(TfLiteOperator *op);
/* Of a delegate kernel buffer is a const TfLiteOpaqueDelegateParams*, and length 0.  What init
 * returns, TfLiteOpaqueNodeGetUserData gives to the others; TfLiteKernelInitFailed(): it failed. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteOperatorSetInitWithData(TfLiteOperator *op,
                              void *(*init)(void *user_data, TfLiteOpaqueContext *context,
                                            const char *buffer, size_t length));
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOperatorSetFreeWithData(
    TfLiteOperator *op, void (*free)(void *user_data, TfLiteOpaqueContext *context, void *data));
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOperatorSetPrepareWithData(
    TfLiteOperator *op,
    TfLiteStatus (*prepare)(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node));
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOperatorSetInvokeWithData(
    TfLiteOperator *op,
    TfLiteStatus (*invoke)(void *user_data, TfLiteOpaqueContext *context, TfLiteOpaqueNode *node));
/* Also of the operators of a model's nodes. */
TFL_CAPI_EXPORT extern TfLiteBuiltinOperator TfLiteOperatorGetBuiltInCode(const TfLiteOperator *op);
TFL_CAPI_EXPORT extern const char *TfLiteOperatorGetCustomName(const TfLiteOperator *op);
TFL_CAPI_EXPORT extern int TfLiteOperatorGetVersion(const TfLiteOperator *op);
/* NULL of a model's nodes. */
TFL_CAPI_EXPORT extern void *TfLiteOperatorGetUserData(const TfLiteOperator *op);

/* ---- the context ---- */

TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteOpaqueContextGetExecutionPlan(TfLiteOpaqueContext *context, TfLiteIntArray **plan);
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteOpaqueContextGetNodeAndRegistration(TfLiteOpaqueContext *context, int node_index,
                                          TfLiteOpaqueNode **node, TfLiteOperator **op);
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    TfLiteOpaqueContext *context, TfLiteOperator *op, const TfLiteIntArray *nodes_to_replace,
    TfLiteOpaqueDelegate *delegate);
TFL_CAPI_EXPORT extern size_t TfLiteOpaqueContextGetNumTensors(const TfLiteOpaqueContext *context);
/* NULL when there is no such tensor. */
TFL_CAPI_EXPORT extern TfLiteOpaqueTensor *
TfLiteOpaqueContextGetOpaqueTensor(const TfLiteOpaqueContext *context, int index);
/* Takes ownership of new_size, also when it fails. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOpaqueContextResizeTensor(TfLiteOpaqueContext *context,
                                                                    TfLiteOpaqueTensor *tensor,
                                                                    TfLiteIntArray *new_size);
TFL_CAPI_EXPORT extern void TfLiteOpaqueContextReportError(TfLiteOpaqueContext *context,
                                                           const char *format, ...);
TFL_CAPI_EXPORT extern void TfLiteOpaqueContextReportErrorVa(TfLiteOpaqueContext *context,
                                                             const char *format, va_list arguments);

/* ---- nodes ---- */

TFL_CAPI_EXPORT extern int TfLiteOpaqueNodeNumberOfInputs(const TfLiteOpaqueNode *node);
TFL_CAPI_EXPORT extern int TfLiteOpaqueNodeNumberOfOutputs(const TfLiteOpaqueNode *node);
/* NULL of an index out of range, and of an optional input that is absent. */
TFL_CAPI_EXPORT extern const TfLiteOpaqueTensor *
TfLiteOpaqueNodeGetInput(const TfLiteOpaqueContext *context, const TfLiteOpaqueNode *node,
                         int index);
TFL_CAPI_EXPORT extern TfLiteOpaqueTensor *
TfLiteOpaqueNodeGetOutput(TfLiteOpaqueContext *context, const TfLiteOpaqueNode *node, int index);
TFL_CAPI_EXPORT extern int TfLiteOpaqueNodeGetInputTensorIndex(const TfLiteOpaqueNode *node,
                                                               int index_of_input);
TFL_CAPI_EXPORT extern int TfLiteOpaqueNodeGetOutputTensorIndex(const TfLiteOpaqueNode *node,
                                                                int index_of_output);
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOpaqueNodeInputs(const TfLiteOpaqueNode *node,
                                                           const int **inputs, int *count);
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteOpaqueNodeOutputs(const TfLiteOpaqueNode *node,
                                                            const int **outputs, int *count);
/* In a kernel's prepare and invoke, what its init returned. */
TFL_CAPI_EXPORT extern void *TfLiteOpaqueNodeGetUserData(const TfLiteOpaqueNode *node);
/* A struct of builtin_op_data.h, or NULL. */
TFL_CAPI_EXPORT extern void *TfLiteOpaqueNodeGetBuiltinData(const TfLiteOpaqueNode *node);
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteOpaqueNodeGetCustomInitialData(const TfLiteOpaqueNode *node, const void **init_data,
                                     int *size);

/* ---- tensors ---- */

TFL_CAPI_EXPORT extern TfLiteType TfLiteOpaqueTensorType(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern int32_t TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern int32_t TfLiteOpaqueTensorDim(const TfLiteOpaqueTensor *tensor,
                                                     int32_t index);
TFL_CAPI_EXPORT extern size_t TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern void *TfLiteOpaqueTensorData(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern const char *TfLiteOpaqueTensorName(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern TfLiteAllocationType
TfLiteOpaqueTensorGetAllocationType(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern int TfLiteOpaqueTensorIsVariable(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern TfLiteQuantization
TfLiteOpaqueTensorGetQuantization(const TfLiteOpaqueTensor *tensor);
TFL_CAPI_EXPORT extern TfLiteQuantizationParams
TfLiteOpaqueTensorGetQuantizationParams(const TfLiteOpaqueTensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
