/* Tensors whose data is elsewhere: in a delegate's buffers, in memory of the caller. */
#ifndef ASSAY_REFERENCE_RUNTIME_HANDLES_H
#define ASSAY_REFERENCE_RUNTIME_HANDLES_H

#include "reference/base/diag.h"
#include "reference/runtime/state.h"

#include <stdbool.h>
#include <stddef.h>

/* The delegate frees the tensor's buffer handle; it has none afterwards. */
void handle_free(struct interpreter *in, TfLiteTensor *t);
/* The work of interpreter_make_readable, interpreter_set_buffer_handle and interpreter_set_custom.
 */
enum status handle_make_readable(struct interpreter *in, int tensor, struct diag *diag);
enum status handle_set(struct interpreter *in, int tensor, int handle, TfLiteDelegate *delegate,
                       struct diag *diag);
enum status handle_set_custom(struct interpreter *in, int tensor, void *data, size_t bytes,
                              bool skip_align, struct diag *diag);

#endif
