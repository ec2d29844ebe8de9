/* The figures of `assay bench`: plain data. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_RESULT_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_RESULT_H

#include "conformance/suite/judge/result.h"
#include "conformance/tools/bench/bench_memory.h"
#include "conformance/tools/bench/bench_series.h"
#include "conformance/tools/bench/bench_shift.h"

#include "assay_gpu.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_LABEL_BYTES = 1024, BENCH_WARM_STARTS = SHIFT_BLOCKS_MIN };

struct bench_step {
    char *label, *source;
    char shader[48];
    int node;
    double mean_us;
    uint32_t workgroup[3];
    bool tuned;
    /* What it moves at least: activations and weights on the device, inputs and outputs in memory
     * of the host.  Operations: a multiply-add is two. */
    double device_bytes, host_read_bytes, host_written_bytes, operations;
    int arithmetic; /* enum assay_gpu_arithmetic */
    bool idle;      /* it is not dispatched */
};

struct bench_start {
    bool known;
    double init_ms, first_ms;
    /* From assay_gpu_get_stats: the delegate's own part of init, and that of creating VkInstance
     * and VkDevice. */
    bool has_parts;
    double own_ms, instance_ms, device_ms;
    double enumerate_ms, plan_ms, serialize_ms, upload_ms, pipelines_ms; /* of own_ms */
    double driver_ms; /* of own_ms: waited for the driver, which may overlap with the parts */
    int serialized_found, serialized_written, serialized_failed;
    uint64_t serialized_bytes;
    long driver_files; /* files that the driver left in its cache directory, which was empty */
};

/* Outputs beside the reference's. */
enum bench_checked_state { BENCH_NOT_CHECKED, BENCH_RIGHT, BENCH_WRONG };
struct bench_checked {
    enum bench_checked_state state;
    char why[224];    /* why not, or what is wrong */
    double snr_db;    /* the lowest of all outputs; infinite where all are equal */
    bool conditioned; /* right as an ill-conditioned one (TOLERANCES.md 10) */
};

/* Several interpreters at the same time, each in a thread and with a delegate of its own. */
struct bench_throughput {
    size_t threads; /* 0: not measured */
    size_t inferences;
    double seconds;
    struct bench_series *latency_ms; /* of each thread */
    struct bench_checked checked;    /* of the first thread that is wrong, else of the last */
};

/* Two subjects in turns. */
struct bench_versus {
    bool known;
    char subject[BENCH_LABEL_BYTES], device[256]; /* of the other one */
    char sha256[65];
    struct bench_series latency_ms[2]; /* of the subject, and of the other one */
    struct bench_shift shift;          /* subject / other one */
    size_t block_inferences, process_pairs;
    struct bench_checked checked[2];
};

struct bench_result {
    /* CRASH, TIMEOUT: how the process that measured ended, or one of those of starts. */
    enum case_status status;
    char reason[256];
    char *subject; /* label */
    char *spec;    /* as --subject takes it; NULL: too long */
    char subject_sha256[65];
    char model_sha256[65];
    char device[256];
    char input_shapes[512]; /* "1,224,224,3:1,10" */
    char *use_text;         /* what model_use_print says; NULL: out of memory */
    json_t *use_json;       /* and model_use_json */
    struct bench_checked checked;
    size_t nodes, taken;
    int partitions;
    /* Creating the delegate (which opens the device), and preparing the graph with it. */
    double create_ms, prepare_ms;
    double first_ms;
    struct bench_series latency_ms; /* n is 0 after a dry run */
    double device_ms;               /* median of the profiled inferences; 0: not known */
    size_t step_count;
    struct bench_step *steps;
    bool has_peaks; /* of the device, for bench_roofline.h */
    struct assay_gpu_peaks peaks;
    bool has_memory; /* of the device */
    uint64_t constant_bytes, activation_bytes, activation_bound, staging_bytes;
    int dispatches, barriers;
    int tuned_steps; /* steps whose workgroup was tuned (tune=1), now or at an earlier start */
    double tune_ms;
    /* What an inference copies to the device and back, and what the nodes left to the CPU take of
     * its time (with all that the runtime does between partitions). */
    bool has_split;
    uint64_t copied_in_bytes, copied_out_bytes;
    double host_copies, device_copies;
    double cpu_ms;
    struct bench_memory host; /* of the process */
    struct bench_start cold, warm;
    double warm_init_ms[BENCH_WARM_STARTS]; /* of warm starts, in order */
    size_t warm_count;
    struct bench_start serialized[2]; /* the first start, and a second one with its files */
    struct bench_throughput throughput;
    struct bench_versus versus;
};

#endif
