/* Measures workgroup sizes on the device (option tune=1). */
#ifndef ASSAY_DELEGATE_VULKAN_TUNE_H
#define ASSAY_DELEGATE_VULKAN_TUNE_H

#include "delegate/plan/workgroups.h"
#include "delegate/vulkan/executor.h"

#include <stdbool.h>

/* Measures the steps whose workgroup size is free and not in *tuning yet, those that take the
 * longest first, until the budget is spent.  Sizes of steps that were measured in full are appended
 * to *tuning and applied to the plan, and *changed is set.  The executor is open, but not recorded;
 * the contents of its buffers are overwritten.  STATUS_NO_DEVICE: the device has no time stamps. */
enum status tune_plan(struct executor *e, struct plan *plan, uint64_t budget_ns,
                      struct workgroup_tuning **tuning, size_t *count, bool *changed,
                      struct diag *diag);

#endif
