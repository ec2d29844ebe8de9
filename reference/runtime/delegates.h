/* Delegates of an interpreter: applied, undone for a resize, applied again, and taken away when
 * they fail. */
#ifndef ASSAY_REFERENCE_RUNTIME_DELEGATES_H
#define ASSAY_REFERENCE_RUNTIME_DELEGATES_H

#include "reference/base/diag.h"
#include "reference/runtime/state.h"

/* The work of interpreter_apply_delegate. */
enum status delegates_apply(struct interpreter *in, TfLiteDelegate *delegate, TfLiteStatus *code,
                            struct diag *diag);
/* Makes the plan that of the model again; the delegates are remembered. */
void delegates_undo(struct interpreter *in);
/* Applies again what was undone. */
enum status delegates_redo(struct interpreter *in, struct diag *diag);
/* Undoes and forgets the delegates. */
void delegates_forget(struct interpreter *in);

/* ---- context.c: the runtime as delegates see it: the functions of TfLiteContext ---- */

void context_init(struct interpreter *in);
/* Frees what GetExecutionPlan and PreviewDelegatePartitioning gave. */
void context_drop_views(struct interpreter *in);

#endif
