/* The .tflite file format, schema version 3: verify, then read; write.
 *
 * The bytes are hostile: every offset and size is checked, with 64-bit arithmetic, before it is
 * used.  Errors name byte offset, table, field and value.  No failure reads out of bounds, and no
 * file makes the reader take memory out of proportion to its size. */
#ifndef ASSAY_REFERENCE_FORMAT_TFLITE_H
#define ASSAY_REFERENCE_FORMAT_TFLITE_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

/* Verifies all of it: the flatbuffer (offsets, vtables, vectors, strings, nesting, number of
 * tables), then the model (indices, types, sizes of constants, order of operators, quantization).
 * STATUS_INVALID, or STATUS_UNSUPPORTED for what is legal and not done here (sparse tensors, data
 * in other files).  Whether an op or a type is known to the interpreter is not looked at. */
enum status tflite_verify(const void *bytes, size_t count, struct diag *diag);

/* Verifies and reads.  The model borrows bytes.  On failure *m is empty. */
enum status tflite_read(struct model *m, const void *bytes, size_t count, struct diag *diag);

/* A written file; freed with mem_free (memory.h). */
struct tflite_file {
    uint8_t *bytes;
    size_t count;
};

/* Writes the model as a file that this reader and LiteRT load: buffers 16-byte aligned, those
 * marked large behind the flatbuffer.  The same model gives the same bytes.  The rules that
 * tflite_verify checks are not checked here.  STATUS_UNSUPPORTED when an operator carries an option
 * table whose fields are not described (options.def), and when the flatbuffer would reach 2 GiB;
 * STATUS_INVALID when a value does not fit its field. */
enum status tflite_write(const struct model *m, struct tflite_file *file, struct diag *diag);

/* Reads a whole file into memory (mem_free).  At most limit bytes; STATUS_IO with path and reason.
 */
enum status file_read(const char *path, size_t limit, uint8_t **bytes, size_t *count,
                      struct diag *diag);

/* Writes to a temporary file beside path and renames: path is whole or untouched. */
enum status file_write(const char *path, const void *bytes, size_t count, struct diag *diag);

#endif
