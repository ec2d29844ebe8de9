/* MEAN in integers, and AVERAGE_POOL_2D over the whole image. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_INT8_H
#define ASSAY_DELEGATE_OPS_REDUCE_INT8_H

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "reference/base/fixed_point.h"

#include <stdint.h>

/* An average of all pixels, whose output has this range: a workgroup, not an invocation, makes the
 * sum. */
enum status reduce_plan_average(struct planner *p, const struct graph_node *n,
                                struct fixed_range range);

/* The factor from a sum to the mean in steps of the output.  Of a sum of count elements, at least
 * one. */
struct fixed_multiplier reduce_factor(const struct graph_tensor *x, const struct graph_tensor *y,
                                      uint32_t count);

#endif
