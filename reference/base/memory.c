#include "reference/base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_long made, refused;
static atomic_long allowed = -1; /* negative: no limit */

/* In bytes as malloc rounds them.  A block of one library that another one frees makes the other's
 * count negative: only the sum over the libraries of a process is a figure. */
static atomic_llong live, peak;

static void count(long long change)
{
    const long long now = atomic_fetch_add(&live, change) + change;
    long long most = atomic_load(&peak);

    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        ;
}

static bool may_allocate(void)
{
    const long n = atomic_fetch_add(&made, 1);
    const long limit = atomic_load(&allowed);

    return limit < 0 || n < limit;
}

void *mem_alloc(size_t elements, size_t size)
{
    void *block;

    if (size != 0 && elements > SIZE_MAX / size)
        return NULL; /* calloc checks the product too, but under ASan it aborts */
    if (elements == 0 || size == 0)
        elements = size = 1;
    if (!may_allocate() || !(block = calloc(elements, size))) {
        atomic_fetch_add(&refused, 1);
        return NULL;
    }
    count((long long)malloc_usable_size(block));
    return block;
}

void *mem_resize(void *block, size_t elements, size_t size)
{
    const long long before = block ? (long long)malloc_usable_size(block) : 0;
    void *moved;

    if (size != 0 && elements > SIZE_MAX / size)
        return NULL;
    if (elements == 0 || size == 0)
        elements = size = 1;
    if (!may_allocate() || !(moved = realloc(block, elements * size))) {
        atomic_fetch_add(&refused, 1);
        return NULL;
    }
    count((long long)malloc_usable_size(moved) - before);
    return moved;
}

void mem_free(void *block)
{
    if (block)
        count(-(long long)malloc_usable_size(block));
    free(block);
}

long long mem_live_bytes(void)
{
    return atomic_load(&live);
}

long long mem_peak_bytes(void)
{
    return atomic_load(&peak);
}

long mem_failures(void)
{
    return atomic_load(&refused);
}

long mem_fail_after(long after)
{
    atomic_store(&allowed, after);
    return atomic_exchange(&made, 0);
}
