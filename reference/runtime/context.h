/* The runtime as delegates see it: the functions of TfLiteContext. */
#ifndef ASSAY_REFERENCE_RUNTIME_CONTEXT_H
#define ASSAY_REFERENCE_RUNTIME_CONTEXT_H

#include "reference/runtime/state.h"

void context_init(struct interpreter *in);
/* Frees what GetExecutionPlan and PreviewDelegatePartitioning gave. */
void context_drop_views(struct interpreter *in);

#endif
