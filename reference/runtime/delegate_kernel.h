/* Delegate kernels: nodes that replace a partition of the plan and run in a delegate. */
#ifndef ASSAY_REFERENCE_RUNTIME_DELEGATE_KERNEL_H
#define ASSAY_REFERENCE_RUNTIME_DELEGATE_KERNEL_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"
#include "reference/runtime/state.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- partition.c: partitions: which nodes one delegate kernel may replace ---- */

/* A maximal set of nodes that are all taken, or all not, and that can run one after another without
 * a node of another subset in between. */
struct subset {
    bool taken;
    const int *nodes; /* in the order of the plan */
    size_t node_count;
    const int *inputs; /* tensors read and not written here; sorted, each once */
    size_t input_count;
    const int *outputs; /* tensors written here and read elsewhere, or outputs of the graph */
    size_t output_count;
};

/* The subsets in an order in which they can run.  Memory is the arena's. */
enum status partition_plan(const struct interpreter *in, const TfLiteIntArray *taken,
                           struct arena *memory, struct subset **subsets, size_t *count,
                           struct diag *diag);

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
