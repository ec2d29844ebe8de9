/* The quantization of a host tensor as hosts of the delegate ABI keep it: the struct and its two
 * arrays are malloc'ed blocks, one each.  A delegate or kernel may free() an array, or all three,
 * and put its own malloc'ed blocks in their place (XNNPACK does so with the scales of hybrid
 * weights); whatever the tensor holds in the end is freed as TfLiteQuantizationFree does. */
#ifndef ASSAY_REFERENCE_RUNTIME_QUANTIZATION_H
#define ASSAY_REFERENCE_RUNTIME_QUANTIZATION_H

#include "tensorflow/lite/c/common.h"

#include <stddef.h>

/* `count` scales and zero points (at most INT_MAX), all 0.  NULL: out of memory. */
TfLiteAffineQuantization *quantization_new(size_t count);

/* Frees what is there, and leaves kTfLiteNoQuantization. */
void quantization_free(TfLiteQuantization *q);

#endif
