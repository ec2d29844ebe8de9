/* The ops of resource variables. */
#ifndef ASSAY_REFERENCE_RUNTIME_VARIABLE_OPS_H
#define ASSAY_REFERENCE_RUNTIME_VARIABLE_OPS_H

#include "reference/runtime/node_kernel.h"

extern const struct node_kernel kernel_var_handle, kernel_read_variable, kernel_assign_variable;

#endif
