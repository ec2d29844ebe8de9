/* MEAN of 8-bit tensors, AVERAGE_POOL_2D over a whole image, and the steps of any reduction. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_REDUCE_INT8_H
#define ASSAY_DELEGATE_OPS_REDUCE_REDUCE_INT8_H

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/reduce/reduce.args.h"
#include "delegate/plan/planner.h"
#include "reference/base/fixed_point.h"

#include <stdbool.h>
#include <stdint.h>

/* What a reduction is; args has its groups, terms and integers. */
struct reduce_plan {
    const char *shader;
    uint32_t op; /* REDUCE_MEAN, ... */
    bool over_channels, integers, is_signed, average;
    struct reduce_args args;
};
/* Plans it, from plan tensor src to dst: one step, or two where few workgroups would have much to
 * do. */
enum status reduce_plan(struct planner *p, const struct graph_node *n, struct reduce_plan *r,
                        int src, int dst);

/* Plans AVERAGE_POOL_2D over a whole image as a reduction: a workgroup makes each sum.  range: of
 * the output. */
enum status reduce_plan_average(struct planner *p, const struct graph_node *n,
                                struct fixed_range range);

/* The multiplier from a sum of count elements, at least one, to their mean in steps of y. */
struct fixed_multiplier reduce_multiplier(const struct graph_tensor *x,
                                          const struct graph_tensor *y, uint32_t count);

/* What a product of elements of x is multiplied by after each of them, so that it has steps of y at
 * its end. */
double reduce_product_factor(const struct graph_tensor *x, const struct graph_tensor *y);

#endif
