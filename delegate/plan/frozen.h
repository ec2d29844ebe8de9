/* Which numbers of a step are compiled into its pipeline: its push constants, too, or fewer of its
 * specialization constants. */
#ifndef ASSAY_DELEGATE_PLAN_FROZEN_H
#define ASSAY_DELEGATE_PLAN_FROZEN_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/options.h"
#include "delegate/graph/reasons.h"
#include "delegate/plan/plan.h"

/* The most pipelines that are made for one plan because of it. */
enum { FROZEN_MAX = 128 };

/* Marks freezable steps, in their order, until the plan needs FROZEN_MAX pipelines for them: a step
 * of the same shader, constants and sizes as an earlier one needs none of its own.  `why` is of
 * KERNEL_frozen, which planner_kernel allows. */
void plan_freeze(struct plan *plan, const struct reason_of *why);

/* Whether the graph is so small that its plan shares pipelines with other small ones.  `why` is of
 * KERNEL_thawed, which planner_kernel allows. */
bool plan_thaws(const struct graph *g, const struct device_limits *limits,
                const struct reason_of *why);
/* Makes the thawable specialization constants of steps push constants, behind those that they
 * have. */
void plan_thaw(struct plan *plan);

/* Marks one step of each pipeline of frozen steps whose kernel allows it to be prefetched, unless
 * the plan has so few bytes of constants that the code of its pipelines stays in the cache of the
 * device.  `why` is of KERNEL_prefetch, which planner_kernel allows. */
void plan_prefetch(struct plan *plan, const struct gpu_options *options,
                   const struct device_limits *limits, const struct reason_of *why);

#endif
