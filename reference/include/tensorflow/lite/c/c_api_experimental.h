/* The experimental part of the TensorFlow Lite C API: kernels of the user, variable tensors,
 * delegates applied to an existing interpreter, memory of the caller, buffer handles.  Errors,
 * ownership and threads as in c_api.h. */
#ifndef TENSORFLOW_LITE_C_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_LITE_C_C_API_EXPERIMENTAL_H_

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of the caller for one tensor: at least as large as the tensor, 64-byte aligned, and valid
 * until the interpreter is deleted or other memory is set. */
typedef struct TfLiteCustomAllocation {
    void *data;
    size_t bytes;
} TfLiteCustomAllocation;

/* For TfLiteInterpreterSetCustomAllocationForTensor. */
enum { kTfLiteCustomAllocationFlagsNone = 0, kTfLiteCustomAllocationFlagsSkipAlignCheck = 1 };

/* Sets every variable tensor to zero (int8: its zero point).  kTfLiteError before allocation. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterResetVariableTensors(TfLiteInterpreter *interpreter);
/* Number of variable tensors; 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetVariableTensorCount(const TfLiteInterpreter *interpreter);
/* The variable_index-th variable tensor; NULL when out of range. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetVariableTensor(const TfLiteInterpreter *interpreter, int32_t variable_index);

/* The tensor index of an input; -1 when out of range. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetInputTensorIndex(const TfLiteInterpreter *interpreter, int32_t input_index);
/* The tensor index of an output; -1 when out of range. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetOutputTensorIndex(const TfLiteInterpreter *interpreter, int32_t output_index);

/* Adds a kernel for a custom op, in the versions from min_version to max_version, to interpreters
 * that are made with these options; name is what the model calls the op.  The kernel comes before
 * those of the library, and before those that were added earlier.  name and registration are
 * copied; what the registration points to must outlive the interpreters.  A call with NULL, or with
 * min_version above max_version, does nothing. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions *options, const char *name,
                                    const TfLiteRegistration *registration, int32_t min_version,
                                    int32_t max_version);
/* The same for a builtin op, by its code in the schema. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsAddBuiltinOp(TfLiteInterpreterOptions *options, TfLiteBuiltinOperator op,
                                     const TfLiteRegistration *registration, int32_t min_version,
                                     int32_t max_version);

/* When enabled, a delegate that fails at creation is left out, and an invoke that fails with
 * delegates is repeated without them, with the same inputs: it then returns kTfLiteDelegateError,
 * and the outputs are valid.  Tensor data may have moved, and variables are reset. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsSetEnableDelegateFallback(TfLiteInterpreterOptions *options, bool enable);

/* Applies a delegate, which is borrowed and must outlive the interpreter.  On failure the graph is
 * restored: kTfLiteDelegateError (the delegate failed) or kTfLiteApplicationError (it may not be
 * applied to this graph). */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterModifyGraphWithDelegate(const TfLiteInterpreter *interpreter,
                                         TfLiteOpaqueDelegate *delegate);

/* Places a tensor in memory of the caller, from now on.  Before allocation its size is checked by
 * TfLiteInterpreterAllocateTensors; kTfLiteError for constants and dynamic tensors. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterSetCustomAllocationForTensor(TfLiteInterpreter *interpreter, int tensor_index,
                                              const TfLiteCustomAllocation *custom_allocation,
                                              int64_t flags);

/* Attaches a buffer of the delegate to a tensor; the previous handle is freed through the delegate.
 */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterSetBufferHandle(TfLiteInterpreter *interpreter, TfLiteTensor *tensor,
                                 TfLiteBufferHandle buffer_handle, TfLiteOpaqueDelegate *delegate);
/* The buffer handle of a tensor and its delegate; -1 and NULL when it has none. */
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
