/* Offsets of tensors in the activation arena, from their lifetimes.  Plain data. */
#ifndef ASSAY_REFERENCE_RUNTIME_ARENA_OFFSETS_H
#define ASSAY_REFERENCE_RUNTIME_ARENA_OFFSETS_H

#include "reference/base/spans.h"
#include "reference/base/status.h"

#include <stddef.h>

/* Gives every tensor an offset such that tensors alive in one step do not overlap.  *total is the
 * size of the arena, *bound the largest sum of tensors alive in one step.  STATUS_NO_MEMORY when a
 * size does not fit a size_t, or there is no memory to plan in. */
enum status arena_assign_offsets(struct span *spans, size_t count, size_t *total, size_t *bound);

#endif
