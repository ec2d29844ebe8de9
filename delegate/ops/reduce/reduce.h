/* What the reductions over constant axes share: MEAN (reduce.c), and SUM and others (reduction.c).
 */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_REDUCE_H
#define ASSAY_DELEGATE_OPS_REDUCE_REDUCE_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/reduce/reduce.args.h"
#include "delegate/plan/planner.h"

/* Input, axes and output of a reduction; types: CHECK_VALUES and others. */
bool check_reduction(struct check *c, unsigned types);
/* gpu_op.shape of a reduction. */
bool reduce_shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s);
/* Plans a reduction; op: REDUCE_MEAN, REDUCE_SUM, ... */
enum status reduce_plan(struct planner *p, const struct graph_node *n, uint32_t op);

#endif
