#include "delegate/base/huge_pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum {
    HUGE = 2 << 20
}; /* of x86-64 and of arm64 with pages of 4 KiB; elsewhere it asks for less */

void huge_pages_ask(void *block, size_t bytes)
{
    const size_t skipped = (HUGE - (uintptr_t)block % HUGE) % HUGE;
    const int before = errno;

    if (bytes < skipped + HUGE)
        return;
    (void)madvise((char *)block + skipped, (bytes - skipped) / HUGE * HUGE, MADV_HUGEPAGE);
    errno = before;
}
