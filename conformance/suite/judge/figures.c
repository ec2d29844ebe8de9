/* Sums errors of outputs, and judges them. */
#include "conformance/suite/judge/figures.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/io/tensor_value.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The limits of TOLERANCES.md 10. */
static const double least_snr_db = 90, least_snr_db_fp16 = 40, least_snr_db_8bit = 25;
static const double most_steps = 1;
/* Random errors of a size are smaller by 5 dB than such errors of one sign. */
static const double conditioning_slack_db = 6;
/* Of integers without a scale, such as the indices of ARG_MAX. */
static const double most_unequal_share = 0.01;

/* The two best scores of one row. */
struct best {
    size_t index;
    double first, second;
};

static void take_score(struct best *b, size_t i, double x)
{
    if (i == 0 || x > b->first) {
        b->second = i == 0 ? -INFINITY : b->first;
        b->first = x;
        b->index = i;
    } else if (x > b->second) {
        b->second = x;
    }
}

/* The error of an element as it counts: of NaN and of a wrong infinity infinite. */
static double error_of(double got, double want)
{
    if (got == want || (isnan(got) && isnan(want)))
        return 0;
    return isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
}

static void note_worst(struct figures *f, const TfLiteTensor *t, size_t i, double error, double got,
                       double want)
{
    if (!(error > f->max_abs))
        return;
    f->max_abs = error;
    f->worst_run = f->runs;
    f->worst_got = got;
    f->worst_want = want;
    compare_where(t->dims->data, t->dims->size, i, f->worst_where, sizeof f->worst_where);
}

void figures_add(struct figures *f, const TfLiteTensor *t, const void *got)
{
    const size_t count = ref_elements(t);
    const double scale = tensor_has_scale(t) ? (double)t->params.scale : 1;
    TfLiteTensor other = *t;
    struct best ours = { 0, 0, 0 }, theirs = { 0, 0, 0 };
    double sum = 0, largest = 0;

    other.data.raw_const = got;
    f->type = t->type;
    f->quantized = tensor_has_scale(t);
    f->scores = tensor_is_scores(t);
    for (size_t i = 0; i < count; i++) {
        const double r = tensor_real(t, i), y = tensor_real(&other, i);
        const double real = error_of(y, r), error = real / scale;

        f->unequal += real != 0;
        sum += error;
        f->squares += error * error;
        f->noise += real * real;
        f->signal += isfinite(r) ? r * r : 0;
        f->got_squares += isfinite(y) ? y * y : 0;
        f->products += isfinite(r) && isfinite(y) ? r * y : 0;
        largest = fmax(largest, real);
        note_worst(f, t, i, error, f->quantized ? y / scale + t->params.zero_point : y,
                   f->quantized ? r / scale + t->params.zero_point : r);
        take_score(&ours, i, r);
        take_score(&theirs, i, isnan(y) ? -INFINITY : y);
    }
    if (f->scores && ours.index != theirs.index) {
        f->other_class++;
        f->wrong_class += ours.first - ours.second > largest;
    }
    f->elements += count;
    f->errors += count ? sum / (double)count : 0;
    f->error_squares += count ? sum / (double)count * (sum / (double)count) : 0;
    f->runs++;
}

void figures_finish(struct figures *f)
{
    const double runs = f->runs ? (double)f->runs : 1;

    f->avg_error = f->errors / runs;
    f->std_dev = sqrt(fmax(f->error_squares / runs - f->avg_error * f->avg_error, 0));
    f->mse = f->elements ? f->squares / (double)f->elements : 0;
    f->snr_db = f->noise == 0 ? INFINITY : 10 * log10(f->signal / f->noise);
    f->cosine = f->noise == 0 ? 1
                : f->signal == 0 || f->got_squares == 0
                    ? 0
                    : f->products / sqrt(f->signal * f->got_squares);
}

/* Whether some activation is of integers with a scale. */
static bool is_quantized(struct interpreter *in)
{
    for (size_t n = 0; n < interpreter_node_count(in); n++) {
        const TfLiteNode *const node = interpreter_node(in, (int)n);

        for (int o = 0; o < node->outputs->size; o++) {
            const TfLiteTensor *const t = interpreter_tensor(in, node->outputs->data[o]);

            if (t->allocation_type != kTfLitePersistentRo && tensor_has_scale(t))
                return true;
        }
    }
    return false;
}

struct screen screen_make(struct interpreter *in, enum bounds bounds, enum bounds quantized)
{
    return (struct screen){ .bounds = bounds,
                            .quantized = quantized,
                            .model_quantized = is_quantized(in) };
}

double figures_least_snr(const struct figures *f, const struct screen *s, bool *conditioned)
{
    const double least = f->quantized || s->model_quantized                    ? least_snr_db_8bit
                         : bounds_half(s->bounds) || f->type == kTfLiteFloat16 ? least_snr_db_fp16
                                                                               : least_snr_db;
    const double left = s->conditioning ? s->conditioning->snr_db : least;

    *conditioned = left < least && isfinite(left); /* a figure that is none says nothing */
    return *conditioned ? left - conditioning_slack_db : least;
}

static bool judge_snr(const struct figures *f, const struct screen *s, char *reason, size_t bytes)
{
    bool conditioned;
    const double least = figures_least_snr(f, s, &conditioned);

    if (f->snr_db >= least)
        return true;
    snprintf(reason, bytes, "SNR %.1f dB, expected at least %.*f%s", f->snr_db, conditioned, least,
             conditioned ? ", though it is ill-conditioned" : "");
    return false;
}

bool figures_judge(const struct figures *f, const struct screen *screen, char *reason, size_t bytes)
{
    const bool floats = f->type == kTfLiteFloat32 || f->type == kTfLiteFloat16;

    reason[0] = '\0';
    if (f->quantized && screen->quantized == BOUNDS_EXACT && f->unequal > 0)
        snprintf(reason, bytes,
                 "expected the reference's integers, found %llu of %llu off by up to %g steps",
                 (unsigned long long)f->unequal, (unsigned long long)f->elements, f->max_abs);
    else if (f->wrong_class > 0)
        snprintf(reason, bytes,
                 "%llu of %llu runs have another best class, beyond what their errors explain",
                 (unsigned long long)f->wrong_class, (unsigned long long)f->runs);
    else if (!floats && !f->quantized &&
             (double)f->unequal > most_unequal_share * (double)f->elements)
        snprintf(reason, bytes, "expected equal integers, found %llu of %llu others",
                 (unsigned long long)f->unequal, (unsigned long long)f->elements);
    else if (!floats && !f->quantized)
        return true;
    else if (!judge_snr(f, screen, reason, bytes))
        return false;
    else if (f->quantized && !(f->avg_error <= most_steps))
        snprintf(reason, bytes, "off by %.2f steps on average, expected at most %g", f->avg_error,
                 most_steps);
    return reason[0] == '\0';
}
