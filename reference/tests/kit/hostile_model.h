/* The models of fuzz/hostile: "base" is that of hostile_base, "sample" that of sample_model.h, and
 * anything else is the text of a model (reference/text), written down whatever is wrong with it. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H
#define ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H

#include "reference/format/write.h"

/* Constants, a variable, strings, operators with options and without, and one input too many. */
void hostile_base(struct model *m);
/* The bytes of the model, with an edit (reference/text/edit.h) unless that is NULL; the caller
 * frees them with mem_free.  STATUS_INVALID with the place in the text of either. */
enum status hostile_model_write(const char *text, const char *edit, struct tflite_file *file,
                                struct diag *diag);
/* Whether the model can be made, other than by "sample". */
enum status hostile_model_check(const char *text, const char *edit, struct diag *diag);

#endif
