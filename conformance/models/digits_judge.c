/* Compares answers, and prints. */
#include "conformance/models/digits.h"

#include "conformance/util/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The committed models have 0.9867 and more with LiteRT's reference kernels. */
static const double least_top1 = 0.97;

/* Tolerance policy 5.7: of float models in fp32 and fp16, */
static const double least_snr_db = 90, least_snr_db_fp16 = 40;
/* and of models in 8 bits. */
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

/* How far the best is above the second. */
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

/* A row's largest error; infinite where the answer is no number. */
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

/* The first reason to fail; empty: none. */
static void compared_reason(const struct digits_score *s, double step, enum bounds bounds,
                            char *reason, size_t room)
{
    const double least = step > 0                ? least_snr_db_8bit
                         : bounds == BOUNDS_FP16 ? least_snr_db_fp16
                                                 : least_snr_db;

    if (step > 0 && bounds == BOUNDS_EXACT && s->same < s->images)
        snprintf(reason, room, "%zu of %zu images have other scores, by up to %g steps",
                 s->images - s->same, s->images, s->max_abs / step);
    else if (s->wrong > 0)
        snprintf(reason, room, "%zu images have another class, beyond what their errors explain",
                 s->wrong);
    else if (!(s->snr_db >= least))
        snprintf(reason, room, "SNR %.1f dB, want %.0f", s->snr_db, least);
    else if (!(s->mean_steps <= most_steps))
        snprintf(reason, room, "off by %.2f steps on average, want %g at most", s->mean_steps,
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
        snprintf(score->reason, sizeof score->reason, "top-1 %.4f, want %.2f", top1, least_top1);
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

/* ---- printing ---- */

/* What tells subjects apart in a narrow column: the options, else the file's name. */
static const char *short_label(const struct digits_score *s, const struct subject *subjects)
{
    const char *label, *space;

    if (s->subject == DIGITS_REFERENCE)
        return "reference";
    label = subjects[s->subject].label;
    space = strchr(label, ' ');
    return space ? space + 1 : label;
}

static void print_score(FILE *f, const struct digits_score *s, const char *label)
{
    fprintf(f, "%-14s %-20.20s ", s->model, label);
    if (s->images)
        fprintf(f, "%6.4f ", (double)s->right / (double)s->images);
    else
        fprintf(f, "%6s ", "-");
    if (s->compared)
        fprintf(f, "%4zu %4zu %5.1f %7.1e ", s->same, s->differ, s->snr_db, s->max_abs);
    else
        fprintf(f, "%4s %4s %5s %7s ", "-", "-", "-", "-");
    if (s->subject == DIGITS_REFERENCE)
        fprintf(f, "%5s ", "-");
    else
        fprintf(f, "%2zu/%-2zu ", s->taken, s->nodes);
    fprintf(f, "%s%s%s\n", case_status_name(s->status), s->reason[0] ? ": " : "", s->reason);
}

void digits_print(FILE *f, const struct digits_report *r, const struct subject *subjects)
{
    if (r->skipped[0]) {
        fprintf(f, "models: skipped: %s\n", r->skipped);
        return;
    }
    if (r->count == 0)
        return;
    fprintf(f, "%-14s %-20s %-6s %4s %4s %5s %7s %5s %s\n", "model", "run by", "top-1", "same",
            "diff", "dB", "error", "taken", "status");
    for (size_t i = 0; i < r->count; i++)
        print_score(f, &r->scores[i], short_label(&r->scores[i], subjects));
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *digits_json(const struct digits_report *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < r->count; i++) {
        const struct digits_score *const s = &r->scores[i];
        const bool compared = s->compared;
        json_t *const o = json_object();

        json_object_set_new(o, "model", json_string(s->model));
        json_object_set_new(
            o, "subject", s->subject == DIGITS_REFERENCE ? json_null() : json_integer(s->subject));
        json_object_set_new(o, "status", json_string(case_status_name(s->status)));
        json_object_set_new(o, "reason", json_text(s->reason[0] ? s->reason : NULL));
        json_object_set_new(o, "images", json_integer((json_int_t)s->images));
        json_object_set_new(
            o, "top1", s->images ? json_real((double)s->right / (double)s->images) : json_null());
        json_object_set_new(o, "same", compared ? json_integer((json_int_t)s->same) : json_null());
        json_object_set_new(o, "differ",
                            compared ? json_integer((json_int_t)s->differ) : json_null());
        json_object_set_new(o, "wrong",
                            compared ? json_integer((json_int_t)s->wrong) : json_null());
        json_object_set_new(o, "snr_db", compared ? number(s->snr_db) : json_null());
        json_object_set_new(o, "max_abs", compared ? number(s->max_abs) : json_null());
        json_object_set_new(o, "mean_steps", compared ? number(s->mean_steps) : json_null());
        json_object_set_new(o, "nodes", json_integer((json_int_t)s->nodes));
        json_object_set_new(o, "taken", json_integer((json_int_t)s->taken));
        json_object_set_new(o, "partitions", json_integer(s->partitions));
        json_array_append_new(list, o);
    }
    return list;
}
