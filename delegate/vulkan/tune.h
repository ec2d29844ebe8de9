/* Measures the sizes of workgroups that could do on the device that will run them. */
#ifndef ASSAY_DELEGATE_VULKAN_TUNE_H
#define ASSAY_DELEGATE_VULKAN_TUNE_H

#include "delegate/plan/workgroups.h"
#include "delegate/vulkan/executor.h"

#include <stdbool.h>

/* Steps of the plan whose size is free and is not in *tuning yet are measured, those that take the
 * longest first, until the budget is spent; what was measured in full is appended and applied, and
 * *changed set.  The executor is open and not recorded; what its buffers hold is overwritten.
 * STATUS_NO_DEVICE when the device has no time stamps. */
enum status tune_plan(struct executor *e, struct plan *plan, uint64_t budget_ns,
                      struct workgroup_tuning **tuning, size_t *count, bool *changed,
                      struct diag *diag);

#endif
