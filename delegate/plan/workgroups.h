/* The size of workgroups, where the shader leaves it free.
 *
 * A step of items (step_items) has size x: each item is computed alone.  A step of tiles
 * (step_tiles) has x columns by y runs; what z means is the shader's.  No bit of a result depends
 * on a free size.  It comes from a table by device class, or was measured (tune.h). */
#ifndef ASSAY_DELEGATE_PLAN_WORKGROUPS_H
#define ASSAY_DELEGATE_PLAN_WORKGROUPS_H

#include "delegate/base/device_limits.h"
#include "delegate/cache/cache.h"
#include "delegate/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the table says for a shader of items, cut to what the device allows. */
uint32_t workgroup_size(const struct device_limits *limits, const char *shader);

/* A free size in one number: x, and y above it. */
static inline uint32_t workgroup_code(uint32_t x, uint32_t y)
{
    return x | y << 16;
}
uint32_t workgroup_of(const struct plan_step *s);

/* Gives a step this size, and the grid that goes with it.  False, with the step untouched, when its
 * size is not free or the device does not allow the workgroup or the grid. */
bool workgroup_set(struct plan_step *s, uint32_t code, const struct device_limits *limits);

/* The sizes worth measuring that the device allows for a step; how many there are. */
enum { WORKGROUP_CANDIDATES = 32 };
int workgroup_candidates(const struct plan_step *s, const struct device_limits *limits,
                         uint32_t codes[WORKGROUP_CANDIDATES]);

/* What a measured size belongs to: the step but for its free size. */
uint64_t workgroup_key(const struct plan_step *s, bool half);

/* Gives the steps of a plan the sizes that were measured; what is no candidate is left alone. */
void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct cache_tuning *tuning, size_t count);

/* By VkPhysicalDeviceType as assay_gpu_device has it, and the PCI vendor. */
enum device_class device_class_of(const char *type, uint32_t vendor_id);
const char *device_class_name(enum device_class c);

#endif
