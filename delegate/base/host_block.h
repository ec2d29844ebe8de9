/* Whole pages of host memory with references, which a device may read and write where its driver
 * imports host memory.  The pages stay where they are until the last reference is gone. */
#ifndef ASSAY_DELEGATE_BASE_HOST_BLOCK_H
#define ASSAY_DELEGATE_BASE_HOST_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>

struct host_block {
    const void *maker; /* this library: other memory with the same type of buffer lacks it */
    atomic_int users;
    void *data;
    size_t bytes; /* whole pages */
};

/* Zeroed memory of at least `bytes` bytes, with one reference; NULL: out of memory. */
struct host_block *host_block_make(size_t bytes);
/* Whether the pointer is a block of this library, and not one of a second copy of it. */
int host_block_is_ours(const struct host_block *b);
void host_block_hold(struct host_block *b);
/* Takes NULL. */
void host_block_release(struct host_block *b);

#endif
