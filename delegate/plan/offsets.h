/* Offsets of tensors in one arena: tensors whose lifetimes do not overlap may share memory. */
#ifndef ASSAY_DELEGATE_PLAN_OFFSETS_H
#define ASSAY_DELEGATE_PLAN_OFFSETS_H

#include "reference/base/spans.h"

/* Sets the offsets of all spans and returns the size of the arena; *ok is false when out of memory
 * or when sizes overflow.
 *
 * A heuristic search, deterministic: spans are placed one after the other, each into the lowest gap
 * that holds it.  Starting from several orders (by size, area, lifetime, begin), the span that sets
 * the peak is moved to the front and all are placed again; then the best order is changed by small
 * random moves.  The search ends at spans_bound, or after a number of rounds. */
size_t offsets_assign(struct span *spans, size_t count, bool *ok);

#endif
