/* Arenas: one for each lifetime (a model, a graph, a plan, a case).  An arena is freed as a whole,
 * nothing in it alone. */
#ifndef ASSAY_REFERENCE_BASE_ARENA_H
#define ASSAY_REFERENCE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* A zero-initialized arena is empty and ready. */
struct arena {
    struct arena_block *blocks;
    size_t bytes; /* handed out so far, for reports */
};

/* Zeroed memory for count elements of size bytes, aligned for any type; NULL when out of memory or
 * when the product does not fit.  Valid until arena_close.  Never NULL for a size of 0. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
#define ARENA_NEW(a, count, type) ((type *)arena_alloc((a), (count), sizeof(type)))

/* A copy of count elements of size bytes; of a string with its NUL.  NULL when out of memory. */
void *arena_copy(struct arena *a, const void *data, size_t count, size_t size);
char *arena_string(struct arena *a, const char *text);

/* Frees everything; the arena is empty and ready again. */
void arena_close(struct arena *a);

#endif
