/* The size of workgroups, where the shader leaves it free.
 *
 * A step of items (step_items) has size x: each item is computed alone.  A step of tiles
 * (step_tiles) has x columns by y runs; what z means is the shader's.  No bit of a result depends
 * on a free size.  It comes from a table by device class, or was measured (tune.h). */
#ifndef ASSAY_DELEGATE_PLAN_WORKGROUPS_H
#define ASSAY_DELEGATE_PLAN_WORKGROUPS_H

#include "delegate/base/device_limits.h"
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

/* A measured workgroup size, as it is kept between processes: written to files, so no padding. */
struct workgroup_tuning {
    uint64_t key;  /* of a step: workgroup_key */
    uint32_t size; /* of its workgroup: workgroup_code */
    uint32_t zero;
};

/* Gives the steps of a plan the sizes that were measured; what is no candidate is left alone. */
void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct workgroup_tuning *tuning, size_t count);

#endif
