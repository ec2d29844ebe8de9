/* A mutex with a rank.  locks.def says which lock a thread may acquire while it holds others.
 *
 * With ASSAY_LOCK_ORDER, which the Makefile defines in sanitizer builds, lock_acquire and
 * lock_release check that order; else they are pthread_mutex_lock and pthread_mutex_unlock. */
#ifndef ASSAY_DELEGATE_BASE_LOCK_H
#define ASSAY_DELEGATE_BASE_LOCK_H

#include "delegate/base/lock_order.h"

#include <pthread.h>
#include <stdint.h>

struct lock {
    pthread_mutex_t mutex;
    enum lock_rank rank;
    uint64_t serial; /* orders locks of the same rank: the larger is acquired first */
};

/* Initializes a static lock. */
#define LOCK_INITIALIZER(lock_rank)                                                                \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = (lock_rank)                                    \
    }

/* serial is 0 for a rank of which a thread never holds two locks. */
static inline void lock_init(struct lock *l, enum lock_rank rank, uint64_t serial)
{
    pthread_mutex_init(&l->mutex, NULL);
    l->rank = rank;
    l->serial = serial;
}

static inline void lock_destroy(struct lock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

static inline void lock_acquire(struct lock *l)
{
#ifdef ASSAY_LOCK_ORDER
    lock_order_acquire(l, l->rank, l->serial);
#endif
    pthread_mutex_lock(&l->mutex);
}

static inline void lock_release(struct lock *l)
{
#ifdef ASSAY_LOCK_ORDER
    lock_order_release(l, l->rank);
#endif
    pthread_mutex_unlock(&l->mutex);
}

#endif
