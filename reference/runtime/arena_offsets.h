/* Offsets of tensors in the activation arena, from their lifetimes.  Plain data. */
#ifndef ASSAY_REFERENCE_RUNTIME_ARENA_OFFSETS_H
#define ASSAY_REFERENCE_RUNTIME_ARENA_OFFSETS_H

#include "reference/base/status.h"

#include <stddef.h>

/* A tensor of the arena, alive in the steps first..last, both included. */
struct arena_item {
    size_t bytes; /* a multiple of the alignment */
    int first, last;
    size_t offset; /* result */
};

/* Gives every item an offset such that items alive in one step do not overlap.  *total is the size
 * of the arena, *bound the largest sum of items alive in one step.  STATUS_NO_MEMORY when a size
 * does not fit a size_t, or there is no memory to plan in. */
enum status arena_assign_offsets(struct arena_item *items, size_t count, size_t *total,
                                 size_t *bound);

#endif
