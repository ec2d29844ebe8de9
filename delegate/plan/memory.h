/* Memory of a plan: lifetimes, results that overwrite an input, offsets in the arena, and the
 * limits of the device. */
#ifndef ASSAY_DELEGATE_PLAN_MEMORY_H
#define ASSAY_DELEGATE_PLAN_MEMORY_H

#include "delegate/plan/plan.h"

/* Bytes of device memory that a graph may take: the budget of the device, or the option
 * memory_limit where that is less. */
uint64_t plan_memory_limit(const struct gpu_options *options, const struct device_limits *limits);

/* Assigns memory to all plan tensors; in_place: results may overwrite inputs.  plan_make calls it,
 * and so does whoever changes plan_io.backing: STATUS_UNSUPPORTED if a tensor cannot be
 * BACKING_SLICES. */
enum status plan_assign_memory(struct plan *plan, bool in_place, struct diag *diag);
/* Whether all outputs are in the memory from which they are read. */
bool plan_copies_no_output(const struct plan *plan);
/* Whether an input and an output may be bound as slices to the same memory, as a cache that each
 * inference brings up to date: one step alone reads the input, and writes the output in its place.
 */
bool plan_updates_input(const struct plan *plan, int input, int output);
/* Compares the plan with the limits of the device: STATUS_UNSUPPORTED, with the need and the limit.
 */
enum status plan_check_limits(const struct plan *plan, const struct device_limits *limits,
                              struct diag *diag);

#endif
