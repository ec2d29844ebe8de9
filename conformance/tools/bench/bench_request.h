/* What `assay bench` is to time. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_REQUEST_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_REQUEST_H

#include "conformance/suite/io/model_use.h"
#include "conformance/tools/bench/bench_inputs.h"
#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stdint.h>

struct bench_request {
    const char *model;
    const struct interpreter_stand_in *stand_in; /* runs nodes that the reference lacks, or NULL */
    const struct model_use *use; /* what of it is run, for the report; may be NULL */
    const char *subject;         /* as subject_parse takes it; NULL: a delegate and its options */
    const char *delegate;        /* as subject_init takes them */
    struct string_list delegate_options;
    const char *versus; /* another subject, run in turns with the first; NULL: none */
    uint64_t seed;
    bool quiet;
    /* Inferences are repeated until there are `runs` of them and they took min_secs, or took
     * max_secs.
     */
    uint64_t runs, warmup_runs;
    double min_secs, max_secs, warmup_min_secs;
    /* Seconds between the end of an inference and the start of the next; inferences a second, where
     * that is over 0. */
    double run_delay, run_frequency;
    uint64_t threads;     /* interpreters that run at the same time; 0: no such pass */
    uint64_t num_threads; /* recommended to kernels; 0: their own choice */
    struct bench_inputs inputs;
    bool profile;             /* a second pass with time stamps of each step */
    bool roofline;            /* and the device's limits beside them; needs profile */
    bool starts;              /* also time starts in other processes: see bench.h */
    bool serve;               /* inferences when stdin asks: see bench.h, nothing else */
    bool dry_run;             /* no inference */
    bool no_check;            /* outputs are not compared with the reference's */
    const char *outputs_path; /* raw bytes of all outputs go there; NULL: nowhere */
};

#endif
