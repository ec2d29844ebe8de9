/* Which steps have their push constants compiled into their pipelines. */
#ifndef ASSAY_DELEGATE_PLAN_FROZEN_H
#define ASSAY_DELEGATE_PLAN_FROZEN_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/options.h"
#include "delegate/graph/reasons.h"
#include "delegate/plan/plan.h"

/* The most pipelines that are made for one plan because of it. */
enum { FROZEN_MAX = 128 };

/* Marks freezable steps, in their order, until the plan needs FROZEN_MAX pipelines for them: a step
 * of the same shader, constants and sizes as an earlier one needs none of its own.  On a device
 * where that does not pay none is marked, with the reason.  `why` is of KERNEL_frozen. */
void plan_freeze(struct plan *plan, const struct gpu_options *options,
                 const struct device_limits *limits, const struct reason_of *why);

/* A plan with fewer bytes of constants leaves the code of its pipelines in the cache of the device.
 * Of an H200, whose L2 cache has 50 MB: ResNet50 of 51 MB in f16 takes 0.389 in place of 0.408 ms,
 * of 102 MB 0.707 in place of 0.732; of 25 MB in i8 0.461 in place of 0.440. */
enum { PREFETCH_BYTES = 40 << 20 };

/* Marks one step of each pipeline of frozen steps whose kernel allows it to be prefetched.  `why`
 * is of KERNEL_prefetch.
 */
void plan_prefetch(struct plan *plan, const struct gpu_options *options,
                   const struct device_limits *limits, const struct reason_of *why);

#endif
