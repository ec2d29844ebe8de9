/* The experimental part of the TensorFlow Lite C API: variable tensors, delegates applied to a live
 * interpreter, memory of the caller, buffer handles. */
#ifndef TENSORFLOW_LITE_C_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_LITE_C_C_API_EXPERIMENTAL_H_

#include "tensorflow/lite/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for one tensor, given by the caller; at least as large as the tensor and 64-byte aligned,
 * valid until the interpreter goes or other memory is set. */
typedef struct TfLiteCustomAllocation {
    void *data;
    size_t bytes;
} TfLiteCustomAllocation;

/* For TfLiteInterpreterSetCustomAllocationForTensor. */
enum { kTfLiteCustomAllocationFlagsNone = 0, kTfLiteCustomAllocationFlagsSkipAlignCheck = 1 };

/* Sets every variable tensor to zero (its zero point). */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterResetVariableTensors(TfLiteInterpreter *interpreter);
/* 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetVariableTensorCount(const TfLiteInterpreter *interpreter);
/* The i-th; NULL when out of range. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetVariableTensor(const TfLiteInterpreter *interpreter, int32_t variable_index);

/* Tensor index of an input or output; -1 when out of range. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetInputTensorIndex(const TfLiteInterpreter *interpreter, int32_t input_index);
/* The same of an output. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetOutputTensorIndex(const TfLiteInterpreter *interpreter, int32_t output_index);

/* When enabled, a delegate that fails at creation is left out, and an invoke that fails with
 * delegates is repeated without them, with the same inputs: it then returns kTfLiteDelegateError,
 * and the outputs are good.  Tensor data may have moved, and variables are reset. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsSetEnableDelegateFallback(TfLiteInterpreterOptions *options, bool enable);

/* Applies a delegate to a live interpreter.  On failure the graph is restored:
 * kTfLiteDelegateError (the delegate failed) or kTfLiteApplicationError (it may not be applied to
 * this graph). */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterModifyGraphWithDelegate(const TfLiteInterpreter *interpreter,
                                         TfLiteOpaqueDelegate *delegate);

/* The tensor lies in memory of the caller from the next allocation on. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterSetCustomAllocationForTensor(TfLiteInterpreter *interpreter, int tensor_index,
                                              const TfLiteCustomAllocation *custom_allocation,
                                              int64_t flags);

/* Gives a tensor a buffer of its delegate's; the former handle is freed through the delegate. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterSetBufferHandle(TfLiteInterpreter *interpreter, TfLiteTensor *tensor,
                                 TfLiteBufferHandle buffer_handle, TfLiteOpaqueDelegate *delegate);
/* *handle is -1 and *delegate NULL when there is none. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterGetBufferHandle(const TfLiteInterpreter *interpreter, int tensor_index,
                                 TfLiteBufferHandle *handle, TfLiteOpaqueDelegate **delegate);
/* When allowed, invoke leaves outputs that a delegate keeps on its device there; otherwise it
 * copies them to host memory.  Off by default. */
TFL_CAPI_EXPORT extern void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter *interpreter,
                                                             bool allow_buffer_handle_output);
/* Copies a stale tensor's data to host memory; does nothing when it is not stale. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterEnsureTensorDataIsReadable(TfLiteInterpreter *interpreter, int tensor_index);

#ifdef __cplusplus
}
#endif

#endif
