/* An n-dimensional array, as files hold it: row-major, little-endian. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_ARRAY_H
#define ASSAY_CONFORMANCE_SUITE_IO_ARRAY_H

#include "tensorflow/lite/c/c_api_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAY_RANK_MAX = 8 };

struct array {
    TfLiteType type; /* f16, f32, f64, signed and unsigned integers, bool */
    size_t rank;
    int32_t dims[ARRAY_RANK_MAX]; /* each at least 0 */
    size_t elements, bytes;
    void *data; /* owned */
};

void array_close(struct array *a);

/* Sets elements and bytes from type and dims; false: a dimension is negative, or they overflow. */
bool array_measure(struct array *a);

/* "[1, 224, 224, 3]"; cut when it does not fit. */
void array_shape_text(char *text, size_t bytes, size_t rank, const int32_t *dims);

#endif
