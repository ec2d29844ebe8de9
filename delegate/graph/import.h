/* The host's graph, read through the TfLiteContext that it gives to TfLiteDelegate.Prepare. */
#ifndef ASSAY_DELEGATE_GRAPH_IMPORT_H
#define ASSAY_DELEGATE_GRAPH_IMPORT_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"

/* Copies the nodes of the host's execution plan and all tensors.  STATUS_INVALID, with what was
 * expected and found, when the host breaks the ABI (a tensor index out of range). */
enum status graph_import(struct graph *g, TfLiteContext *context, struct diag *diag);

#endif
