/* Codes of the .tflite schema: builtin operators and tensor types. */
#ifndef ASSAY_REFERENCE_BASE_BUILTIN_H
#define ASSAY_REFERENCE_BASE_BUILTIN_H

#include "tensorflow/lite/c/c_api_types.h"

#include <stdbool.h>
#include <stdint.h>

enum builtin {
#define BUILTIN(code, name) BUILTIN_##name = code,
#include "reference/base/builtins.def"
#undef BUILTIN
    BUILTIN_COUNT,
/* The custom ops that ops.def has rows of: codes that no file has. */
#define CUSTOM_ROW(name, text) BUILTIN_##name,
    BUILTIN_CUSTOM_FIRST = 1000,
#include "reference/base/custom_rows.def"
#undef CUSTOM_ROW
    BUILTIN_CUSTOM_END
};

/* The name of an op: "CONV_2D", of a custom row that which models give it; NULL for other codes. */
const char *builtin_name(int32_t code);
/* The row of the custom op that models name so; BUILTIN_CUSTOM: ops.def has none.  text: or NULL.
 */
int32_t builtin_custom_row(const char *text);
static inline bool builtin_is_custom_row(int32_t code)
{
    return code > BUILTIN_CUSTOM_FIRST && code < BUILTIN_CUSTOM_END;
}

/* Element types as the file codes them (runtime: TfLiteType).
 * X(file code, name, bits of an element (0: variable), runtime type) */
#define TENSOR_TYPE_LIST(X)                                                                        \
    X(0, FLOAT32, 32, kTfLiteFloat32)                                                              \
    X(1, FLOAT16, 16, kTfLiteFloat16)                                                              \
    X(2, INT32, 32, kTfLiteInt32)                                                                  \
    X(3, UINT8, 8, kTfLiteUInt8)                                                                   \
    X(4, INT64, 64, kTfLiteInt64)                                                                  \
    X(5, STRING, 0, kTfLiteString)                                                                 \
    X(6, BOOL, 8, kTfLiteBool)                                                                     \
    X(7, INT16, 16, kTfLiteInt16)                                                                  \
    X(8, COMPLEX64, 64, kTfLiteComplex64)                                                          \
    X(9, INT8, 8, kTfLiteInt8)                                                                     \
    X(10, FLOAT64, 64, kTfLiteFloat64)                                                             \
    X(11, COMPLEX128, 128, kTfLiteComplex128)                                                      \
    X(12, UINT64, 64, kTfLiteUInt64)                                                               \
    X(13, RESOURCE, 0, kTfLiteResource)                                                            \
    X(14, VARIANT, 0, kTfLiteVariant)                                                              \
    X(15, UINT32, 32, kTfLiteUInt32)                                                               \
    X(16, UINT16, 16, kTfLiteUInt16)                                                               \
    X(17, INT4, 4, kTfLiteInt4)                                                                    \
    X(18, BFLOAT16, 16, kTfLiteBFloat16)                                                           \
    X(19, INT2, 2, kTfLiteInt2)                                                                    \
    X(20, UINT4, 4, kTfLiteUInt4)                                                                  \
    X(21, FLOAT8_E4M3FN, 8, kTfLiteFloat8E4M3FN)                                                   \
    X(22, FLOAT8_E5M2, 8, kTfLiteFloat8E5M2)

enum tensor_type {
#define X(code, name, bits, runtime) TENSOR_##name = code,
    TENSOR_TYPE_LIST(X)
#undef X
        TENSOR_TYPE_COUNT
};

/* Name ("FLOAT32"), bits of an element and runtime type of a type code of the file; NULL, 0 and
 * kTfLiteNoType when it is out of range. */
const char *tensor_type_name(int32_t type);
unsigned tensor_type_bits(int32_t type);
TfLiteType tensor_type_runtime(int32_t type);

/* The same of a runtime type.  The short names are those of case names and reports: "f32", "f16",
 * "i8"; a type that files do not have is "none". */
const char *runtime_type_name(TfLiteType type);
unsigned runtime_type_bits(TfLiteType type);
int32_t runtime_type_file(TfLiteType type); /* -1: not a type of the file */

#endif
