/* Writes a model as a text (model_text.h). */
#ifndef ASSAY_REFERENCE_TEXT_WRITE_TEXT_H
#define ASSAY_REFERENCE_TEXT_WRITE_TEXT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_INLINE = 64 }; /* values, or bytes, of a constant that lies in the text itself */

/* Constants that are too long for the text: the file beside it. */
struct text_data {
    const char *name; /* of the file, without folder */
    uint8_t *bytes;   /* mem_free */
    size_t count, room;
};

/* Writes a model as a text from which model_text_read makes the same bytes where the builder
 * (format/builder.h) made the model.  Of other models it keeps what runtimes act on: numbers of
 * buffers and operator codes that nothing needs, quantization without numbers, has_rank,
 * debug_metadata_index and mutating_variable_inputs are not kept.  data NULL: all constants lie in
 * the text. STATUS_UNSUPPORTED where the text has no words for a part of the model, such as custom
 * quantization. */
enum status text_write(FILE *f, const struct model *m, struct text_data *data, struct diag *diag);

#endif
