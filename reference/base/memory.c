#include "reference/base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_long made;
static atomic_long allowed = -1; /* negative: no limit */

static bool may_allocate(void)
{
    const long n = atomic_fetch_add(&made, 1);
    const long limit = atomic_load(&allowed);

    return limit < 0 || n < limit;
}

void *mem_alloc(size_t count, size_t size)
{
    if (!may_allocate() || (size != 0 && count > SIZE_MAX / size))
        return NULL; /* calloc checks the product too, but under ASan it aborts */
    if (count == 0 || size == 0)
        count = size = 1;
    return calloc(count, size);
}

void *mem_resize(void *block, size_t count, size_t size)
{
    if (!may_allocate() || (size != 0 && count > SIZE_MAX / size))
        return NULL;
    if (count == 0 || size == 0)
        count = size = 1;
    return realloc(block, count * size);
}

void mem_free(void *block)
{
    free(block);
}

long mem_fail_after(long after)
{
    atomic_store(&allowed, after);
    return atomic_exchange(&made, 0);
}
