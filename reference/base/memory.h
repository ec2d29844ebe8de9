/* Host memory.  Every allocation of the libraries goes through these functions, so that a test can
 * make the n-th one fail for each n. */
#ifndef ASSAY_REFERENCE_BASE_MEMORY_H
#define ASSAY_REFERENCE_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for count elements of size bytes; NULL when out of memory or the product does not
 * fit.  Never NULL for a size of 0.  Freed with mem_free; blocks from mem_alloc may also be freed
 * with free(), as the delegate ABI demands of the arrays whose ownership passes to the runtime. */
void *mem_alloc(size_t count, size_t size);
/* As realloc: the first min(old, new) bytes are kept, the rest is not zeroed. */
void *mem_resize(void *block, size_t count, size_t size);
void mem_free(void *block);

/* Bytes that these functions have given out and not yet taken back, and the most that were out at
 * once.  A block that is freed with free() stays counted. */
long long mem_live_bytes(void);
long long mem_peak_bytes(void);

/* How many allocations the system, or mem_fail_after, has refused. */
long mem_failures(void);

/* For tests: the next `after` allocations succeed, and all later ones fail, until this is called
 * with a negative number.  Returns how many allocations were made since the last call. */
long mem_fail_after(long after);

#endif
