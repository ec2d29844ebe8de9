/* A model file with another batch, for runtimes that compile a model and cannot resize it. */
#ifndef ASSAY_CONFORMANCE_SUBJECT_MODEL_BATCH_H
#define ASSAY_CONFORMANCE_SUBJECT_MODEL_BATCH_H

#include "conformance/subject/engine.h"
#include "reference/format/write.h"

/* Writes the request's model with the batch that it asks for: every tensor has the shape that our
 * interpreter gives it then.  The owner frees file->bytes with mem_free. */
enum status model_batch_write(const struct engine_request *request, struct tflite_file *file,
                              struct diag *diag);

#endif
