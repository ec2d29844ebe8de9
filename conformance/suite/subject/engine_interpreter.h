/* Our interpreter as the host of a delegate, and opened alike without one. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_INTERPRETER_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_INTERPRETER_H

#include "conformance/suite/subject/engine.h"
#include "reference/runtime/interpreter.h"

/* Opens an interpreter of request->model, resizes its inputs, applies the delegate (NULL: none) and
 * allocates.  The request's subject is not read.  On failure *in is NULL. */
enum status engine_interpreter_start(const struct engine_request *request,
                                     const struct interpreter_options *options,
                                     struct interpreter **in, struct diag *diag);

#endif
