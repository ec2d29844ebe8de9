/* Values of tensors: random inputs, real numbers, the best classes and their names. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_TENSOR_VALUE_H
#define ASSAY_CONFORMANCE_SUITE_IO_TENSOR_VALUE_H

#include "conformance/util/sha256.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random values, for input number `index`: floats uniform in [-1, 1), 8 bits anything, bool 0 or 1,
 * other integers 0 to 9.  STATUS_UNSUPPORTED for other types. */
enum status tensor_fill(TfLiteTensor *t, uint64_t seed, size_t index, struct diag *diag);
/* The same for integers, which are 0 to limit - 1, as far as the type goes. */
enum status tensor_fill_below(TfLiteTensor *t, int64_t limit, uint64_t seed, size_t index,
                              struct diag *diag);

/* Whether the tensor is quantized with one scale and zero point: real = scale * (q - zero point).
 */
bool tensor_has_scale(const TfLiteTensor *t);
/* Element i as a real number: dequantized where the tensor has a scale.  NaN for types that are no
 * numbers. */
double tensor_real(const TfLiteTensor *t, size_t i);

/* Whether the tensor may be a classifier's output: one row of at least two numbers. */
bool tensor_is_scores(const TfLiteTensor *t);
/* The indices of the k largest values, largest first, ties by index, NaN last; returns how many. */
size_t tensor_top(const TfLiteTensor *t, size_t k, size_t *indices);

/* Lines of a text file. */
struct labels {
    char *text;
    char **lines;
    size_t count;
    char sha256[SHA256_HEX_BYTES]; /* of the file */
};
enum status labels_read(struct labels *l, const char *path, struct diag *diag);
void labels_close(struct labels *l);
/* NULL past the end. */
const char *labels_find(const struct labels *l, size_t index);

#endif
