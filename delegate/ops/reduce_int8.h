/* MEAN in integers, and AVERAGE_POOL_2D over the whole image. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_INT8_H
#define ASSAY_DELEGATE_OPS_REDUCE_INT8_H

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "reference/base/fixed_point.h"

#include <stddef.h>
#include <stdint.h>

enum { REDUCE_GROUPS = 4 };

/* Of reduce.comp, up to the groups, and reduce_int8.comp. */
struct reduce_args {
    uint32_t count;
    uint32_t in_channels, in_slices;
    uint32_t out_channels, out_slices;
    float terms;
    uint32_t rows;
    uint32_t kept_size[REDUCE_GROUPS], kept_stride[REDUCE_GROUPS];
    uint32_t reduced_size[REDUCE_GROUPS], reduced_stride[REDUCE_GROUPS];
    int32_t in_zero, out_zero, factor, shift;
    int32_t low, high; /* of the output, less its zero point */
};
_Static_assert(offsetof(struct reduce_args, in_zero) == 92, "reduce.comp");
_Static_assert(sizeof(struct reduce_args) == 116, "reduce_int8.comp");

/* An average of all pixels, whose output has this range: a workgroup, not an invocation, makes the
 * sum. */
enum status reduce_plan_average(struct planner *p, const struct graph_node *n,
                                struct fixed_range range);

/* The factor from a sum to the mean in steps of the output.  Of a sum of count elements, at least
 * one. */
struct fixed_multiplier reduce_factor(const struct graph_tensor *x, const struct graph_tensor *y,
                                      uint32_t count);

#endif
