/* How many invocations a workgroup has: a table by device class, where the shader leaves the choice
 * (its step counts items, and each item is computed alone, so that the size changes no bit). */
#ifndef ASSAY_DELEGATE_WORKGROUPS_H
#define ASSAY_DELEGATE_WORKGROUPS_H

#include "delegate/cache.h"
#include "delegate/device_limits.h"
#include "delegate/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the table says for a shader, cut to what the device allows. */
uint32_t workgroup_size(const struct device_limits *limits, const char *shader);

/* Gives a step of s->items items this many invocations a workgroup.  False, with the step
 * untouched, when the step has no items or the device does not allow the workgroup or the grid. */
bool workgroup_set(struct plan_step *s, uint32_t size, const struct device_limits *limits);

/* What a measured size belongs to: the step but for the size of its workgroup. */
uint64_t workgroup_key(const struct plan_step *s, bool half);

/* Gives the steps of a plan the sizes that were measured; what is no candidate is left alone. */
void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct cache_tuning *tuning, size_t count);

/* The sizes worth measuring; 0 ends the list. */
extern const uint32_t workgroup_candidates[];

/* By VkPhysicalDeviceType as assay_gpu_device has it, and the PCI vendor. */
enum device_class device_class_of(const char *type, uint32_t vendor_id);
const char *device_class_name(enum device_class c);

#endif
