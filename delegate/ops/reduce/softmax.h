/* A step of softmax.comp, for SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/reduce/softmax.args.h"
#include "delegate/plan/planner.h"

/* SOFTMAX of 8 bits gives i16. */
bool softmax_is_wide(const struct graph *g, const struct graph_node *n);
/* Input and output of an op over the rows of its input, in the same shape. */
bool check_rows(struct check *c);
/* Whether an invocation computes a row of the result dst: where a workgroup would have few slices
 * for its invocations, and there are rows for all of them in each image. */
bool softmax_alone(const struct planner *p, const struct graph_node *n, int dst);
/* Invocations of a row: one for each slice, within reason.  A software device runs them one after
 * the other. */
uint32_t softmax_invocations(const struct device_limits *limits, uint32_t slices);
/* op: SOFTMAX_POWERS, SOFTMAX_LOG, SOFTMAX_NORM. */
enum status softmax_plan(struct planner *p, const struct graph_node *n, uint32_t op, float beta);

#endif
