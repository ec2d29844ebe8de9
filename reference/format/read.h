/* Reads a .tflite file, schema version 3, into a model.
 *
 * The bytes are hostile: every offset and size is verified, with 64-bit arithmetic, before it is
 * used.  Errors name byte offset, table, field and value.  No failure reads out of bounds, and no
 * file makes the reader allocate out of proportion to its size. */
#ifndef ASSAY_REFERENCE_FORMAT_READ_H
#define ASSAY_REFERENCE_FORMAT_READ_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/format/rules.h"

#include <stddef.h>

/* Verifies (verify.h) and reads.  The model borrows bytes: they outlive it.  On failure *m is
 * empty, and the status is tflite_verify's or STATUS_NO_MEMORY. */
enum status tflite_read(struct model *m, const void *bytes, size_t count, struct diag *diag);

/* tflite_read with a choice of what is accepted, for tools that only look at models. */
enum status tflite_read_accepting(struct model *m, const void *bytes, size_t count,
                                  enum tflite_accept accept, struct diag *diag);

/* Reads bytes that tflite_verify passed, and verifies nothing: for callers that time the two halves
 * of tflite_read.  STATUS_NO_MEMORY; *m is then empty. */
enum status tflite_read_verified(struct model *m, const void *bytes, size_t count,
                                 struct diag *diag);

#endif
