/* The models of fuzz/hostile as files: "sample" is that of sample_model.h, and the others those of
 * reference/text/hostile_row.h. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H
#define ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H

#include "reference/format/write.h"

/* The model "base". */
void hostile_base(struct model *m);
/* The bytes of the model, with an edit (reference/text/edit.h) unless that is NULL; the caller
 * frees them with mem_free.  STATUS_INVALID with the place in the text of either. */
enum status hostile_model_write(const char *text, const char *edit, struct tflite_file *file,
                                struct diag *diag);

#endif
