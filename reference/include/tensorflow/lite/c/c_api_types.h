/* Basic types of the TensorFlow Lite C API, as programs written for it expect them.
 *
 * Source of names, values and layouts: the published C API and the delegate ABI of TensorFlow Lite
 * (LiteRT); the text is our own. */
#ifndef TENSORFLOW_LITE_C_C_API_TYPES_H_
#define TENSORFLOW_LITE_C_C_API_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TFL_CAPI_EXPORT __attribute__((visibility("default")))
#else
#define TFL_CAPI_EXPORT
#endif

typedef enum TfLiteStatus {
    kTfLiteOk = 0,
    kTfLiteError = 1,
    kTfLiteDelegateError = 2,
    kTfLiteApplicationError = 3,
    kTfLiteDelegateDataNotFound = 4,
    kTfLiteDelegateDataWriteError = 5,
    kTfLiteDelegateDataReadError = 6,
    kTfLiteUnresolvedOps = 7,
    kTfLiteCancelled = 8,
    kTfLiteOutputShapeNotKnown = 9
} TfLiteStatus;

/* Element types.  These are not the codes of the .tflite file. */
typedef enum TfLiteType {
    kTfLiteNoType = 0,
    kTfLiteFloat32 = 1,
    kTfLiteInt32 = 2,
    kTfLiteUInt8 = 3,
    kTfLiteInt64 = 4,
    kTfLiteString = 5,
    kTfLiteBool = 6,
    kTfLiteInt16 = 7,
    kTfLiteComplex64 = 8,
    kTfLiteInt8 = 9,
    kTfLiteFloat16 = 10,
    kTfLiteFloat64 = 11,
    kTfLiteComplex128 = 12,
    kTfLiteUInt64 = 13,
    kTfLiteResource = 14,
    kTfLiteVariant = 15,
    kTfLiteUInt32 = 16,
    kTfLiteUInt16 = 17,
    kTfLiteInt4 = 18,
    kTfLiteBFloat16 = 19,
    kTfLiteInt2 = 20,
    kTfLiteUInt4 = 21,
    kTfLiteFloat8E4M3FN = 22,
    kTfLiteFloat8E5M2 = 23
} TfLiteType;

/* Per-tensor quantization: real = scale * (q - zero_point).  Both 0 when there is none, or when it
 * is per channel (then see TfLiteTensor.quantization). */
typedef struct TfLiteQuantizationParams {
    float scale;
    int32_t zero_point;
} TfLiteQuantizationParams;

typedef struct TfLiteDelegate TfLiteDelegate;
typedef struct TfLiteDelegate TfLiteOpaqueDelegate;

/* A number that a delegate gives to memory of its own; -1: none. */
typedef int TfLiteBufferHandle;
enum { kTfLiteNullBufferHandle = -1 };

/* Stands for an optional input that is absent. */
enum { kTfLiteOptionalTensor = -1 };

#ifdef __cplusplus
}
#endif

#endif
