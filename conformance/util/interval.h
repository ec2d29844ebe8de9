/* Confidence intervals of 95 % for the difference of two answers to the same images.  EVAL.md has
 * the arithmetic. */
#ifndef ASSAY_CONFORMANCE_UTIL_INTERVAL_H
#define ASSAY_CONFORMANCE_UTIL_INTERVAL_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high;
};

/* How often two answerers were right about the same images. */
struct interval_pairs {
    uint64_t both, first_only, second_only, neither;
};

/* Wilson's interval of a share, k of n; [0, 1] where n is 0. */
struct interval interval_wilson(uint64_t k, uint64_t n);
/* Of the first one's share less the second one's: Newcombe (1998), method 10, which is Wilson's
 * interval of both shares with their correlation. */
struct interval interval_paired(const struct interval_pairs *pairs);
/* Two-sided exact McNemar test: the probability of a split at least as uneven as that of
 * first_only and second_only, were both as good. */
double interval_mcnemar(const struct interval_pairs *pairs);

/* Differences of metrics where image i is taken weights[i] times; NaN where one is not defined. */
typedef void interval_measure_fn(void *user, const uint32_t *weights, double *differences);

enum { INTERVAL_METRICS_MAX = 8 };

struct interval_bootstrap {
    size_t images, metrics; /* metrics: at most INTERVAL_METRICS_MAX */
    uint64_t resamples, seed;
    bool quiet;
    interval_measure_fn *measure;
    void *user;
};
/* Percentiles 2.5 and 97.5 of the differences over resamples of the images, drawn with replacement.
 * out has room for the metrics; both ends are NaN where no resample defines the metric. */
enum status interval_bootstrap(const struct interval_bootstrap *b, struct interval *out,
                               struct diag *diag);

#endif
