/* Memory with lifetimes: spans whose lifetimes do not overlap may share memory. */
#ifndef ASSAY_REFERENCE_BASE_SPANS_H
#define ASSAY_REFERENCE_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    size_t bytes;    /* a multiple of the alignment */
    int first, last; /* lifetime: the first and the last step that use it */
    size_t offset;   /* result */
};

/* The largest sum of bytes live at one step: no arena can be smaller.  SIZE_MAX: it overflows, or
 * there is no memory to compute it. */
size_t spans_bound(const struct span *spans, size_t count);

/* What placing spans needs; the lifetimes must not change while it is open. */
struct spans_placer {
    struct span *spans;
    size_t count;
    size_t *placed;            /* indices in the order of offsets; NULL of too many */
    struct spans_index *index; /* for a search in less than quadratic time; NULL of few */
};

/* False: out of memory, and nothing is open. */
bool spans_placer_open(struct spans_placer *p, struct span *spans, size_t count);
void spans_placer_close(struct spans_placer *p);

/* Places spans in the given order, each into the lowest gap that holds it, and returns the peak;
 * SIZE_MAX: it overflows.
 *
 * That is exact for up to SPANS_EXACT spans.  Of more, one that lives together with many placed
 * ones is put above them all once the search for gaps has looked at some millions. */
enum { SPANS_EXACT = 16384 };
size_t spans_place(struct spans_placer *p, const size_t *order);

#endif
