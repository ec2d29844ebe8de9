/* Inputs and outputs of a kernel between the host's memory and the staging buffers. */
#ifndef ASSAY_DELEGATE_RUNTIME_KERNEL_COPY_H
#define ASSAY_DELEGATE_RUNTIME_KERNEL_COPY_H

#include "delegate/runtime/kernel.h"

/* Copies an input to the staging buffer: from the host's memory, or from another partition that
 * left it on the device.  The caller holds run_lock, and no inference runs. */
enum status kernel_copy_input(struct kernel *k, TfLiteContext *context, int i, struct diag *diag);

/* Hands an output to the host after an inference: one that no node reads, or that is bound to
 * memory of the caller, stays on the device under its handle; others are copied, unless the device
 * has written them to the host's memory.  The caller holds run_lock. */
enum status kernel_return_output(struct kernel *k, TfLiteContext *context, int i,
                                 struct diag *diag);

/* Copies output i of the last inference to the host's tensor, and waits for it. */
enum status kernel_read_output(struct kernel *k, int i, TfLiteTensor *t, struct diag *diag);

#endif
