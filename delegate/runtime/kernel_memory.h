/* The memory behind inputs and outputs of a kernel: what they are bound to, and tensors of the host
 * that are not behind TfLiteTensor.data. */
#ifndef ASSAY_DELEGATE_RUNTIME_KERNEL_MEMORY_H
#define ASSAY_DELEGATE_RUNTIME_KERNEL_MEMORY_H

#include "delegate/runtime/kernel.h"

/* Sets the memory behind an input or output to what it is bound to; kernel_replan must follow. */
void kernel_set_backing(struct kernel *k, bool output, int i);

/* Finds the host's memory for an inference, and waits for whoever fills it: the caller holds no
 * lock, since that may be an inference of another kernel. */
enum status kernel_memory_open(struct kernel *k, TfLiteContext *context, struct diag *diag);
/* Lets the device use what it can import as it is; inputs and outputs whose executor_io has no
 * handle are to be copied from and to kernel_io.memory.  The caller holds run_lock, and no
 * inference runs. */
enum status kernel_memory_bind(struct kernel *k, struct diag *diag);
/* Ends what kernel_memory_open began, also after it has failed. */
void kernel_memory_close(struct kernel *k);

#endif
