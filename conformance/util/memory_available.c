/* Reads what the kernel and the address space limit say. */
#include "conformance/util/memory_available.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

/* MemAvailable counts caches that the kernel would give up. */
static uint64_t from_kernel(void)
{
    FILE *const f = fopen("/proc/meminfo", "r");
    uint64_t kilobytes = 0;
    char line[256];

    if (!f)
        return 0;
    while (kilobytes == 0 && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kilobytes) != 1)
            kilobytes = 0;
    }
    fclose(f);
    return kilobytes * 1024;
}

uint64_t memory_available_bytes(void)
{
    const uint64_t kernel = from_kernel();
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (kernel == 0 || limit.rlim_cur < kernel))
        return limit.rlim_cur;
    return kernel;
}
