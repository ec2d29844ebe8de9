/* The file of a model for a runtime that compiles it: with the batch that is asked for, since such
 * runtimes cannot resize, and with a name of its own for every tensor, since they look tensors up
 * by name. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_MODEL_ADAPT_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_MODEL_ADAPT_H

#include "conformance/suite/subject/engine.h"
#include "reference/format/write.h"

/* Writes the request's model.  With a batch every tensor has the shape that our interpreter gives
 * it then.  The owner frees file->bytes with mem_free. */
enum status model_adapt_write(const struct engine_request *request, struct tflite_file *file,
                              struct diag *diag);

#endif
