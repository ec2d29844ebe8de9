/* A measurement beside an earlier one, which is a JSON report of `assay bench`. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_COMPARE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_COMPARE_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_baseline {
    const char *path;
    json_t *root;
    double *samples; /* latency_ms.samples */
    size_t sample_count;
    double starts[BENCH_WARM_STARTS];
    size_t start_count; /* 0: none were measured */
};

/* STATUS_IO or STATUS_USAGE for what is no report with samples, or is of another model than the
 * file `model`. */
enum status bench_baseline_open(struct bench_baseline *b, const char *path, const char *model,
                                struct diag *diag);
void bench_baseline_close(struct bench_baseline *b);

enum { COMPARE_SIZES = 3, COMPARE_NOTES = 8, COMPARE_NOTE_BYTES = 512 };

struct bench_size {
    const char *name; /* a key of memory_bytes */
    bool known;       /* in both */
    uint64_t before, after, allowed;
};

struct bench_comparison {
    const char *path;
    double limit; /* 0.05: 5 % */
    double median_before, median_after;
    struct bench_shift latency, init;
    bool has_init;
    enum bench_verdict latency_verdict, init_verdict;
    struct bench_size sizes[COMPARE_SIZES];
    /* What was not the same: another device, other options, another version. */
    char notes[COMPARE_NOTES][COMPARE_NOTE_BYTES];
    size_t note_count;
    bool failed;
};

/* STATUS_USAGE where there are too few samples, or the inputs have other shapes. */
enum status bench_compare(struct bench_comparison *c, const struct bench_baseline *b,
                          const struct bench_result *r, double limit, struct diag *diag);
bool bench_size_grew(const struct bench_size *s);

#endif
