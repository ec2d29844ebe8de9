/* A TensorFlow Lite C library of somebody else, opened with dlopen. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_TFLITE_C_API_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_TFLITE_C_API_H

#include "reference/base/diag.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"

#include <stdarg.h>

/* X(result, name, parameters): what the suite calls, under the names of tensorflow/lite/c/c_api.h
 * less the prefix TfLite. */
#define TFLITE_C_LIST(X)                                                                           \
    X(const char *, Version, (void))                                                               \
    X(TfLiteModel *, ModelCreate, (const void *bytes, size_t count))                               \
    X(void, ModelDelete, (TfLiteModel * model))                                                    \
    X(TfLiteInterpreterOptions *, InterpreterOptionsCreate, (void))                                \
    X(void, InterpreterOptionsDelete, (TfLiteInterpreterOptions * options))                        \
    X(void, InterpreterOptionsSetNumThreads, (TfLiteInterpreterOptions * options, int32_t n))      \
    X(void, InterpreterOptionsAddDelegate,                                                         \
      (TfLiteInterpreterOptions * options, TfLiteDelegate * delegate))                             \
    X(void, InterpreterOptionsSetErrorReporter,                                                    \
      (TfLiteInterpreterOptions * options,                                                         \
       void (*report)(void *user, const char *format, va_list args), void *user))                  \
    X(TfLiteInterpreter *, InterpreterCreate,                                                      \
      (const TfLiteModel *model, const TfLiteInterpreterOptions *options))                         \
    X(void, InterpreterDelete, (TfLiteInterpreter * in))                                           \
    X(int32_t, InterpreterGetInputTensorCount, (const TfLiteInterpreter *in))                      \
    X(int32_t, InterpreterGetOutputTensorCount, (const TfLiteInterpreter *in))                     \
    X(TfLiteTensor *, InterpreterGetInputTensor, (const TfLiteInterpreter *in, int32_t index))     \
    X(const TfLiteTensor *, InterpreterGetOutputTensor,                                            \
      (const TfLiteInterpreter *in, int32_t index))                                                \
    X(TfLiteStatus, InterpreterResizeInputTensor,                                                  \
      (TfLiteInterpreter * in, int32_t index, const int *dims, int32_t rank))                      \
    X(TfLiteStatus, InterpreterAllocateTensors, (TfLiteInterpreter * in))                          \
    X(TfLiteStatus, InterpreterInvoke, (TfLiteInterpreter * in))                                   \
    X(TfLiteStatus, InterpreterResetVariableTensors, (TfLiteInterpreter * in))                     \
    X(TfLiteType, TensorType, (const TfLiteTensor *t))                                             \
    X(int32_t, TensorNumDims, (const TfLiteTensor *t))                                             \
    X(int32_t, TensorDim, (const TfLiteTensor *t, int32_t index))                                  \
    X(size_t, TensorByteSize, (const TfLiteTensor *t))                                             \
    X(void *, TensorData, (const TfLiteTensor *t))

struct tflite_c_api {
    void *library;
    /* Of c_api_experimental.h; NULL where the library lacks it. */
    TfLiteStatus (*set_custom)(TfLiteInterpreter *in, int tensor,
                               const TfLiteCustomAllocation *memory, int64_t flags);
#define X(result, name, parameters) result(*name) parameters;
    TFLITE_C_LIST(X)
#undef X
};

/* STATUS_IO with dlopen's reason, or with the name of the first function that is missing. */
enum status tflite_c_api_open(struct tflite_c_api *api, const char *path, struct diag *diag);
void tflite_c_api_close(struct tflite_c_api *api);

#endif
