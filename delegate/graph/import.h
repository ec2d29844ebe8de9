/* The host's graph, read through the TfLiteContext that it gives to TfLiteDelegate.Prepare. */
#ifndef ASSAY_DELEGATE_GRAPH_IMPORT_H
#define ASSAY_DELEGATE_GRAPH_IMPORT_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"

/* Reads the host's execution plan.  Fails when the host breaks the ABI (a tensor index out of
 * range), with what it gave. */
enum status graph_import(struct graph *g, TfLiteContext *context, struct diag *diag);

#endif
