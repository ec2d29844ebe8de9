#include "delegate/base/lock_order.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
#define LOCK(rank, name) [LOCK_RANK_##rank] = name,
#include "delegate/base/locks.def"
#undef LOCK
};

struct held {
    const void *lock;
    enum lock_rank rank;
    uint64_t serial;
};

/* The locks that this thread holds, in the order in which it has acquired them. */
static _Thread_local struct held held[LOCK_RANK_COUNT + 4];
static _Thread_local size_t held_count;

void lock_order_acquire(const void *lock, enum lock_rank rank, uint64_t serial)
{
    for (size_t i = 0; i < held_count; i++)
        if (held[i].rank > rank || (held[i].rank == rank && held[i].serial <= serial)) {
            fprintf(stderr,
                    "assay delegate: lock order: %s (serial %llu) acquired while %s (serial %llu) "
                    "is held\n",
                    names[rank], (unsigned long long)serial, names[held[i].rank],
                    (unsigned long long)held[i].serial);
            abort();
        }
    /* A thread holds one lock of each rank, but two of kernels, while one kernel reads from
     * another; the array has room for that. */
    if (held_count == sizeof held / sizeof held[0]) {
        fprintf(stderr, "assay delegate: lock order: %zu locks are held\n", held_count);
        abort();
    }
    held[held_count++] = (struct held){ lock, rank, serial };
}

void lock_order_release(const void *lock, enum lock_rank rank)
{
    size_t i = held_count;

    while (i > 0 && held[i - 1].lock != lock)
        i--;
    if (i == 0) {
        fprintf(stderr,
                "assay delegate: lock order: %s released by a thread that does not hold it\n",
                names[rank]);
        abort();
    }
    for (; i < held_count; i++)
        held[i - 1] = held[i];
    held_count--;
}
