/* Delegate kernels: nodes that replace a partition of the plan and run in a delegate. */
#ifndef ASSAY_REFERENCE_RUNTIME_DELEGATE_KERNEL_H
#define ASSAY_REFERENCE_RUNTIME_DELEGATE_KERNEL_H

#include "reference/base/diag.h"
#include "reference/runtime/partition.h"
#include "reference/runtime/state.h"

#include <stdbool.h>

/* The lists of a subset as the ABI has them.  False, with nothing to free, when out of memory. */
bool delegate_params_fill(TfLiteDelegateParams *p, TfLiteDelegate *delegate,
                          const struct subset *s);
void delegate_params_free(TfLiteDelegateParams *p);

/* Puts kernels in the place of the taken nodes: ReplaceNodeSubsetsWithDelegateKernels.  On failure
 * the plan is as it was, and kernels may be there that delegates_undo closes. */
enum status delegate_kernel_replace(struct interpreter *in, const TfLiteRegistration *registration,
                                    const TfLiteIntArray *nodes, TfLiteDelegate *delegate,
                                    struct diag *diag);
/* Calls the kernel's prepare. */
enum status delegate_kernel_prepare(struct interpreter *in, struct node *node, struct diag *diag);
/* Calls the kernel's free; the node is no longer in the graph. */
void delegate_kernel_close(struct interpreter *in, struct node *node);

#endif
