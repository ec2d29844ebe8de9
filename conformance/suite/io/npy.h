/* Arrays from and to NumPy's .npy files. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_NPY_H
#define ASSAY_CONFORMANCE_SUITE_IO_NPY_H

#include "conformance/suite/io/array.h"
#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Reads versions 1, 2 and 3; C order only (a Fortran-ordered array of rank up to 1 is
 * both).  STATUS_INVALID or STATUS_UNSUPPORTED with the reason; on failure *out is empty. */
enum status npy_read(struct array *out, const uint8_t *bytes, size_t count, struct diag *diag);
/* A version 1 file of the array, for np.load; *file is freed with mem_free. */
enum status npy_write(const struct array *a, uint8_t **file, size_t *count, struct diag *diag);

#endif
