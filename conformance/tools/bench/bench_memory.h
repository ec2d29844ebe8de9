/* Host memory of the process, split into ours and what came with the delegate's driver.
 *
 * Ours is what the program and the delegate take from their allocator (reference/base/memory.h), by
 * count, and the pages of their own files.  The driver's is, by /proc/self/smaps, pages of files
 * that were mapped after the first look, and pages of no file (heap, stacks, what drivers map) that
 * came since, less what is ours.  BENCH.md says what each number does not see. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_MEMORY_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_MEMORY_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is mapped at one time. */
struct bench_pages {
    char **files; /* paths, in no order */
    size_t file_count;
    uint64_t anonymous_bytes; /* resident pages of no file, private copies included */
    long long counted_bytes;  /* mem_live_bytes */
};

struct bench_memory {
    bool known;
    uint64_t peak_bytes;        /* the most pages that were resident at once: VmHWM */
    uint64_t ours_bytes;        /* the most that was allocated, and resident pages of own files */
    uint64_t driver_bytes;      /* resident at the end */
    uint64_t rest_bytes;        /* peak - ours - driver; 0 where these are more */
    uint64_t program_bytes;     /* of ours: allocated by the program, at the most */
    uint64_t delegate_bytes;    /* of ours: allocated by the delegate, at the most */
    uint64_t own_file_bytes;    /* of ours: pages of the program's and the delegate's files */
    uint64_t driver_file_bytes; /* of the driver's: pages of libraries and other files */
    bool delegate_known;        /* the library tells what it allocated */
    bool delegate_silent;       /* ... or does not: then that counts as the driver's */
};

/* The first look, before a delegate is loaded. */
enum status bench_pages_read(struct bench_pages *p, struct diag *diag);
void bench_pages_close(struct bench_pages *p);

/* The second.  delegate: path of its library, or NULL; delegate_live, delegate_peak: what it says
 * of its allocations, negative where it says nothing.  Where there is no /proc, known is false. */
void bench_memory_read(struct bench_memory *m, const struct bench_pages *before,
                       const char *delegate, long long delegate_live, long long delegate_peak);

#endif
