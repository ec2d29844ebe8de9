/* Rank tests on logarithms of ratios of times. */
#include "conformance/report/record/times.h"

#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 512 };

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static int compare_magnitudes(const void *x, const void *y)
{
    const double a = fabs(*(const double *)x), b = fabs(*(const double *)y);

    return (a > b) - (a < b);
}

/* Sorts the values. */
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

enum status times_centre(const double *values, size_t count, double *centre, struct diag *diag)
{
    const bool paired = count <= PAIRS_MAX;
    const size_t all = paired ? count * (count + 1) / 2 : count;
    double *const means = mem_alloc(all ? all : 1, sizeof *means);
    size_t k = 0;

    *centre = NAN;
    if (!means)
        return diag_fail(diag, STATUS_NO_MEMORY, "times: out of memory");
    if (!paired)
        memcpy(means, values, count * sizeof *means);
    for (size_t i = 0; i < count && paired; i++) {
        for (size_t j = i; j < count; j++)
            means[k++] = (values[i] + values[j]) / 2;
    }
    if (count > 0)
        *centre = median(means, all);
    mem_free(means);
    return STATUS_OK;
}

double times_wilcoxon(const double *values, size_t count)
{
    double *const sorted = mem_alloc(count ? count : 1, sizeof *sorted);
    double positive = 0, variance = 0, mean, n;
    size_t used = 0, end;

    if (!sorted) /* nothing can be said */
        return 1;
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0)
            sorted[used++] = values[i];
    }
    qsort(sorted, used, sizeof *sorted, compare_magnitudes);
    for (size_t i = 0; i < used; i = end) {
        double rank, ties;

        for (end = i + 1; end < used && fabs(sorted[end]) == fabs(sorted[i]);)
            end++;
        rank = (double)(i + 1 + end) / 2;
        ties = (double)(end - i);
        for (size_t k = i; k < end; k++)
            positive += sorted[k] > 0 ? rank : 0;
        variance -= ties * (ties * ties - 1) / 48;
    }
    mem_free(sorted);
    n = (double)used;
    mean = n * (n + 1) / 4;
    variance += n * (n + 1) * (2 * n + 1) / 24;
    return variance > 0 ? erfc((positive - mean - 0.5) / sqrt(2 * variance)) / 2 : 1;
}

/* With 2m degrees of freedom, A(t) = sin(a) * (1 + sum of (1*3*..(2k-1))/(2*4*..2k) cos(a)^2k) for
 * k < m, where tan(a) = t / sqrt(2m), is the probability of |T| <= t (Abramowitz and
 * Stegun 26.7.4).
 */
double times_student(double t)
{
    const double a = atan(fabs(t) / sqrt(TIMES_TAIL)), c = cos(a) * cos(a);
    double term = 1, sum = 1, tail;

    for (int k = 1; k < TIMES_TAIL / 2; k++) {
        term *= c * (2 * k - 1) / (2 * k);
        sum += term;
    }
    /* Far out, the difference from 1 has no digits left; nothing so small is asked for. */
    tail = (1 - sin(a) * sum) / 2;
    tail = tail > 0 ? tail : 0;
    return t < 0 ? 1 - tail : tail;
}

/* ---- lines ---- */

static bool is_line(const struct times_line *l)
{
    return l->count >= TIMES_CASES;
}

static enum status take_common_out(struct times_line *lines, size_t count, struct times_run *run,
                                   struct diag *diag)
{
    size_t all = 0, k = 0;
    double *values;

    for (size_t i = 0; i < count; i++)
        all += lines[i].count;
    run->common = NAN;
    if (all == 0)
        return STATUS_OK;
    if (!(values = mem_alloc(all, sizeof *values)))
        return diag_fail(diag, STATUS_NO_MEMORY, "times: out of memory");
    for (size_t i = 0; i < count; i++) {
        if (lines[i].count)
            memcpy(values + k, lines[i].logs, lines[i].count * sizeof *values);
        k += lines[i].count;
    }
    run->common = median(values, all);
    mem_free(values);
    for (size_t i = 0; i < count; i++) {
        for (k = 0; k < lines[i].count; k++)
            lines[i].logs[k] -= run->common;
    }
    return STATUS_OK;
}

/* The scale of Student's distribution that has the shifts of so many lines within it, for each of
 * three shares; the largest counts, as a few lines may scatter far more than most. */
static double scale_of(double *magnitudes, size_t count)
{
    static const struct {
        double share, t; /* that share of |T| is at most t */
    } at[] = { { 0.5, 0.7176 }, { 0.8, 1.4398 }, { 0.9, 1.9432 } };
    double largest = 0;

    qsort(magnitudes, count, sizeof *magnitudes, compare_doubles);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const double scale = magnitudes[(size_t)(at[i].share * (double)(count - 1))] / at[i].t;

        largest = scale > largest ? scale : largest;
    }
    return largest;
}

static enum status estimate_noise(const struct times_line *lines, size_t count,
                                  struct times_run *run, struct diag *diag)
{
    double *const values = mem_alloc(count ? count : 1, sizeof *values);
    size_t used = 0;

    run->noise = NAN;
    if (!values)
        return diag_fail(diag, STATUS_NO_MEMORY, "times: out of memory");
    for (size_t i = 0; i < count; i++) {
        if (is_line(&lines[i]))
            values[used++] = fabs(lines[i].shift);
    }
    if (used >= TIMES_LINES)
        run->noise = scale_of(values, used);
    mem_free(values);
    return STATUS_OK;
}

/* One-sided, in the direction of the shift. */
static double line_probability(const struct times_line *l, double noise)
{
    const double sign = l->shift < 0 ? -1 : 1;
    double *const turned = mem_alloc(l->count, sizeof *turned);
    double within, between;

    if (!turned)
        return 1;
    for (size_t i = 0; i < l->count; i++)
        turned[i] = sign * l->logs[i];
    within = times_wilcoxon(turned, l->count);
    mem_free(turned);
    between = noise > 0 ? times_student(fabs(l->shift) / noise) : l->shift == 0 ? 1 : 0;
    return within > between ? within : between;
}

static int compare_p(const void *x, const void *y)
{
    const struct times_line *const a = *(struct times_line *const *)x;
    const struct times_line *const b = *(struct times_line *const *)y;

    return (a->p > b->p) - (a->p < b->p);
}

/* Holm: the k-th smallest of m is multiplied by m - k, and none becomes smaller than the one
 * before.
 */
static enum status correct(struct times_line *lines, size_t count, struct diag *diag)
{
    struct times_line **const sorted = mem_alloc(count ? count : 1, sizeof *sorted);
    size_t used = 0;
    double least = 0;

    if (!sorted)
        return diag_fail(diag, STATUS_NO_MEMORY, "times: out of memory");
    for (size_t i = 0; i < count; i++) {
        if (is_line(&lines[i]))
            sorted[used++] = &lines[i];
    }
    qsort(sorted, used, sizeof *sorted, compare_p);
    for (size_t k = 0; k < used; k++) {
        const double p = 2 * sorted[k]->p * (double)(used - k);

        least = p > least ? p : least;
        sorted[k]->p = least < 1 ? least : 1;
    }
    mem_free(sorted);
    return STATUS_OK;
}

enum status times_judge(struct times_line *lines, size_t count, struct times_run *run,
                        struct diag *diag)
{
    TRY(take_common_out(lines, count, run, diag));
    for (size_t i = 0; i < count; i++) {
        lines[i].shift = lines[i].p = NAN;
        if (is_line(&lines[i]))
            TRY(times_centre(lines[i].logs, lines[i].count, &lines[i].shift, diag));
    }
    TRY(estimate_noise(lines, count, run, diag));
    if (isnan(run->noise))
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (is_line(&lines[i]))
            lines[i].p = line_probability(&lines[i], run->noise);
    }
    return correct(lines, count, diag);
}
