/* The host's graph, read through the TfLiteContext that it gives to TfLiteDelegate.Prepare. */
#ifndef ASSAY_DELEGATE_GRAPH_IMPORT_H
#define ASSAY_DELEGATE_GRAPH_IMPORT_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"

/* Copies the nodes of the host's execution plan and all tensors.  STATUS_INVALID, with what was
 * expected and found, when the host breaks the ABI (a tensor index out of range). */
enum status graph_import(struct graph *g, TfLiteContext *context, struct diag *diag);

/* A copy of an imported graph with the tensors as the host has them now: after a resize, when the
 * host may no longer be asked for its nodes.  No tensor is dynamic in it.  It borrows names, lists
 * and parameters of *old, which must outlive it. */
enum status graph_import_again(struct graph *g, const struct graph *old,
                               const TfLiteContext *context, struct diag *diag);

/* The shape that the host's tensor has now. */
void graph_import_shape(struct graph_tensor *to, const TfLiteTensor *from);

#endif
