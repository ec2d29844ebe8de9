#include "conformance/tools/bench/bench_shift.h"

#include "conformance/tools/bench/bench_series.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The 99.5th percentile of the normal distribution: 99 % lie between it and its negative. */
static const double z99 = 2.5758293035489004;
/* Beyond this correlation the blocks say nothing; 0.8 widens the variance by 9. */
static const double correlation_max = 0.8;

static double median_of_sorted(const double *x, size_t count)
{
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

/* ---- correlation ---- */

/* Of neighbours, between 0 and correlation_max.  The estimate of n values that are independent has
 * the mean -1/n for each mean that was taken from them, which is added back, and the standard
 * deviation 1/sqrt(n): only what exceeds that is taken for correlation, as 10 blocks would else
 * seem correlated half of the time. */
static double correlation(const double *x, size_t count, size_t means)
{
    double mean = 0, variance = 0, covariance = 0, r;

    for (size_t i = 0; i < count; i++)
        mean += x[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        variance += (x[i] - mean) * (x[i] - mean);
        if (i > 0)
            covariance += (x[i] - mean) * (x[i - 1] - mean);
    }
    if (variance <= 1e-20 * (double)count) /* all equal, but for the rounding of the mean */
        return 0;
    r = covariance / variance + (double)means / (double)count - 1 / sqrt((double)count);
    return r < 0 ? 0 : r > correlation_max ? correlation_max : r;
}

static double inflation(double r)
{
    return (1 + r) / (1 - r);
}

/* ---- intervals ---- */

/* sorted: the ratios, as logarithms; expected and variance: of the statistic that counts them.  The
 * interval leaves out so many on either side as the statistic reaches in half a percent. */
static void set_interval(struct bench_shift *out, const double *sorted, size_t count,
                         double expected, double variance)
{
    const double rank = expected - z99 * sqrt(variance * out->inflation);
    const size_t k = rank > 0 ? (size_t)rank : 0;

    out->ratio = exp(median_of_sorted(sorted, count));
    out->low = k > 0 ? exp(sorted[k - 1]) : 0;
    out->high = k > 0 ? exp(sorted[count - k]) : INFINITY;
}

/* From the logarithms of blocks. */
static enum status compare(const double *before, size_t m, const double *after, size_t n,
                           struct bench_shift *out, struct diag *diag)
{
    double *const all = mem_alloc(m * n, sizeof *all);

    if (!all)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu ratios: out of memory", m * n);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            all[i * n + j] = after[j] - before[i];
    }
    bench_sort(all, m * n);
    out->blocks[0] = m;
    out->blocks[1] = n;
    set_interval(out, all, m * n, (double)(m * n) / 2, (double)(m * n) * (double)(m + n + 1) / 12);
    mem_free(all);
    return STATUS_OK;
}

/* ---- blocks ---- */

/* Writes the logarithms of the medians of blocks of equal size (those in front have one more where
 * it does not divide), and returns how many. */
static enum status cut(const double *samples, size_t count, double *blocks, size_t *block_count,
                       struct diag *diag)
{
    const size_t n =
        count / SHIFT_BLOCK_MIN < SHIFT_BLOCKS_MAX ? count / SHIFT_BLOCK_MIN : SHIFT_BLOCKS_MAX;
    double *const copy = mem_alloc(count / n + 1, sizeof *copy);

    if (!copy)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu samples: out of memory", count);
    for (size_t b = 0; b < n; b++) {
        const size_t first = b * count / n, size = (b + 1) * count / n - first;

        for (size_t i = 0; i < size; i++)
            copy[i] = samples[first + i];
        bench_sort(copy, size);
        blocks[b] = log(median_of_sorted(copy, size));
    }
    *block_count = n;
    mem_free(copy);
    return STATUS_OK;
}

enum status bench_shift_samples(const double *before, size_t before_count, const double *after,
                                size_t after_count, struct bench_shift *out, struct diag *diag)
{
    double x[SHIFT_BLOCKS_MAX], y[SHIFT_BLOCKS_MAX];
    double rx, ry;
    size_t m, n;

    if (before_count < SHIFT_SAMPLES_MIN || after_count < SHIFT_SAMPLES_MIN)
        return diag_fail(diag, STATUS_USAGE,
                         "found %zu and %zu inferences, expected at least %d of each: see "
                         "--num_runs",
                         before_count, after_count, SHIFT_SAMPLES_MIN);
    TRY(cut(before, before_count, x, &m, diag));
    TRY(cut(after, after_count, y, &n, diag));
    rx = correlation(x, m, 1);
    ry = correlation(y, n, 1);
    *out = (struct bench_shift){ .inflation = inflation(rx > ry ? rx : ry) };
    return compare(x, m, y, n, out, diag);
}

enum status bench_shift_values(const double *before, size_t before_count, const double *after,
                               size_t after_count, struct bench_shift *out, struct diag *diag)
{
    double x[SHIFT_BLOCKS_MAX], y[SHIFT_BLOCKS_MAX];

    if (before_count < SHIFT_BLOCKS_MIN || after_count < SHIFT_BLOCKS_MIN)
        return diag_fail(diag, STATUS_USAGE, "found %zu and %zu values, expected at least %d",
                         before_count, after_count, SHIFT_BLOCKS_MIN);
    before_count = before_count < SHIFT_BLOCKS_MAX ? before_count : SHIFT_BLOCKS_MAX;
    after_count = after_count < SHIFT_BLOCKS_MAX ? after_count : SHIFT_BLOCKS_MAX;
    for (size_t i = 0; i < before_count; i++)
        x[i] = log(before[i]);
    for (size_t i = 0; i < after_count; i++)
        y[i] = log(after[i]);
    *out = (struct bench_shift){ .inflation = 1 };
    return compare(x, before_count, y, after_count, out, diag);
}

/* ---- pairs ---- */

/* All averages of two values, sorted; returns how many. */
static size_t average_pairs(const double *x, size_t count, double *all)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++)
            all[used++] = (x[i] + x[j]) / 2;
    }
    bench_sort(all, used);
    return used;
}

/* What a pair of processes has in common is no correlation of its rounds: widen_by_groups judges
 * it. */
static double correlation_in_groups(const double *x, size_t count, const size_t *ends,
                                    size_t groups)
{
    double within[SHIFT_PAIRS_MAX];

    for (size_t g = 0, i = 0; g < groups; g++) {
        const size_t first = i;
        double mean = 0;

        for (; i < ends[g]; i++)
            mean += x[i] / (double)(ends[g] - first);
        for (i = first; i < ends[g]; i++)
            within[i] = x[i] - mean;
    }
    return correlation(within, count, groups);
}

/* all: room for the averages of the largest group. */
static void widen_by_groups(const double *x, const size_t *ends, size_t groups, double *all,
                            struct bench_shift *out)
{
    /* The quantile 0.995 of Student's t with 1 to SHIFT_GROUPS_MAX - 1 degrees of freedom. */
    static const double t995[SHIFT_GROUPS_MAX - 1] = { 63.657, 9.925, 5.841, 4.604, 4.032 };
    const double n = (double)groups;
    double of[SHIFT_GROUPS_MAX], mean = 0, squares = 0, half;

    if (groups < 2)
        return;
    for (size_t g = 0; g < groups; g++) {
        const size_t first = g > 0 ? ends[g - 1] : 0;

        of[g] = median_of_sorted(all, average_pairs(x + first, ends[g] - first, all));
        mean += of[g] / n;
    }
    for (size_t g = 0; g < groups; g++)
        squares += (of[g] - mean) * (of[g] - mean);
    half = t995[groups - 2] * sqrt(squares / (n - 1) / n);
    out->low = fmin(out->low, exp(mean - half));
    out->high = fmax(out->high, exp(mean + half));
}

enum status bench_shift_pairs(const double *log_ratios, size_t count, const size_t *ends,
                              size_t groups, struct bench_shift *out, struct diag *diag)
{
    const size_t averages = count * (count + 1) / 2;
    const double n = (double)count;
    double *all;

    if (count < SHIFT_PAIRS_MIN || count > SHIFT_PAIRS_MAX)
        return diag_fail(diag, STATUS_USAGE, "found %zu pairs, expected %d to %d", count,
                         SHIFT_PAIRS_MIN, SHIFT_PAIRS_MAX);
    if (!(all = mem_alloc(averages, sizeof *all)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu pairs: out of memory", count);
    average_pairs(log_ratios, count, all);
    *out = (struct bench_shift){ .blocks = { count, 0 },
                                 .inflation = inflation(
                                     correlation_in_groups(log_ratios, count, ends, groups)) };
    set_interval(out, all, averages, n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24);
    widen_by_groups(log_ratios, ends, groups, all, out);
    mem_free(all);
    return STATUS_OK;
}

enum bench_verdict bench_shift_judge(const struct bench_shift *shift, double limit)
{
    if (shift->ratio > 1 + limit && shift->low > 1)
        return VERDICT_SLOWER;
    return shift->high > 1 + limit ? VERDICT_UNDECIDED : VERDICT_SAME;
}
