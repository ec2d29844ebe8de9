/* The ops that the runtime itself runs: WHILE, IF and CALL_ONCE, VAR_HANDLE, READ_VARIABLE and
 * ASSIGN_VARIABLE. */
#ifndef ASSAY_REFERENCE_RUNTIME_SPECIAL_H
#define ASSAY_REFERENCE_RUNTIME_SPECIAL_H

#include "reference/runtime/node_kernel.h"

/* NULL: a scalar kernel runs the op, or nothing does. */
const struct node_kernel *special_find(int32_t code);

/* ---- control_ops.c: the ops that run subgraphs ---- */

extern const struct node_kernel kernel_if, kernel_while, kernel_call_once, kernel_composite;

/* ---- variable_ops.c: the ops of resource variables ---- */

extern const struct node_kernel kernel_var_handle, kernel_read_variable, kernel_assign_variable;

#endif
