/* Buffer handles: outputs whose data stays with the delegate until the host asks for it.
 *
 * A handle is a number of the process, not of a delegate: hosts that wrap a delegate call back with
 * a delegate of their own. */
#ifndef ASSAY_DELEGATE_RUNTIME_HANDLE_H
#define ASSAY_DELEGATE_RUNTIME_HANDLE_H

#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>

struct kernel;

/* Gives the kernel a handle for each of its outputs; where numbers have run out it has none, and
 * its outputs are copied.  Back with handles_close. */
void handles_open(struct kernel *k);
void handles_close(struct kernel *k);

/* The kernel and the output that have this handle; NULL: nobody has. */
struct kernel *handle_find(int handle, int *output);

/* The tensor's data is what the handle's owner made; true when the host can be told so. */
bool handle_give(struct kernel *k, int output, TfLiteTensor *t);

/* The callbacks of the delegate. */
TfLiteStatus handle_copy_from(TfLiteContext *context, TfLiteDelegate *delegate, int handle,
                              TfLiteTensor *tensor);
void handle_drop(TfLiteContext *context, TfLiteDelegate *delegate, int *handle);

#endif
