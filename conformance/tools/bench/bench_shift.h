/* Whether one series of latencies is slower than another by more than noise.
 *
 * Latencies are skewed, have spikes, and neighbours resemble each other.  So a series is cut into
 * blocks of consecutive inferences, and the median of each block stands for it.  The ratio of two
 * series is Hodges and Lehmann's estimate, the median of all ratios of a block of one and a block
 * of the other; its interval are the ratios at the ranks that the Mann-Whitney statistic leaves
 * out, at 99 %.  The variance of the statistic is widened by (1 + r) / (1 - r), r being the
 * correlation of neighbouring blocks that is left.  Nothing is drawn at random.  BENCH.md has the
 * arithmetic. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SHIFT_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SHIFT_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    SHIFT_BLOCKS_MAX = 40,
    SHIFT_BLOCK_MIN = 5,    /* inferences of a block */
    SHIFT_BLOCKS_MIN = 6,   /* fewer cannot exclude a ratio of 1 at 99 % */
    SHIFT_PAIRS_MIN = 10,   /* ... of pairs */
    SHIFT_PAIRS_MAX = 1000, /* their averages are all computed */
    SHIFT_GROUPS_MAX = 6,   /* of pairs */
    SHIFT_SAMPLES_MIN = SHIFT_BLOCKS_MIN * SHIFT_BLOCK_MIN
};

struct bench_shift {
    double ratio;     /* new / old */
    double low, high; /* of 99 %; 0 and infinity where the blocks cannot say */
    size_t blocks[2]; /* of old and new; of pairs blocks[0] alone */
    double inflation; /* (1 + r) / (1 - r) */
};

/* Two series, each in the order in which it was taken, all positive; at least SHIFT_SAMPLES_MIN of
 * each, else STATUS_USAGE. */
enum status bench_shift_samples(const double *before, size_t before_count, const double *after,
                                size_t after_count, struct bench_shift *out, struct diag *diag);
/* The same where each value is independent of the others, such as times of starts: at least
 * SHIFT_BLOCKS_MIN of each. */
enum status bench_shift_values(const double *before, size_t before_count, const double *after,
                               size_t after_count, struct bench_shift *out, struct diag *diag);
/* Logarithms of ratios, each measured within a short time: Hodges and Lehmann's estimate of one
 * sample, with the interval of Wilcoxon's signed ranks.  SHIFT_PAIRS_MIN to SHIFT_PAIRS_MAX.
 * ends: how many there are up to the end of each group, none of which is empty; what groups of one
 * process differ by, no pair shows, and the interval is at least that of Student's t over groups.
 */
enum status bench_shift_pairs(const double *log_ratios, size_t count, const size_t *ends,
                              size_t groups, struct bench_shift *out, struct diag *diag);

enum bench_verdict {
    VERDICT_SAME,      /* no slowdown over the limit, and the interval excludes one */
    VERDICT_UNDECIDED, /* none is shown, but the interval reaches beyond the limit */
    VERDICT_SLOWER     /* the ratio is over 1 + limit, and the interval lies above 1 */
};
/* limit: 0.05 for 5 %. */
enum bench_verdict bench_shift_judge(const struct bench_shift *shift, double limit);

#endif
