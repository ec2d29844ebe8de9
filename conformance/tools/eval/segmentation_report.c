/* Metrics of segmentation: over all pixels, of classes, of images. */
#include "conformance/tools/eval/segmentation.h"

#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>

static void sum_up(const struct segmentation *x, enum eval_side side, const uint32_t *weights,
                   struct confusion *c)
{
    size_t at = 0;

    confusion_clear(c);
    for (size_t i = 0; i < x->images.count; i++) {
        if (x->images.items[i].state != EVAL_ANSWERED)
            continue;
        confusion_add(c, &x->found[side][i], weights ? weights[at] : 1);
        at++;
    }
}

/* ---- resampling ---- */

struct resample {
    const struct segmentation *x;
    struct confusion *sums; /* of each side */
};

static void measure(void *user, const uint32_t *weights, double *differences)
{
    const struct resample *const r = user;

    for (int side = 0; side < EVAL_SIDES; side++)
        sum_up(r->x, (enum eval_side)side, weights, &r->sums[side]);
    differences[0] = confusion_mean_iou(&r->sums[0]) - confusion_mean_iou(&r->sums[1]);
    differences[1] = confusion_accuracy(&r->sums[0]) - confusion_accuracy(&r->sums[1]);
}

static enum status add_intervals(struct segmentation *x, struct confusion sums[EVAL_SIDES],
                                 uint64_t resamples, bool quiet, struct eval_report *r,
                                 struct diag *diag)
{
    struct resample user = { x, sums };
    struct interval found[2];
    const struct interval_bootstrap b = { .images = eval_images_count(&x->images, EVAL_ANSWERED),
                                          .metrics = 2,
                                          .resamples = resamples,
                                          .seed = r->seed,
                                          .quiet = quiet,
                                          .measure = measure,
                                          .user = &user };

    if (b.images < 2 || resamples == 0)
        return STATUS_OK;
    TRY(interval_bootstrap(&b, found, diag));
    for (size_t m = 0; m < 2; m++) {
        r->metrics[m].interval = found[m];
        r->metrics[m].has_interval = !isnan(found[m].low);
    }
    return STATUS_OK;
}

/* ---- tables ---- */

static enum status add_classes(const struct segmentation *x, const struct confusion *sums,
                               size_t sides, struct eval_report *r, struct diag *diag)
{
    r->classes = ARENA_NEW(&r->arena, x->classes, struct eval_class);
    if (!r->classes)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu classes", x->classes);
    r->class_metric = "IoU";
    for (size_t k = 0; k < x->classes; k++) {
        struct eval_class *const c = &r->classes[r->class_count];
        char number[32];
        bool defined = false;

        c->value[0] = c->value[1] = NAN;
        for (size_t side = 0; side < sides; side++) {
            c->value[side] = confusion_iou(&sums[side], k);
            defined = defined || !isnan(c->value[side]);
        }
        if (!defined)
            continue;
        snprintf(number, sizeof number, "class %zu", k);
        c->name = arena_string(&r->arena,
                               labels_find(&x->labels, k) ? labels_find(&x->labels, k) : number);
        r->class_count++;
    }
    return STATUS_OK;
}

static double image_accuracy(const struct confusion_image *image)
{
    double right = 0, all = 0;

    for (size_t i = 0; i < image->count; i++) {
        all += (double)image->cells[i].pixels;
        right +=
            image->cells[i].truth == image->cells[i].found ? (double)image->cells[i].pixels : 0;
    }
    return all > 0 ? right / all : NAN;
}

static void make_rows(const struct segmentation *x, size_t sides, struct eval_report *r)
{
    static const char *const keys[EVAL_SIDES] = { "subject_accuracy", "reference_accuracy" };

    r->rows = json_array();
    for (size_t i = 0; i < x->images.count; i++) {
        json_t *const row = eval_row(&x->images.items[i]);

        for (size_t side = 0; side < sides; side++) {
            const double share = x->images.items[i].state == EVAL_ANSWERED
                                     ? image_accuracy(&x->found[side][i])
                                     : NAN;

            json_object_set_new(row, keys[side], isnan(share) ? json_null() : json_real(share));
        }
        json_array_append_new(r->rows, row);
    }
}

enum status segmentation_report(struct segmentation *x, bool has_reference, uint64_t resamples,
                                bool quiet, struct eval_report *r, struct diag *diag)
{
    const size_t sides = has_reference ? 2 : 1;
    struct confusion sums[EVAL_SIDES] = { { .classes = 0 }, { .classes = 0 } };
    double iou[EVAL_SIDES] = { NAN, NAN }, accuracy[EVAL_SIDES] = { NAN, NAN };
    enum status s = STATUS_OK;

    r->interval_method = "bootstrap over images, percentiles";
    for (size_t side = 0; side < sides && s == STATUS_OK; side++) {
        s = confusion_open(&sums[side], x->classes, diag);
        if (s != STATUS_OK)
            break;
        sum_up(x, (enum eval_side)side, NULL, &sums[side]);
        iou[side] = confusion_mean_iou(&sums[side]);
        accuracy[side] = confusion_accuracy(&sums[side]);
    }
    if (s == STATUS_OK) {
        eval_report_metric(r, "mIoU:", "miou", iou[0], iou[1]);
        eval_report_metric(r, "Pixel accuracy:", "pixel_accuracy", accuracy[0], accuracy[1]);
        s = add_classes(x, sums, sides, r, diag);
    }
    if (s == STATUS_OK && has_reference)
        s = add_intervals(x, sums, resamples, quiet, r, diag);
    if (x->without_mask > 0)
        eval_report_note(r, "%zu images have no mask, the first is %s", x->without_mask,
                         x->first_without_mask);
    make_rows(x, sides, r);
    for (int side = 0; side < EVAL_SIDES; side++)
        confusion_close(&sums[side]);
    return s;
}
