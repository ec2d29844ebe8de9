/* An n-dimensional array from a file: .npy or an HDF5 dataset.  Row-major, little-endian. */
#ifndef ASSAY_CONFORMANCE_IO_ARRAY_H
#define ASSAY_CONFORMANCE_IO_ARRAY_H

#include "reference/base/diag.h"
#include "tensorflow/lite/c/c_api_types.h"

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

/* "[1, 224, 224, 3]"; cut when it does not fit. */
void array_shape_text(char *text, size_t bytes, size_t rank, const int32_t *dims);

/* NumPy's format, versions 1, 2 and 3; C order only (a Fortran-ordered array of rank up to 1 is
 * both).  STATUS_INVALID or STATUS_UNSUPPORTED with the reason; on failure *out is empty. */
enum status npy_read(struct array *out, const uint8_t *bytes, size_t count, struct diag *diag);
/* A version 1 file of the array, for np.load; *file is freed with mem_free. */
enum status npy_write(const struct array *a, uint8_t **file, size_t *count, struct diag *diag);

/* A dataset of an HDF5 file, or with index >= 0 what stands at that index of its first dimension.
 * A dataset that is not there: the error lists those that are. */
enum status hdf5_read(struct array *out, const char *path, const char *dataset, int64_t index,
                      struct diag *diag);

/* A named array to be written. */
struct array_item {
    const char *name;
    const struct array *array;
};
/* A new HDF5 file with these datasets at its root, written beside path and renamed. */
enum status hdf5_write(const char *path, const struct array_item *items, size_t count,
                       struct diag *diag);

#endif
