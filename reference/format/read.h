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

/* Verifies all of it: the flatbuffer (offsets, vtables, vectors, strings, nesting, number of
 * tables), then the model (indices, types, sizes of constants, order of operators, quantization).
 * STATUS_INVALID, STATUS_LIMIT (base/limits.def), or STATUS_UNSUPPORTED for what is legal and not
 * supported here (custom and multi-axis quantization, data in other files).  Whether the
 * interpreter knows an op or a type is not checked. */
enum status tflite_verify(const void *bytes, size_t count, struct diag *diag);

/* Verifies, reads, and replaces composites (composite.h).  The model borrows bytes: they outlive
 * it.  On failure *m is empty, and the status is theirs or STATUS_NO_MEMORY. */
enum status tflite_read(struct model *m, const void *bytes, size_t count, struct diag *diag);

/* tflite_read with a choice of what is accepted, and with composites as they are, for tools that
 * only look at models. */
enum status tflite_read_accepting(struct model *m, const void *bytes, size_t count,
                                  enum tflite_accept accept, struct diag *diag);

/* tflite_read in parts, for callers that time them.  Verifies, but for what a composite and its
 * decomposition have in common; */
enum status tflite_check(const void *bytes, size_t count, enum tflite_accept accept,
                         struct diag *diag);
/* reads bytes that have passed, composites as they are: STATUS_NO_MEMORY, and *m is then empty. */
enum status tflite_read_verified(struct model *m, const void *bytes, size_t count,
                                 struct diag *diag);

/* Replaces the composites of a model that was read from these bytes; with ASSAY_COMPOSITES=keep in
 * the environment only checks that it can be done.  On failure *m is empty. */
enum status tflite_inline(struct model *m, const void *bytes, struct diag *diag);

#endif
