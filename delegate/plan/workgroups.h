/* Workgroup sizes that the shader leaves free.
 *
 * A step of items (step_items) has x invocations, each with one item.  A step of tiles (step_tiles)
 * has x columns by y runs; z belongs to the shader.  Results have the same bits for every free
 * size. A size comes from base/device_costs.def, or was measured (vulkan/tune.h). */
#ifndef ASSAY_DELEGATE_PLAN_WORKGROUPS_H
#define ASSAY_DELEGATE_PLAN_WORKGROUPS_H

#include "delegate/base/device_limits.h"
#include "delegate/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size in the table, within the limits of the device. */
uint32_t workgroup_size(const struct device_limits *limits);

/* A free size as one number: x | y << 16. */
static inline uint32_t workgroup_code(uint32_t x, uint32_t y)
{
    return x | y << 16;
}
uint32_t workgroup_of(const struct plan_step *s);

/* Sets the size and the grid of a step.  False, with the step unchanged, if its size is not free or
 * the device does not allow the workgroup or the grid. */
bool workgroup_set(struct plan_step *s, uint32_t code, const struct device_limits *limits);

/* The sizes worth measuring for a step that the device allows; returns their number. */
enum { WORKGROUP_CANDIDATES = 32 };
int workgroup_candidates(const struct plan_step *s, const struct device_limits *limits,
                         uint32_t codes[WORKGROUP_CANDIDATES]);

/* Key of a measured size: a checksum of the step without its free size. */
uint64_t workgroup_key(const struct plan_step *s, bool half);

/* A measured workgroup size, as it is kept between processes: written to files, so no padding. */
struct workgroup_tuning {
    uint64_t key;  /* of a step: workgroup_key */
    uint32_t size; /* of its workgroup: workgroup_code */
    uint32_t zero;
};

/* Sets the measured sizes of the steps of a plan; entries that are no candidates are ignored. */
void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct workgroup_tuning *tuning, size_t count);

#endif
