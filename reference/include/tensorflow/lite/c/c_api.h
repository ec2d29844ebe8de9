/* The TensorFlow Lite C API, as far as this library has it: load a model, make an interpreter with
 * options, allocate, fill the inputs, invoke, read the outputs.
 *
 * A program written for the TensorFlow Lite C library compiles with this header and links with
 * libassay.so unchanged.  The kernels behind it are a plain scalar reference: right, not fast.
 *
 * Functions that create return NULL on failure; getters of an index out of range NULL or -1; the
 * others a TfLiteStatus.  A message about a failure goes to the error reporter, by default one line
 * on stderr.  An interpreter must not be used from two threads at once. */
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

/* All are made and freed by functions below; a NULL is refused or ignored everywhere. */
typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
typedef struct TfLiteTensor TfLiteTensor;
typedef struct TfLiteSignatureRunner TfLiteSignatureRunner;

/* Printf-style; user_data is what was given with the reporter. */
typedef void (*TfLiteErrorReporterCallback)(void *user_data, const char *format, va_list args);

/* Version of this library, of the extension APIs, and of the .tflite schema (3). */
TFL_CAPI_EXPORT extern const char *TfLiteVersion(void);
/* The version of the extension APIs: this library's. */
TFL_CAPI_EXPORT extern const char *TfLiteExtensionApisVersion(void);
/* The version of the .tflite schema that is read. */
TFL_CAPI_EXPORT extern int TfLiteSchemaVersion(void);

/* The model is verified in full before anything of it is used.  model_data must stay valid and
 * unchanged until the model and all interpreters made from it are deleted. */
TFL_CAPI_EXPORT extern TfLiteModel *TfLiteModelCreate(const void *model_data, size_t model_size);
/* The same; what is wrong with the model goes to the reporter, else to stderr. */
TFL_CAPI_EXPORT extern TfLiteModel *
TfLiteModelCreateWithErrorReporter(const void *model_data, size_t model_size,
                                   TfLiteErrorReporterCallback reporter, void *user_data);
/* The file is read at once, and closed. */
TFL_CAPI_EXPORT extern TfLiteModel *TfLiteModelCreateFromFile(const char *model_path);
/* The same, with a reporter. */
TFL_CAPI_EXPORT extern TfLiteModel *
TfLiteModelCreateFromFileWithErrorReporter(const char *model_path,
                                           TfLiteErrorReporterCallback reporter, void *user_data);
/* The model may be deleted while interpreters made from it live: it goes with the last of them. */
TFL_CAPI_EXPORT extern void TfLiteModelDelete(TfLiteModel *model);

/* With the defaults. */
TFL_CAPI_EXPORT extern TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void);
/* A copy that is deleted by itself. */
TFL_CAPI_EXPORT extern TfLiteInterpreterOptions *
TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *from);
/* Interpreters that were made with them stay. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options);
/* -1: the library's choice.  The reference kernels use one thread whatever is set. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions *options,
                                                                  int32_t num_threads);
/* Delegates are applied in the order added.  The pointer is kept: the delegate must outlive every
 * interpreter created with these options. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options,
                                                                TfLiteOpaqueDelegate *delegate);
/* Where messages go, in place of stderr. */
TFL_CAPI_EXPORT extern void
TfLiteInterpreterOptionsSetErrorReporter(TfLiteInterpreterOptions *options,
                                         TfLiteErrorReporterCallback reporter, void *user_data);
/* Without it TfLiteInterpreterCancel fails. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterOptionsEnableCancellation(TfLiteInterpreterOptions *options, bool enable);

/* optional_options may be NULL and may be deleted afterwards. */
TFL_CAPI_EXPORT extern TfLiteInterpreter *
TfLiteInterpreterCreate(const TfLiteModel *model, const TfLiteInterpreterOptions *optional_options);
/* Its tensors go with it. */
TFL_CAPI_EXPORT extern void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter);

/* 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter *interpreter);
/* Tensor indices of the inputs; as many as the count.  Owned by the interpreter. */
TFL_CAPI_EXPORT extern const int *
TfLiteInterpreterInputTensorIndices(const TfLiteInterpreter *interpreter);
/* A tensor's pointer is valid until the interpreter goes, its data until the next resize or
 * allocation. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetInputTensor(const TfLiteInterpreter *interpreter, int32_t input_index);
/* Takes effect with the next TfLiteInterpreterAllocateTensors.  Delegates are undone, and applied
 * again then. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterResizeInputTensor(TfLiteInterpreter *interpreter, int32_t input_index,
                                   const int *input_dims, int32_t input_dims_size);
/* Required before the first use of tensor data, and after a resize. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteInterpreterAllocateTensors(TfLiteInterpreter *interpreter);
/* Runs the model once, on what the input tensors hold. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter *interpreter);
/* Asks a running invoke to stop before its next node: it then returns kTfLiteCancelled.  The one
 * function that may be called from another thread. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterCancel(const TfLiteInterpreter *interpreter);
/* 0 for NULL. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter *interpreter);
/* Tensor indices of the outputs, as those of the inputs. */
TFL_CAPI_EXPORT extern const int *
TfLiteInterpreterOutputTensorIndices(const TfLiteInterpreter *interpreter);
/* As TfLiteInterpreterGetInputTensor. */
TFL_CAPI_EXPORT extern const TfLiteTensor *
TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter *interpreter, int32_t output_index);
/* Any tensor of the main subgraph by its index. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteInterpreterGetTensor(const TfLiteInterpreter *interpreter, int index);

/* Signatures: named views of the main subgraph's inputs and outputs. */
TFL_CAPI_EXPORT extern int32_t
TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter *interpreter);
/* The name of the i-th; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteInterpreterGetSignatureKey(const TfLiteInterpreter *interpreter, int32_t signature_index);
/* NULL when there is no such signature, or when it names another subgraph than the first. */
TFL_CAPI_EXPORT extern TfLiteSignatureRunner *
TfLiteInterpreterGetSignatureRunner(const TfLiteInterpreter *interpreter,
                                    const char *signature_key);
/* 0 for NULL. */
TFL_CAPI_EXPORT extern size_t
TfLiteSignatureRunnerGetInputCount(const TfLiteSignatureRunner *runner);
/* The name of the i-th input; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteSignatureRunnerGetInputName(const TfLiteSignatureRunner *runner, int32_t input_index);
/* As the interpreter's functions of these names, with a name in place of an index. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteSignatureRunnerResizeInputTensor(TfLiteSignatureRunner *runner, const char *input_name,
                                       const int *input_dims, int32_t input_dims_size);
/* As TfLiteInterpreterAllocateTensors. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner *runner);
/* NULL when there is no input of this name. */
TFL_CAPI_EXPORT extern TfLiteTensor *
TfLiteSignatureRunnerGetInputTensor(TfLiteSignatureRunner *runner, const char *input_name);
/* As TfLiteInterpreterInvoke. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner *runner);
/* 0 for NULL. */
TFL_CAPI_EXPORT extern size_t
TfLiteSignatureRunnerGetOutputCount(const TfLiteSignatureRunner *runner);
/* The name of the i-th output; NULL when out of range. */
TFL_CAPI_EXPORT extern const char *
TfLiteSignatureRunnerGetOutputName(const TfLiteSignatureRunner *runner, int32_t output_index);
/* NULL when there is no output of this name. */
TFL_CAPI_EXPORT extern const TfLiteTensor *
TfLiteSignatureRunnerGetOutputTensor(const TfLiteSignatureRunner *runner, const char *output_name);
/* As TfLiteInterpreterCancel. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteSignatureRunnerCancel(TfLiteSignatureRunner *runner);
/* The interpreter stays. */
TFL_CAPI_EXPORT extern void TfLiteSignatureRunnerDelete(TfLiteSignatureRunner *runner);

/* kTfLiteNoType for NULL. */
TFL_CAPI_EXPORT extern TfLiteType TfLiteTensorType(const TfLiteTensor *tensor);
/* -1 when the tensor has no shape. */
TFL_CAPI_EXPORT extern int32_t TfLiteTensorNumDims(const TfLiteTensor *tensor);
/* dim_index in [0, TfLiteTensorNumDims), else -1. */
TFL_CAPI_EXPORT extern int32_t TfLiteTensorDim(const TfLiteTensor *tensor, int32_t dim_index);
/* Of its data; 0 for NULL. */
TFL_CAPI_EXPORT extern size_t TfLiteTensorByteSize(const TfLiteTensor *tensor);
/* NULL before allocation. */
TFL_CAPI_EXPORT extern void *TfLiteTensorData(const TfLiteTensor *tensor);
/* As the model has it. */
TFL_CAPI_EXPORT extern const char *TfLiteTensorName(const TfLiteTensor *tensor);
/* Of the whole tensor; scale 0 when it has none. */
TFL_CAPI_EXPORT extern TfLiteQuantizationParams
TfLiteTensorQuantizationParams(const TfLiteTensor *tensor);
/* The size must equal TfLiteTensorByteSize. */
TFL_CAPI_EXPORT extern TfLiteStatus
TfLiteTensorCopyFromBuffer(TfLiteTensor *tensor, const void *input_data, size_t input_data_size);
/* The size must equal TfLiteTensorByteSize. */
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteTensorCopyToBuffer(const TfLiteTensor *output_tensor,
                                                             void *output_data,
                                                             size_t output_data_size);

#ifdef __cplusplus
}
#endif

#endif
