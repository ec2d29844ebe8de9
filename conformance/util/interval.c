#include "conformance/util/interval.h"

#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "conformance/util/random.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The quantile 0.975 of the normal distribution. */
static const double z = 1.959963984540054;

struct interval interval_wilson(uint64_t k, uint64_t n)
{
    const double count = (double)n, p = n ? (double)k / count : 0;
    double center, half;

    if (n == 0)
        return (struct interval){ 0, 1 };
    center = (2 * (double)k + z * z) / (2 * (count + z * z));
    half = z * sqrt(z * z + 4 * (double)k * (1 - p)) / (2 * (count + z * z));
    return (struct interval){ k == 0 ? 0 : center - half, k == n ? 1 : center + half };
}

/* The correlation of both answers, with the continuity correction of method 10. */
static double correlation(const struct interval_pairs *pairs)
{
    const double a = (double)pairs->both, b = (double)pairs->first_only,
                 c = (double)pairs->second_only, d = (double)pairs->neither;
    const double margins = (a + b) * (c + d) * (a + c) * (b + d);
    double excess = a * d - b * c;

    if (margins == 0)
        return 0;
    if (excess > 0)
        excess = fmax(excess - (a + b + c + d) / 2, 0);
    return excess / sqrt(margins);
}

struct interval interval_paired(const struct interval_pairs *pairs)
{
    const uint64_t n = pairs->both + pairs->first_only + pairs->second_only + pairs->neither;
    const uint64_t k1 = pairs->both + pairs->first_only, k2 = pairs->both + pairs->second_only;
    const struct interval w1 = interval_wilson(k1, n), w2 = interval_wilson(k2, n);
    const double phi = correlation(pairs);
    double p1, p2, below1, above1, below2, above2;

    if (n == 0)
        return (struct interval){ -1, 1 };
    p1 = (double)k1 / (double)n;
    p2 = (double)k2 / (double)n;
    below1 = p1 - w1.low;
    above1 = w1.high - p1;
    below2 = p2 - w2.low;
    above2 = w2.high - p2;
    return (struct interval){
        p1 - p2 - sqrt(below1 * below1 - 2 * phi * below1 * above2 + above2 * above2),
        p1 - p2 + sqrt(above1 * above1 - 2 * phi * above1 * below2 + below2 * below2)
    };
}

double interval_mcnemar(const struct interval_pairs *pairs)
{
    const uint64_t n = pairs->first_only + pairs->second_only;
    const uint64_t least =
        pairs->first_only < pairs->second_only ? pairs->first_only : pairs->second_only;
    double sum = 0;

    for (uint64_t k = 0; k <= least; k++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                   (double)n * log(2));
    return fmin(2 * sum, 1);
}

/* ---- resampling ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorted values; between two of them linearly. */
static double quantile(const double *values, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;

    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

/* values: of each resample all metrics. */
static void find_ends(const struct interval_bootstrap *b, const double *values, size_t drawn,
                      double *column, struct interval *out)
{
    for (size_t m = 0; m < b->metrics; m++) {
        size_t count = 0;

        for (size_t i = 0; i < drawn; i++) {
            if (!isnan(values[i * b->metrics + m]))
                column[count++] = values[i * b->metrics + m];
        }
        qsort(column, count, sizeof *column, by_value);
        out[m] = count ? (struct interval){ quantile(column, count, 0.025),
                                            quantile(column, count, 0.975) }
                       : (struct interval){ NAN, NAN };
    }
}

enum status interval_bootstrap(const struct interval_bootstrap *b, struct interval *out,
                               struct diag *diag)
{
    uint32_t *const weights = mem_alloc(b->images, sizeof *weights);
    double *const values = mem_alloc(b->resamples, b->metrics * sizeof *values);
    double *const column = mem_alloc(b->resamples, sizeof *column);
    struct progress progress;
    struct random_stream stream;
    enum status s = STATUS_OK;
    size_t drawn = 0;

    if (!weights || !values || !column)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu images, %llu resamples", b->images,
                      (unsigned long long)b->resamples);
    random_init(&stream, b->seed, "bootstrap", 0, 0, 0);
    progress_begin(&progress, "interval", (double)b->resamples, b->quiet);
    while (s == STATUS_OK && b->images > 0 && drawn < b->resamples && !interrupt_signal()) {
        memset(weights, 0, b->images * sizeof *weights);
        for (size_t i = 0; i < b->images; i++)
            weights[random_below(&stream, b->images)]++;
        b->measure(b->user, weights, values + drawn * b->metrics);
        drawn++;
        progress_update(&progress, (double)drawn, "%zu of %llu resamples", drawn,
                        (unsigned long long)b->resamples);
    }
    progress_end(&progress);
    if (s == STATUS_OK)
        find_ends(b, values, drawn, column, out);
    mem_free(weights);
    mem_free(values);
    mem_free(column);
    return s;
}
