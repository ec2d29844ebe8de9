/* Offsets in one arena from lifetimes: tensors that are never live together may share memory. */
#ifndef ASSAY_DELEGATE_PLAN_OFFSETS_H
#define ASSAY_DELEGATE_PLAN_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    size_t bytes;    /* a multiple of the alignment */
    int first, last; /* steps at which it is live, both inclusive */
    size_t offset;   /* out */
};

/* Gives every span its offset and returns the end of the highest; *ok false when out of memory or
 * when sizes do not fit.  Each is placed in the lowest gap that holds it, the largest first; then
 * the one that sets the peak is moved to the front of the order and all are placed again, some
 * rounds; the same from other orders, and with small moves of the best one, until the bound is
 * reached or the rounds are used up.  The same spans give the same offsets. */
size_t offsets_assign(struct span *spans, size_t count, bool *ok);

/* The largest sum of bytes live at one step: no plan can be smaller. */
size_t offsets_bound(const struct span *spans, size_t count);

#endif
