/* The order of locks (locks.def), and its check, which sanitizer builds run. */
#ifndef ASSAY_DELEGATE_BASE_LOCK_ORDER_H
#define ASSAY_DELEGATE_BASE_LOCK_ORDER_H

#include <stdint.h>

enum lock_rank {
#define LOCK(rank, name) LOCK_RANK_##rank,
#include "delegate/base/locks.def"
#undef LOCK
    LOCK_RANK_COUNT
};

/* A thread calls these before it acquires a lock, and before it releases one.  They abort, with
 * the names of the locks on stderr, when the order forbids it, or the lock is not held. */
void lock_order_acquire(const void *lock, enum lock_rank rank, uint64_t serial);
void lock_order_release(const void *lock, enum lock_rank rank);

#endif
