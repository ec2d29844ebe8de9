/* What `assay bench` is to time. */
#ifndef ASSAY_CONFORMANCE_BENCH_BENCH_REQUEST_H
#define ASSAY_CONFORMANCE_BENCH_BENCH_REQUEST_H

#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stdint.h>

struct bench_request {
    const char *model;
    const char *delegate; /* as subject_init takes them */
    struct string_list delegate_options;
    uint64_t seed;
    bool quiet;
    /* Inferences are repeated until there are `runs` of them and they took min_secs, or took
     * max_secs.
     */
    uint64_t runs, warmup_runs;
    double min_secs, max_secs, warmup_min_secs;
    bool profile; /* a second pass with time stamps of each step */
    bool starts;  /* also time starts in other processes: see bench_starts.h */
};

#endif
