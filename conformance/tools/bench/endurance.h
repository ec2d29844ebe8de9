/* Repeats starts and inferences of one model: memory must not grow, and bits must not change.
 *
 * Host memory is the process's resident set, which varies with the allocator and the kernel: it is
 * flat when the most of it in the last fifth lies at most 1 % and 512 KiB above the most in the
 * second fifth.  A page a start and a block of 32 bytes an inference, which is malloc's smallest,
 * are beyond that at the default counts.  Device memory, and its blocks, must be the same to the
 * byte. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_ENDURANCE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_ENDURANCE_H

#include "conformance/suite/judge/result.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENDURANCE_SAMPLES = 40 };

struct endurance_request {
    const char *model;    /* file; NULL: a small one of our own, of three nodes */
    const char *subject;  /* as subject_parse takes it; NULL: the delegate */
    const char *delegate; /* as subject_init takes them */
    struct string_list delegate_options;
    uint64_t seed;
    bool quiet;
    uint64_t starts, runs;
};

struct endurance_sample {
    uint64_t done;
    uint64_t rss_bytes;
    /* From assay_gpu_get_stats; 0 where the library lacks it. */
    uint64_t held_bytes, held_blocks, used_bytes;
};

struct endurance_series {
    uint64_t count;
    double seconds;
    struct endurance_sample samples[ENDURANCE_SAMPLES];
    size_t sample_count;
    bool same_bits; /* of the outputs, from first to last */
};

/* The verdict on a series. */
struct endurance_verdict {
    uint64_t rss_first, rss_last; /* the most in the second fifth, and in the last */
    uint64_t rss_allowed;         /* for rss_last */
    bool rss_flat, device_flat;
    uint64_t held_bytes, held_blocks, used_first, used_last;
};

struct endurance_result {
    /* CRASH, TIMEOUT: how the process that ran it ended; then nothing else is known. */
    enum case_status status;
    char reason[256];
    char *subject; /* label */
    char device[256];
    struct endurance_series starts, runs;
};

enum status endurance_run(struct endurance_result *r, const struct endurance_request *q,
                          struct diag *diag);
/* What is known of a run whose process ended. */
enum status endurance_end(struct endurance_result *r, const struct endurance_request *q,
                          enum case_status status, const char *reason, struct diag *diag);
void endurance_close(struct endurance_result *r);

struct endurance_verdict endurance_judge(const struct endurance_series *s);

#endif
