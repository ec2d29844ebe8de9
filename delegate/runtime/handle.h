/* Buffer handles: the numbers by which a host names outputs that stay on the device.
 *
 * A handle is unique in the process, not only in its delegate: hosts that wrap a delegate call back
 * with a delegate of their own. */
#ifndef ASSAY_DELEGATE_RUNTIME_HANDLE_H
#define ASSAY_DELEGATE_RUNTIME_HANDLE_H

#include "tensorflow/lite/c/common.h"

#include <stdbool.h>

struct kernel;

/* The handles of a kernel: one for each of its outputs. */
struct handle_range {
    struct kernel *kernel;
    int first, count;          /* first is 0 when there are none */
    struct handle_range *next; /* in the list of the process */
};

/* Takes `count` handles for the outputs of a kernel.  When the numbers have run out there are none,
 * and outputs are copied to the host. */
void handles_open(struct handle_range *r, struct kernel *kernel, int count);
void handles_close(struct handle_range *r);

/* The kernel and the output that have this handle; NULL: none has. */
struct kernel *handle_find(int handle, int *output);

/* Tells the host that the tensor's data is on the device, under the handle of this output.  False
 * when the host cannot be told so, and the data must be copied. */
bool handle_assign(const struct handle_range *r, int output, TfLiteTensor *t);

/* Whether the tensor has the handle of this output. */
bool handle_is_of(const struct handle_range *r, int output, const TfLiteTensor *t);

#endif
