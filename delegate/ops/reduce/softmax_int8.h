/* What SOFTMAX and LOG_SOFTMAX of 8-bit tensors share: powers in fixed point. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT8_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_INT8_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>

/* Differences of the input's integers, times beta, have exponents in Q5.26. */
bool check_exponents(struct check *c, double beta);
enum status softmax_int8_plan(struct planner *p, const struct graph_node *n, double beta, bool log);

#endif
