/* What each step of a profile reaches of the device's measured limits (Williams, Waterman and
 * Patterson, "Roofline", 2009).
 *
 * A step moves its inputs, weights and outputs at least once, and computes its multiply-adds; a
 * dispatch with its barrier takes the floor even when it is empty.  The longest of these is the
 * least time that the step could take on that device: its limit, and what it is bound by. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_ROOFLINE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_ROOFLINE_H

#include "conformance/tools/bench/bench_result.h"

#include <jansson.h>
#include <stdio.h>

enum roofline_bound { BOUND_FLOOR, BOUND_MEMORY, BOUND_HOST, BOUND_COMPUTE, BOUND_COUNT };

struct roofline_limit {
    double us[BOUND_COUNT]; /* the least time by each; 0 where the rate is not known */
    enum roofline_bound bound;
    double least_us; /* the largest of them */
};

/* What the device moves in a microsecond where a step touches so many bytes: the best rate that was
 * measured with at least as many, since caches hold them no better; 0: not known. */
double roofline_memory_rate(const struct assay_gpu_peaks *peaks, double bytes);
struct roofline_limit roofline_limit_of(const struct assay_gpu_peaks *peaks,
                                        const struct bench_step *step);
const char *roofline_bound_name(enum roofline_bound bound);

void roofline_print_peaks(FILE *f, const struct assay_gpu_peaks *peaks);
json_t *roofline_peaks_json(const struct assay_gpu_peaks *peaks);
void roofline_print_text(FILE *f, const struct bench_result *r);
json_t *roofline_json(const struct bench_result *r); /* null: not measured */

#endif
