/* The GPU delegate's C API, version 2, as programs written for it expect it.
 *
 * Here the delegate behind it is libassay_delegate.so, on Vulkan.  Precision:
 * is_precision_loss_allowed 1 is fp16 and 0 fp32; with -1 the priorities decide: MAX_PRECISION
 * first is fp32, else fp16 (storage; sums are fp32).  inference_preference, the CL_ONLY and GL_ONLY
 * flags change nothing.  With the ENABLE_SERIALIZATION flag and a serialization_dir, what a start
 * made is kept in that directory for the next one; model_token names the model's files there, and
 * may be NULL.  All other options: assay_gpu.h. */
#ifndef TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_
#define TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_

#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum TfLiteGpuInferenceUsage {
    TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0,
    TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1,
    TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED = 2
};

enum TfLiteGpuInferencePriority {
    TFLITE_GPU_INFERENCE_PRIORITY_AUTO = 0,
    TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION = 1,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY = 2,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE = 3
};

enum TfLiteGpuExperimentalFlags {
    TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE = 0,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT = 1,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY = 2,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY = 4,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION = 8
};

typedef struct TfLiteGpuDelegateOptionsV2 {
    int32_t is_precision_loss_allowed; /* -1: the priorities decide */
    int32_t inference_preference;
    int32_t inference_priority1, inference_priority2, inference_priority3;
    int64_t experimental_flags;
    int32_t max_delegated_partitions;
    const char *serialization_dir;
    const char *model_token;
} TfLiteGpuDelegateOptionsV2;

/* { -1, FAST_SINGLE_ANSWER, { MAX_PRECISION, AUTO, AUTO }, ENABLE_QUANT, 1, NULL, NULL } */
TFL_CAPI_EXPORT extern TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void);

/* options NULL: the defaults.  NULL when there is no usable device; the reason on stderr. */
TFL_CAPI_EXPORT extern TfLiteDelegate *
TfLiteGpuDelegateV2Create(const TfLiteGpuDelegateOptionsV2 *options);

/* After the last interpreter that uses it. */
TFL_CAPI_EXPORT extern void TfLiteGpuDelegateV2Delete(TfLiteDelegate *delegate);

#ifdef __cplusplus
}
#endif

#endif
