/* The GPU delegate's C API, version 2, as programs written for it expect it.
 *
 * Here the delegate behind it is libassay_delegate.so, on Vulkan; all its other options, and what
 * holds of threads and lifetimes: assay_gpu.h. */
#ifndef TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_
#define TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_

#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the program waits for one answer, or runs again and again; changes nothing here. */
enum TfLiteGpuInferenceUsage {
    TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0,
    TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1,
    TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED = 2
};

/* What matters most.  MAX_PRECISION as the first is fp32; as the second or third, or not at all, it
 * is fp16: 16-bit storage with sums in fp32, and fp32 on a device that has no 16-bit storage. */
enum TfLiteGpuInferencePriority {
    TFLITE_GPU_INFERENCE_PRIORITY_AUTO = 0,
    TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION = 1,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY = 2,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE = 3
};

/* To be combined; others are ignored. */
enum TfLiteGpuExperimentalFlags {
    TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE = 0,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT = 1, /* takes 8-bit models */
    TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY = 2,      /* no meaning here, as the next */
    TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY = 4,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION = 8 /* with a serialization_dir */
};

/* Begin with TfLiteGpuDelegateOptionsV2Default. */
typedef struct TfLiteGpuDelegateOptionsV2 {
    /* 1 is fp16 and 0 fp32, as TfLiteGpuInferencePriority has it; -1: the priorities decide. */
    int32_t is_precision_loss_allowed;
    int32_t inference_preference; /* enum TfLiteGpuInferenceUsage */
    /* enum TfLiteGpuInferencePriority: the first is given, none twice, AUTO is followed by AUTO. */
    int32_t inference_priority1, inference_priority2, inference_priority3;
    int64_t experimental_flags;       /* enum TfLiteGpuExperimentalFlags */
    int32_t max_delegated_partitions; /* the largest; 0 or less: all */
    /* What a start made is kept in this private directory for the next one.  NULL: it is not. */
    const char *serialization_dir;
    const char *model_token; /* names the model's files there; NULL: made from the model */
} TfLiteGpuDelegateOptionsV2;

/* { -1, FAST_SINGLE_ANSWER, MAX_PRECISION, AUTO, AUTO, ENABLE_QUANT, 1, NULL, NULL } */
TFL_CAPI_EXPORT extern TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void);

/* options NULL: the defaults.  NULL when there is no usable device, or an option is out of range:
 * the reason on stderr. */
TFL_CAPI_EXPORT extern TfLiteDelegate *
TfLiteGpuDelegateV2Create(const TfLiteGpuDelegateOptionsV2 *options);

/* After the last interpreter that uses it: assay_gpu_delegate_destroy. */
TFL_CAPI_EXPORT extern void TfLiteGpuDelegateV2Delete(TfLiteDelegate *delegate);

#ifdef __cplusplus
}
#endif

#endif
