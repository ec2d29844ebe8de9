/* The models of fuzz/hostile: "base" is that of hostile.h, "sample" that of sample_model.h, and
 * anything else is the text of a model (reference/text), written down whatever is wrong with it. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H
#define ASSAY_REFERENCE_TESTS_KIT_HOSTILE_MODEL_H

#include "reference/format/write.h"

/* The bytes of the model; the caller frees them with mem_free.  STATUS_INVALID with the place in
 * the text. */
enum status hostile_model_write(const char *text, struct tflite_file *file, struct diag *diag);

#endif
