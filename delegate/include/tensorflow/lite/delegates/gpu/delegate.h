/* The C API of TensorFlow Lite's GPU delegate, version 2, for programs that are written for it.
 *
 * Its delegate is that of libassay_delegate.so, on Vulkan; assay_gpu.h has its other options, and
 * the rules for threads and lifetimes. */
#ifndef TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_
#define TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_

#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accepted and checked, but without effect: one inference, or many. */
enum TfLiteGpuInferenceUsage {
    TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0,
    TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1,
    TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED = 2
};

/* In order of importance.  With MAX_PRECISION as the first priority the delegate computes in fp32;
 * else in fp16 (16-bit storage, sums in fp32), or in fp32 on a device without 16-bit storage. */
enum TfLiteGpuInferencePriority {
    TFLITE_GPU_INFERENCE_PRIORITY_AUTO = 0,
    TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION = 1,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY = 2,
    TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE = 3
};

/* A sum of these; other bits are ignored. */
enum TfLiteGpuExperimentalFlags {
    TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE = 0,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT = 1, /* accept 8-bit models */
    TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY = 2,      /* ignored, as is the next */
    TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY = 4,
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION = 8 /* use serialization_dir */
};

/* To be initialized with TfLiteGpuDelegateOptionsV2Default.  The strings are read during
 * TfLiteGpuDelegateV2Create only. */
typedef struct TfLiteGpuDelegateOptionsV2 {
    /* 1: fp16, 0: fp32, -1: the priorities below decide. */
    int32_t is_precision_loss_allowed;
    int32_t inference_preference; /* enum TfLiteGpuInferenceUsage */
    /* enum TfLiteGpuInferencePriority: the first must not be AUTO, none may occur twice, and after
     * AUTO only AUTO may follow. */
    int32_t inference_priority1, inference_priority2, inference_priority3;
    int64_t experimental_flags;       /* enum TfLiteGpuExperimentalFlags */
    int32_t max_delegated_partitions; /* the largest ones are taken; 0 or less: no limit */
    /* Private directory for compiled pipelines and packed constants; NULL: no serialization. */
    const char *serialization_dir;
    const char *model_token; /* part of the names of the model's files; NULL: a hash of the model */
} TfLiteGpuDelegateOptionsV2;

/* Returns { -1, FAST_SINGLE_ANSWER, MAX_PRECISION, AUTO, AUTO, ENABLE_QUANT, 1, NULL, NULL }. */
TFL_CAPI_EXPORT extern TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void);

/* Creates a delegate; options NULL: with the defaults.  Returns NULL when there is no usable
 * device, or an option is out of range, and prints the reason to stderr.  The caller destroys it
 * with TfLiteGpuDelegateV2Delete. */
TFL_CAPI_EXPORT extern TfLiteDelegate *
TfLiteGpuDelegateV2Create(const TfLiteGpuDelegateOptionsV2 *options);

/* Destroys a delegate, as assay_gpu_delegate_destroy does: after the last interpreter that uses it.
 */
TFL_CAPI_EXPORT extern void TfLiteGpuDelegateV2Delete(TfLiteDelegate *delegate);

#ifdef __cplusplus
}
#endif

#endif
