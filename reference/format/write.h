/* Writes a model as a .tflite file, schema version 3. */
#ifndef ASSAY_REFERENCE_FORMAT_WRITE_H
#define ASSAY_REFERENCE_FORMAT_WRITE_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

/* A written file; the owner frees bytes with mem_free (memory.h). */
struct tflite_file {
    uint8_t *bytes;
    size_t count;
};

/* Writes the model as a file that tflite_read and LiteRT load: buffers 16-byte aligned, those
 * marked large behind the flatbuffer.  The same model gives the same bytes.  The rules that
 * tflite_verify checks are not checked here.  STATUS_UNSUPPORTED when an operator carries an option
 * table whose fields op_options.def does not describe, and when the flatbuffer would reach 2 GiB;
 * STATUS_INVALID when a value does not fit its field. */
enum status tflite_write(const struct model *m, struct tflite_file *file, struct diag *diag);

/* A copy of the bytes, whatever they are; the caller frees it likewise. */
enum status tflite_file_copy(struct tflite_file *out, const struct tflite_file *file,
                             struct diag *diag);

#endif
