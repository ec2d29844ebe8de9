/* Models as text: one operator a line, in the words of the schema.
 *
 *     CONV_2D {stride_w=1 stride_h=1 padding=VALID} x:f32[1,8,8,3] f32[8,3,3,3]=~7 f32[8]=0 -> y
 *     SOFTMAX {beta=1} y -> z:f32[1,6,6,8]
 *
 * conformance/doc/MODEL_TEXT.md describes the grammar.  The text is hostile, and so is the file
 * beside it: an error names line, column and what was expected, and no text makes the reader
 * allocate more than the limits allow. */
#ifndef ASSAY_REFERENCE_TEXT_MODEL_TEXT_H
#define ASSAY_REFERENCE_TEXT_MODEL_TEXT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/format/write.h"

#include <stdbool.h>
#include <stddef.h>

struct model_text {
    const char *text;
    size_t count;
    const char *folder; /* of the file with its constants; NULL: the text may name none */
    /* For tests of models that nobody accepts: whatever can be written down is no error.  Else the
     * file has to pass tflite_verify, and the reference has to prepare what it knows of it. */
    bool as_written;
};

/* Reads a text as a model.  On failure *m is empty. */
enum status model_text_build(const struct model_text *source, struct model *m, struct diag *diag);
/* The same as the bytes of a .tflite file, which the caller frees with mem_free. */
enum status model_text_read(const struct model_text *source, struct tflite_file *file,
                            struct diag *diag);

#endif
