/* The ops that run subgraphs. */
#ifndef ASSAY_REFERENCE_RUNTIME_CONTROL_OPS_H
#define ASSAY_REFERENCE_RUNTIME_CONTROL_OPS_H

#include "reference/runtime/node_kernel.h"

extern const struct node_kernel kernel_if, kernel_while, kernel_call_once, kernel_composite;

#endif
