/* Ops of two operands whose result is bool: comparisons, LOGICAL_AND, LOGICAL_OR. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_COMPARE_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_COMPARE_H

#include "delegate/plan/planner.h"

/* op: COMPARE_EQUAL to COMPARE_OR. */
enum status compare_plan(struct planner *p, const struct graph_node *n, uint32_t op);

#endif
