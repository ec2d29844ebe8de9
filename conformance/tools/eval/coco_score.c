#include "conformance/tools/eval/coco_match.h"

#include "reference/base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const size_t limits[COCO_LIMITS] = { 1, 10, COCO_DETECTIONS_MAX };

static double recall_at(int r)
{
    return r == COCO_RECALLS - 1 ? 1.0 : (double)r * (1.0 / (COCO_RECALLS - 1));
}

/* Precision and recall after each detection that counts, at one threshold. */
struct curve {
    double *precision, *recall;
    size_t count;
};

/* Mean precision at 101 recalls: at each the best precision at that recall or more. */
static double mean_precision(struct curve *c)
{
    double sum = 0;
    size_t at = 0;

    for (size_t i = c->count; i-- > 1;) {
        if (c->precision[i] > c->precision[i - 1])
            c->precision[i - 1] = c->precision[i];
    }
    for (int r = 0; r < COCO_RECALLS; r++) {
        while (at < c->count && c->recall[at] < recall_at(r))
            at++;
        sum += at < c->count ? c->precision[at] : 0;
    }
    return sum / COCO_RECALLS;
}

static double count_positives(const struct coco_matched *c, int range, const uint32_t *weights)
{
    double sum = 0;

    if (!weights)
        return (double)c->positive_count[range];
    for (size_t i = 0; i < c->positive_count[range]; i++)
        sum += weights[c->positives[range][i]];
    return sum;
}

/* Fills the curve from the detections that are among the best `limit` of their image; returns the
 * last recall. */
static double trace(const struct coco_matched *c, int range, int t, size_t limit, double positives,
                    const uint32_t *weights, struct curve *curve)
{
    const uint16_t bit = (uint16_t)(1U << t);
    double right = 0, wrong = 0;

    curve->count = 0;
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct coco_entry *const e = &c->entries[i];
        const double weight = weights ? weights[e->image] : 1;

        if (e->rank >= limit || weight == 0)
            continue;
        if (!(e->ignored[range] & bit)) {
            right += e->hit[range] & bit ? weight : 0;
            wrong += e->hit[range] & bit ? 0 : weight;
        }
        curve->recall[curve->count] = right / positives;
        curve->precision[curve->count++] = right / (wrong + right + DBL_EPSILON);
    }
    return curve->count ? curve->recall[curve->count - 1] : 0;
}

static enum status curve_open(struct curve *curve, const struct coco_matches *m, struct diag *diag)
{
    size_t most = 0;

    for (size_t k = 0; k < m->categories; k++)
        most = m->items[k].entry_count > most ? m->items[k].entry_count : most;
    curve->precision = mem_alloc(most, sizeof *curve->precision);
    curve->recall = mem_alloc(most, sizeof *curve->recall);
    if (!curve->precision || !curve->recall)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu detections", most);
    return STATUS_OK;
}

static void curve_close(struct curve *curve)
{
    mem_free(curve->precision);
    mem_free(curve->recall);
}

static void score_range(const struct coco_matched *c, int range, struct curve *curve,
                        struct coco_score *s)
{
    const double positives = count_positives(c, range, NULL);
    double ap = 0, recall = 0, few[COCO_LIMITS] = { 0 };

    if (positives == 0)
        return;
    for (int t = 0; t < COCO_THRESHOLDS; t++) {
        double one;

        for (int l = 0; range == COCO_ALL && l < COCO_LIMITS; l++)
            few[l] += trace(c, range, t, limits[l], positives, NULL, curve);
        recall += trace(c, range, t, COCO_DETECTIONS_MAX, positives, NULL, curve);
        one = mean_precision(curve);
        ap += one;
        if (range == COCO_ALL && t == 0)
            s->ap50 = one;
        if (range == COCO_ALL && t == 5)
            s->ap75 = one;
    }
    s->ap[range] = ap / COCO_THRESHOLDS;
    s->area_recall[range] = recall / COCO_THRESHOLDS;
    for (int l = 0; range == COCO_ALL && l < COCO_LIMITS; l++)
        s->recall[l] = few[l] / COCO_THRESHOLDS;
}

enum { FIGURES = sizeof(struct coco_score) / sizeof(double) };
_Static_assert(sizeof(struct coco_score) == FIGURES * sizeof(double), "figures alone");

static struct coco_score undefined(void)
{
    struct coco_score s;
    double figures[FIGURES];

    for (size_t f = 0; f < FIGURES; f++)
        figures[f] = NAN;
    memcpy(&s, figures, sizeof s);
    return s;
}

enum status coco_score(const struct coco_matches *m, struct coco_score *mean,
                       struct coco_score *each, struct diag *diag)
{
    double sums[FIGURES] = { 0 }, counts[FIGURES] = { 0 };
    struct curve curve;
    enum status s = curve_open(&curve, m, diag);

    for (size_t k = 0; s == STATUS_OK && k < m->categories; k++) {
        struct coco_score one = undefined();
        double figures[FIGURES];

        for (int range = 0; range < COCO_AREAS; range++)
            score_range(&m->items[k], range, &curve, &one);
        memcpy(figures, &one, sizeof figures);
        for (size_t f = 0; f < FIGURES; f++) {
            sums[f] += isnan(figures[f]) ? 0 : figures[f];
            counts[f] += !isnan(figures[f]);
        }
        if (each)
            each[k] = one;
    }
    for (size_t f = 0; f < FIGURES; f++)
        sums[f] = counts[f] > 0 ? sums[f] / counts[f] : NAN;
    memcpy(mean, sums, sizeof *mean);
    curve_close(&curve);
    return s;
}

void coco_score_weighted(const struct coco_matches *m, const uint32_t *weights, double ap[3])
{
    double categories = 0;
    struct curve curve;

    ap[0] = ap[1] = ap[2] = 0;
    if (curve_open(&curve, m, NULL) != STATUS_OK) {
        curve_close(&curve);
        ap[0] = ap[1] = ap[2] = NAN;
        return;
    }
    for (size_t k = 0; k < m->categories; k++) {
        const struct coco_matched *const c = &m->items[k];
        const double positives = count_positives(c, COCO_ALL, weights);

        categories += positives > 0;
        for (int t = 0; positives > 0 && t < COCO_THRESHOLDS; t++) {
            double one;

            trace(c, COCO_ALL, t, COCO_DETECTIONS_MAX, positives, weights, &curve);
            one = mean_precision(&curve);
            ap[0] += one / COCO_THRESHOLDS;
            ap[1] += t == 0 ? one : 0;
            ap[2] += t == 5 ? one : 0;
        }
    }
    for (int i = 0; i < 3; i++)
        ap[i] = categories > 0 ? ap[i] / categories : NAN;
    curve_close(&curve);
}
