/* Runs the execution plan, or one node of the model. */
#ifndef ASSAY_REFERENCE_RUNTIME_INVOKE_H
#define ASSAY_REFERENCE_RUNTIME_INVOKE_H

#include "reference/base/diag.h"
#include "reference/kernels/op.h"
#include "reference/runtime/state.h"

/* The work of interpreter_invoke and interpreter_eval_node. */
enum status invoke_plan(struct interpreter *in, struct diag *diag);
enum status invoke_node(struct interpreter *in, int node, struct ref_detail *detail,
                        struct diag *diag);

#endif
