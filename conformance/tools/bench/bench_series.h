/* Latencies in the order in which they were measured, and their figures. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SERIES_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SERIES_H

#include "reference/base/diag.h"

#include <stddef.h>

/* Of more latencies than this every second one is kept, or every third, and so on: so many that
 * they fit.  The figures are of all of them. */
enum { SERIES_SAMPLES_MAX = 10000 };

struct bench_series {
    double mean, median, p10, p90, std, min, max; /* in ms */
    size_t n;
    double *samples; /* in order */
    size_t sample_count;
    size_t every; /* samples[i] is latency i * every */
};

/* Copies; count > 0. */
enum status bench_series_make(struct bench_series *s, const double *ms, size_t count,
                              struct diag *diag);
void bench_series_close(struct bench_series *s);

/* The quantile of count ascending values, linearly interpolated; share within [0, 1]. */
double bench_quantile(const double *sorted, size_t count, double share);
void bench_sort(double *values, size_t count);

/* A list of latencies that grows. */
struct bench_list {
    double *ms;
    size_t count, room;
};
enum status bench_list_add(struct bench_list *list, double ms, struct diag *diag);
void bench_list_close(struct bench_list *list);

#endif
