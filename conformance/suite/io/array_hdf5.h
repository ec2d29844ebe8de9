/* Arrays from and to HDF5 files. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_ARRAY_HDF5_H
#define ASSAY_CONFORMANCE_SUITE_IO_ARRAY_HDF5_H

#include "conformance/suite/io/array.h"
#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Whether the reader has use for an array of this type and shape, whose data are not there yet:
 * asked before memory is taken for them. */
struct array_check {
    enum status (*takes)(const void *user, const struct array *a, struct diag *diag);
    const void *user;
};
/* Reads a dataset of an HDF5 file, or with index >= 0 the slice at that index of its first
 * dimension. A dataset that is not there: the error lists those that are.  One that lies in another
 * file, or is put together from several, is refused.  check may be NULL: any array of at most
 * the limit dataset_bytes. */
enum status hdf5_read(struct array *out, const char *path, const char *dataset, int64_t index,
                      const struct array_check *check, struct diag *diag);

/* A named array to be written. */
struct array_item {
    const char *name;
    const struct array *array;
};
/* Writes a new HDF5 file with these datasets at its root, beside path, and renames it. */
enum status hdf5_write(const char *path, const struct array_item *items, size_t count,
                       struct diag *diag);

#endif
