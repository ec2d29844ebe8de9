/* The TensorFlow Lite C API, as far as this library has it: load a model, make an interpreter with
 * options, allocate, fill the inputs, invoke, read the outputs.
 *
 * A program written for the TensorFlow Lite C library compiles with this header and links with
 * libassay.so unchanged.  The kernels behind it are a plain scalar reference: right, not fast.
 *
 * Errors: functions that create return NULL, getters with an index out of range NULL or -1, the
 * others a TfLiteStatus.  Every pointer argument may be NULL: the call then fails or does nothing.
 * A message about a failure goes to the error reporter, by default one line on stderr.
 *
 * Ownership: the caller deletes what a Create or Copy function returned; everything that a getter
 * returns belongs to the object asked and is valid as long as it, unless said otherwise.
 * Threads: an interpreter must not be used from two threads at once; TfLiteInterpreterCancel alone
 * may be called from another. Source of the meaning: the published TensorFlow Lite C API; the text
 * is our own. */
#ifndef TENSORFLOW_LITE_C_C_API_H_
#define TENSORFLOW_LITE_C_C_API_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/c/c_api_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Created and deleted by the functions below. */
typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
typedef struct TfLiteTensor TfLiteTensor;
typedef struct TfLiteSignatureRunner TfLiteSignatureRunner;

/* Receives a printf-style message; user_data is the pointer given with the reporter. */
typedef void (*TfLiteErrorReporterCallback)(void *user_data, const char *format, va_list args);

/* The version of this library, as "0.1.0". */
TFL_CAPI_EXPORT extern const char *TfLiteVersion(void);
/* The version of the extension APIs: this library's. */
TFL_CAPI_EXPORT extern const char *TfLiteExtensionApisVersion(void);
/* The version of the .tflite schema that is read: 3. */
TFL_CAPI_EXPORT extern int TfLiteSchemaVersion(void);

/* Verifies and reads a .tflite file of model_size bytes in memory.  The bytes are borrowed: they
 * must stay valid and unchanged until the model and all interpreters made from it are deleted. NULL
 * when the model is invalid or not supported, or out of memory. */
TFL_CAPI_EXPORT extern TfLiteModel *TfLiteModelCreate(const void *model_data, size_t model_size);
/* TfLiteModelCreate with a reporter for what is wrong with the model. */
TFL_CAPI_EXPORT extern TfLiteModel *
TfLiteModelCreateWithErrorReporter(const void *model_data, size_t model_size,
                                   TfLiteErrorReporterCallback reporter, void *user_data);
/* Reads the file at model_path into memory that the model owns.  NULL as for TfLiteModelCreate, or
 * when the file cannot be read. */
TFL_CAPI_EXPORT extern TfLiteModel *TfLiteModelCreateFromFile(const char *model_path);
/* TfLiteModelCreateFromFile with a reporter. */
TFL_CAPI_EXPORT extern TfLiteModel *
TfLiteModelCreateFromFileWithErrorReporter(const char *model_path,
                                           TfLiteErrorReporterCallback reporter, void *user_data);
/* The model may be deleted before interpreters made from it: its memory is freed with the last one.
 */
TFL_CAPI_EXPORT extern void TfLiteModelDelete(TfLiteModel *model);

/* Options with their defaults; NULL when out of memory. */
TFL_CAPI_EXPORT extern TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void);
/* An independent copy, to be deleted on its own. */
TFL_CAPI_EXPORT extern TfLiteInterpreterOptions *
TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *from);
/* Interpreters created with the options stay valid. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options);
/* num_threads -1: the library's choice (default).  Delegates are told the number; the reference
 * kernels use one thread. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions *options,
                                                                  int32_t num_threads);
/* Delegates are applied in the order added.  The pointer is kept: the delegate must outlive every
 * interpreter created with these options. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options,
                                                                TfLiteOpaqueDelegate *delegate);
/* Messages of interpreters created with these options go to reporter instead of stderr. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsSetErrorReporter(TfLiteInterpreterOptions *options,
                                         TfLiteErrorReporterCallback reporter, void *user_data);
/* Enables TfLiteInterpreterCancel, which fails otherwise. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterOptionsEnableCancellation(TfLiteInterpreterOptions *options, bool enable);

/* Creates an interpreter and applies the delegates of the options.  optional_options may be NULL
 * (the defaults) and may be deleted afterwards.  NULL when an op is not known, a delegate fails
 * (unless fallback is enabled) or memory is out. */
TFL_CAPI_EXPORT extern TfLiteInterpreter *
TfLiteInterpreterCreate(const TfLiteModel *model, const TfLiteInterpreterOptions *optional_options);
/* Its tensors are freed with it; delegates are not, and must still exist. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter);

/* Number of inputs of the main subgraph; 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter *interpreter);
/* Tensor indices of the inputs, TfLiteInterpreterGetInputTensorCount of them. */
TFL_CAPI_EXPORT extern const int *
TfLiteInterpreterInputTensorIndices(const TfLiteInterpreter *interpreter);
/* The input_index-th input.  The pointer is valid as long as the interpreter, its data until the
 * next resize or allocation. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetInputTensor(const TfLiteInterpreter *interpreter, int32_t input_index);
/* Gives an input a new shape of input_dims_size dimensions, which takes effect with the next
 * TfLiteInterpreterAllocateTensors.  Delegates that cannot resize are removed until then. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterResizeInputTensor(TfLiteInterpreter *interpreter, int32_t input_index,
                                   const int *input_dims, int32_t input_dims_size);
/* Plans and allocates the memory of all tensors: required before the first use of their data, and
 * after a resize. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterAllocateTensors(TfLiteInterpreter *interpreter);
/* Runs one inference on the data of the input tensors. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter *interpreter);
/* Asks a running invoke to stop before its next node: it then returns kTfLiteCancelled.  The one
 * function that may be called from another thread. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterCancel(const TfLiteInterpreter *interpreter);
/* Number of outputs of the main subgraph; 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter *interpreter);
/* Tensor indices of the outputs, TfLiteInterpreterGetOutputTensorCount of them. */
TFL_CAPI_EXPORT extern const int *
TfLiteInterpreterOutputTensorIndices(const TfLiteInterpreter *interpreter);
/* The output_index-th output; valid as TfLiteInterpreterGetInputTensor says. */
TFL_CAPI_EXPORT extern const TfLiteTensor *
TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter *interpreter, int32_t output_index);
/* The tensor of the main subgraph with this index. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetTensor(const TfLiteInterpreter *interpreter, int index);

/* Number of signatures: names for the inputs and outputs of the main subgraph.  0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter *interpreter);
/* The name of a signature; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteInterpreterGetSignatureKey(const TfLiteInterpreter *interpreter, int32_t signature_index);
/* A runner for the signature, to be deleted by the caller before the interpreter.  NULL when the
 * model has no such signature, or when it belongs to a subgraph other than the first. */
TFL_CAPI_EXPORT extern TfLiteSignatureRunner *
TfLiteInterpreterGetSignatureRunner(const TfLiteInterpreter *interpreter,
                                    const char *signature_key);
/* Number of inputs of the signature; 0 for NULL. */
TFL_CAPI_EXPORT extern size_t
TfLiteSignatureRunnerGetInputCount(const TfLiteSignatureRunner *runner);
/* The name of an input; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteSignatureRunnerGetInputName(const TfLiteSignatureRunner *runner, int32_t input_index);
/* As TfLiteInterpreterResizeInputTensor, of the input of this name. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteSignatureRunnerResizeInputTensor(TfLiteSignatureRunner *runner, const char *input_name,
                                       const int *input_dims, int32_t input_dims_size);
/* As TfLiteInterpreterAllocateTensors. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner *runner);
/* The input of this name; NULL when there is none. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteSignatureRunnerGetInputTensor(TfLiteSignatureRunner *runner, const char *input_name);
/* As TfLiteInterpreterInvoke. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner *runner);
/* Number of outputs of the signature; 0 for NULL. */
TFL_CAPI_EXPORT extern size_t
TfLiteSignatureRunnerGetOutputCount(const TfLiteSignatureRunner *runner);
/* The name of an output; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteSignatureRunnerGetOutputName(const TfLiteSignatureRunner *runner, int32_t output_index);
/* The output of this name; NULL when there is none. */
TFL_CAPI_EXPORT extern const TfLiteTensor *
TfLiteSignatureRunnerGetOutputTensor(const TfLiteSignatureRunner *runner, const char *output_name);
/* As TfLiteInterpreterCancel. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteSignatureRunnerCancel(TfLiteSignatureRunner *runner);
/* The interpreter is not deleted. */
TFL_CAPI_EXPORT extern void TfLiteSignatureRunnerDelete(TfLiteSignatureRunner *runner);

/* The element type; kTfLiteNoType for NULL. */
TFL_CAPI_EXPORT extern TfLiteType TfLiteTensorType(const TfLiteTensor *tensor);
/* The rank; -1 when the tensor has no shape. */
TFL_CAPI_EXPORT extern int32_t TfLiteTensorNumDims(const TfLiteTensor *tensor);
/* Dimension dim_index, the last one varies fastest; -1 when out of range. */
TFL_CAPI_EXPORT extern int32_t TfLiteTensorDim(const TfLiteTensor *tensor, int32_t dim_index);
/* Size of the data in bytes; 0 for NULL. */
TFL_CAPI_EXPORT extern size_t TfLiteTensorByteSize(const TfLiteTensor *tensor);
/* The data, row-major; NULL before allocation. */
TFL_CAPI_EXPORT extern void *TfLiteTensorData(const TfLiteTensor *tensor);
/* The name that the model gives the tensor. */
TFL_CAPI_EXPORT extern const char *TfLiteTensorName(const TfLiteTensor *tensor);
/* real = scale * (q - zero_point).  Both are 0 when the tensor is not quantized, or quantized per
 * channel. */
TFL_CAPI_EXPORT extern TfLiteQuantizationParams
TfLiteTensorQuantizationParams(const TfLiteTensor *tensor);
/* Copies input_data_size bytes, which must be TfLiteTensorByteSize, to an allocated tensor that is
 * not a constant; else kTfLiteError. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteTensorCopyFromBuffer(TfLiteTensor *tensor, const void *input_data, size_t input_data_size);
/* Copies the data to output_data; output_data_size must be TfLiteTensorByteSize.  kTfLiteError
 * else, and when the data is stale (TfLiteInterpreterEnsureTensorDataIsReadable). */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteTensorCopyToBuffer(const TfLiteTensor *output_tensor,
                                                             void *output_data,
                                                             size_t output_data_size);

#ifdef __cplusplus
}
#endif

#endif
