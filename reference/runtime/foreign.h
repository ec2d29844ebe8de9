/* Kernels that a user registered (TfLiteInterpreterOptionsAddCustomOp): foreign code, called
 * through its TfLiteRegistration. */
#ifndef ASSAY_REFERENCE_RUNTIME_FOREIGN_H
#define ASSAY_REFERENCE_RUNTIME_FOREIGN_H

#include "reference/runtime/node_kernel.h"
#include "reference/runtime/options.h"

/* What the options have for an op: code, and name where it is custom.  NULL: nothing. */
const struct interpreter_kernel *foreign_find(const struct interpreter_options *options,
                                              int32_t code, const char *custom_name,
                                              int32_t version);

/* Of nodes whose registration is the user's. */
extern const struct node_kernel foreign_kernel;

#endif
