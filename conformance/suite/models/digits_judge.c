/* Compares answers of digit models. */
#include "conformance/suite/models/digits_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The committed models have 0.9867 and more with LiteRT's reference kernels. */
static const double least_top1 = 0.97;

/* The limits of TOLERANCES.md 10: the least SNR of float models in fp32 and in fp16, the least SNR
 * of 8-bit models, and their largest mean error in steps. */
static const double least_snr_db = 90, least_snr_db_fp16 = 40;
static const double least_snr_db_8bit = 25, most_steps = 1;

static size_t best(const float *row, size_t classes)
{
    size_t at = 0;

    for (size_t i = 1; i < classes; i++) {
        if (row[i] > row[at] || (isnan(row[at]) && !isnan(row[i])))
            at = i;
    }
    return at;
}

/* Returns the best score less the second best. */
static double margin(const float *row, size_t classes)
{
    const size_t first = best(row, classes);
    double second = -INFINITY;

    for (size_t i = 0; i < classes; i++) {
        if (i != first && (double)row[i] > second)
            second = (double)row[i];
    }
    return (double)row[first] - second;
}

struct sums {
    double signal, noise, magnitude;
};

/* A row's largest error; infinite where a score is NaN or infinite. */
static double compare_row(const float *reference, const float *row, size_t classes,
                          struct sums *sums)
{
    double largest = 0;

    for (size_t i = 0; i < classes; i++) {
        const double r = (double)reference[i];
        const double e = isfinite(row[i]) ? fabs((double)row[i] - r) : INFINITY;

        sums->signal += r * r;
        sums->noise += e * e;
        sums->magnitude += e;
        if (e > largest)
            largest = e;
    }
    return largest;
}

static void compare(struct digits_score *s, const struct digits_answers *a,
                    const struct digits_answers *reference)
{
    const size_t n = a->classes;
    struct sums sums = { 0, 0, 0 };

    for (size_t i = 0; i < a->rows; i++) {
        const float *const row = a->scores + i * n, *const want = reference->scores + i * n;
        const double error = compare_row(want, row, n, &sums);

        s->same += memcmp(row, want, n * sizeof *row) == 0;
        if (error > s->max_abs)
            s->max_abs = error;
        if (best(row, n) == best(want, n))
            continue;
        s->differ++;
        s->wrong += margin(want, n) > error;
    }
    s->compared = true;
    s->snr_db = sums.noise == 0 ? INFINITY : 10 * log10(sums.signal / sums.noise);
    if (a->step > 0)
        s->mean_steps = sums.magnitude / (double)(a->rows * n) / a->step;
}

/* Writes the first reason to fail; leaves reason empty where there is none. */
static void compared_reason(const struct digits_score *s, double step, enum bounds bounds,
                            char *reason, size_t room)
{
    const double least = step > 0              ? least_snr_db_8bit
                         : bounds_half(bounds) ? least_snr_db_fp16
                                               : least_snr_db;

    if (step > 0 && bounds == BOUNDS_EXACT && s->same < s->images)
        snprintf(reason, room,
                 "expected the reference's scores, found %zu of %zu images off by up to %g steps",
                 s->images - s->same, s->images, s->max_abs / step);
    else if (s->wrong > 0)
        snprintf(reason, room,
                 "%zu images have another class than the reference's, beyond what their errors "
                 "explain",
                 s->wrong);
    else if (!(s->snr_db >= least))
        snprintf(reason, room, "SNR %.1f dB, expected at least %.0f", s->snr_db, least);
    else if (!(s->mean_steps <= most_steps))
        snprintf(reason, room, "off by %.2f steps on average, expected at most %g", s->mean_steps,
                 most_steps);
}

void digits_judge(struct digits_score *score, const struct digits_answers *answers,
                  const struct digits_answers *reference, const uint8_t *labels, enum bounds bounds)
{
    double top1;

    score->images = answers->rows;
    for (size_t i = 0; i < answers->rows; i++)
        score->right += best(answers->scores + i * answers->classes, answers->classes) == labels[i];
    top1 = (double)score->right / (double)score->images;
    score->snr_db = INFINITY;
    if (reference)
        compare(score, answers, reference);
    if (score->subject == DIGITS_REFERENCE && top1 < least_top1)
        snprintf(score->reason, sizeof score->reason, "top-1 %.4f, expected at least %.2f", top1,
                 least_top1);
    else if (reference)
        compared_reason(score, answers->step, bounds, score->reason, sizeof score->reason);
    score->status = score->reason[0] ? CASE_FAIL : CASE_PASS;
}

bool digits_failed(const struct digits_report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->scores[i].status != CASE_PASS && r->scores[i].status != CASE_DECLINED)
            return true;
    }
    return false;
}
