/* The start of a kernel: its plan, then device memory, pipelines and the recording; and the same
 * again when the host gives its inputs other shapes. */
#ifndef ASSAY_DELEGATE_RUNTIME_START_H
#define ASSAY_DELEGATE_RUNTIME_START_H

#include "delegate/runtime/kernel.h"

/* Plans the partition while its delegate prepares a graph. */
enum status start_plan(struct kernel *k, TfLiteContext *context, const TfLiteDelegateParams *params,
                       struct diag *diag);
/* Makes what the plan needs on the device, and adds the kernel to its delegate's list, by which the
 * API finds it.  Its plan stays as it is until start_stop. */
enum status start_open(struct kernel *k, TfLiteContext *context, struct diag *diag);
/* Undoes both; buffers of the caller are unbound, and the host's tensors lose their handles.  May
 * be called at any time. */
void start_stop(struct kernel *k, TfLiteContext *context);
/* Unless the partition is planned for the shapes that its inputs have now, and for the values that
 * follow from shapes, stops and plans again. */
enum status start_update(struct kernel *k, TfLiteContext *context, struct diag *diag);
/* Gives the host's outputs the shapes that they have in the plan, and start_write_values. */
enum status start_resize_outputs(const struct kernel *k, TfLiteContext *context, struct diag *diag);
/* Writes outputs that follow from shapes to the host's tensors that have memory: results of prepare
 * (kTfLitePersistentRo) at once, which later nodes read in their prepare, others in invoke. */
void start_write_values(const struct kernel *k, TfLiteContext *context);

#endif
