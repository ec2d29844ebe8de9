/* Memory of a plan: which plan tensors share memory, offsets in the arena, and what all of it needs
 * of the device. */
#ifndef ASSAY_DELEGATE_PLAN_MEMORY_H
#define ASSAY_DELEGATE_PLAN_MEMORY_H

#include "delegate/plan/plan.h"

/* Bytes of device memory that a graph may take: the budget of the device, or the option
 * memory_limit where that is less. */
uint64_t plan_memory_limit(const struct gpu_options *options, const struct device_limits *limits);

/* The last two things that plan_make does: places and offsets; the device's limits, with the need
 * and the limit in the message.  Places can be assigned again, for other backing memory:
 * STATUS_UNSUPPORTED where one cannot be BACKING_SLICES. */
enum status plan_assign_memory(struct plan *plan, bool in_place, struct diag *diag);
enum status plan_check(const struct plan *plan, const struct device_limits *limits,
                       struct diag *diag);

#endif
