/* The cases as one HDF5 file, for golden/mint.py to run in the real runtime. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_EXPORT_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_EXPORT_H

#include "conformance/suite/golden/golden.h"
#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Writes cases to the image of an export file.  Each has one data set, which a hash of
 * its name chooses. */
enum status golden_export(const struct golden_request *request, uint8_t **bytes, size_t *count,
                          struct diag *diag);

#endif
