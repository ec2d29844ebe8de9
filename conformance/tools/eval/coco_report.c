/* Metrics of detections. */
#include "conformance/tools/eval/coco.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

/* The images that count, numbered anew: those that were answered, or all of the truth. */
struct selection {
    uint32_t *index; /* by image of the truth; UINT32_MAX: it does not count */
    size_t count;
    struct coco_object *objects;
    size_t object_count;
    struct coco_matches *matches[EVAL_SIDES];
};

static enum status select_images(const struct coco *x, struct selection *s, struct diag *diag)
{
    s->index = mem_alloc(x->truth.image_count, sizeof *s->index);
    s->objects = mem_alloc(x->truth.object_count, sizeof *s->objects);
    if (!s->index || !s->objects)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu objects", x->truth.object_count);
    for (size_t i = 0; i < x->truth.image_count; i++) {
        const bool counts =
            !x->model || (i < x->images.count && x->images.items[i].state == EVAL_ANSWERED);

        s->index[i] = counts ? (uint32_t)s->count++ : UINT32_MAX;
    }
    for (size_t i = 0; i < x->truth.object_count; i++) {
        struct coco_object one = x->truth.objects[i];

        one.image = s->index[one.image];
        if (one.image != UINT32_MAX)
            s->objects[s->object_count++] = one;
    }
    return STATUS_OK;
}

static enum status match_side(const struct coco *x, struct selection *s, size_t side,
                              struct diag *diag)
{
    const struct coco_detections *const d = &x->found[side];
    struct coco_detection *const list = mem_alloc(d->count, sizeof *list);
    struct coco_input input = { s->count,   x->truth.category_count,
                                s->objects, s->object_count,
                                list,       0 };
    enum status status;

    if (!list)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu detections", d->count);
    for (size_t i = 0; i < d->count; i++) {
        struct coco_detection one = d->items[i];

        one.image = s->index[one.image];
        if (one.image != UINT32_MAX)
            list[input.detection_count++] = one;
    }
    status = coco_match(&s->matches[side], &input, diag);
    mem_free(list);
    return status;
}

/* ---- intervals ---- */

static void measure(void *user, const uint32_t *weights, double *differences)
{
    const struct selection *const s = user;
    double ap[EVAL_SIDES][3];

    for (int side = 0; side < EVAL_SIDES; side++)
        coco_score_weighted(s->matches[side], weights, ap[side]);
    for (int i = 0; i < 3; i++)
        differences[i] = ap[0][i] - ap[1][i];
}

static enum status add_intervals(struct selection *s, uint64_t resamples, bool quiet,
                                 struct eval_report *r, struct diag *diag)
{
    const struct interval_bootstrap b = { .images = s->count,
                                          .metrics = 3,
                                          .resamples = resamples,
                                          .seed = r->seed,
                                          .quiet = quiet,
                                          .measure = measure,
                                          .user = s };
    struct interval found[3];

    if (s->count < 2 || resamples == 0)
        return STATUS_OK;
    TRY(interval_bootstrap(&b, found, diag));
    for (size_t m = 0; m < 3; m++) {
        r->metrics[m].interval = found[m];
        r->metrics[m].has_interval = !isnan(found[m].low);
    }
    return STATUS_OK;
}

/* ---- tables ---- */

/* The twelve lines of pycocotools, in its order. */
static void add_metrics(const struct coco_score mean[EVAL_SIDES], struct eval_report *r)
{
#define METRIC(text, key, field) eval_report_metric(r, text, key, mean[0].field, mean[1].field)
    METRIC("Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] =", "ap",
           ap[COCO_ALL]);
    METRIC("Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] =", "ap_50",
           ap50);
    METRIC("Average Precision  (AP) @[ IoU=0.75      | area=   all | maxDets=100 ] =", "ap_75",
           ap75);
    METRIC("Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] =", "ap_small",
           ap[COCO_SMALL]);
    METRIC("Average Precision  (AP) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] =", "ap_medium",
           ap[COCO_MEDIUM]);
    METRIC("Average Precision  (AP) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] =", "ap_large",
           ap[COCO_LARGE]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] =", "ar_1",
           recall[0]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets= 10 ] =", "ar_10",
           recall[1]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] =", "ar_100",
           recall[2]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] =", "ar_small",
           area_recall[COCO_SMALL]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] =", "ar_medium",
           area_recall[COCO_MEDIUM]);
    METRIC("Average Recall     (AR) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] =", "ar_large",
           area_recall[COCO_LARGE]);
#undef METRIC
}

static void add_notes(const struct coco *x, size_t sides, struct eval_report *r)
{
    static const char *const names[EVAL_SIDES] = { "subject", "reference" };

    if (x->truth.foreign > 0)
        eval_report_note(r, "%zu annotations are of images that the ground truth does not list",
                         x->truth.foreign);
    if (x->no_category > 0)
        eval_report_note(r, "%zu of %zu labels are no category of the ground truth", x->no_category,
                         x->class_count);
    for (size_t side = 0; side < sides; side++) {
        if (x->found[side].foreign > 0)
            eval_report_note(r, "%s: %zu detections are of no category of the ground truth",
                             names[side], x->found[side].foreign);
        if (x->malformed[side] > 0)
            eval_report_note(r, "%s: %zu detections are no boxes, or no numbers", names[side],
                             x->malformed[side]);
    }
}

static enum status add_classes(const struct coco *x, const struct coco_score *each[EVAL_SIDES],
                               struct eval_report *r, struct diag *diag)
{
    r->classes = ARENA_NEW(&r->arena, x->truth.category_count, struct eval_class);
    if (!r->classes)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu classes", x->truth.category_count);
    r->class_metric = "AP";
    for (size_t k = 0; k < x->truth.category_count; k++) {
        if (isnan(each[0][k].ap[COCO_ALL]))
            continue; /* no object of it is to be found */
        r->classes[r->class_count++] =
            (struct eval_class){ x->truth.categories[k].name,
                                 { each[0][k].ap[COCO_ALL],
                                   each[1] ? each[1][k].ap[COCO_ALL] : NAN } };
    }
    return STATUS_OK;
}

static void make_rows(const struct coco *x, size_t sides, struct eval_report *r)
{
    static const char *const keys[EVAL_SIDES] = { "subject_detections", "reference_detections" };
    size_t *const counts = mem_alloc(x->images.count, sizeof *counts);

    r->rows = json_array();
    for (size_t i = 0; i < x->images.count; i++)
        json_array_append_new(r->rows, eval_row(&x->images.items[i]));
    for (size_t side = 0; counts && side < sides; side++) {
        memset(counts, 0, x->images.count * sizeof *counts);
        for (size_t d = 0; d < x->found[side].count; d++) {
            if (x->found[side].items[d].image < x->images.count)
                counts[x->found[side].items[d].image]++;
        }
        for (size_t i = 0; i < x->images.count; i++)
            json_object_set_new(json_array_get(r->rows, i), keys[side],
                                json_integer((json_int_t)counts[i]));
    }
    mem_free(counts);
}

static enum status score_sides(const struct coco *x, struct selection *s, size_t sides,
                               struct coco_score mean[EVAL_SIDES],
                               struct coco_score *each[EVAL_SIDES], struct diag *diag)
{
    TRY(select_images(x, s, diag));
    for (size_t side = 0; side < sides; side++) {
        TRY(match_side(x, s, side, diag));
        each[side] = mem_alloc(x->truth.category_count, sizeof *each[side]);
        if (!each[side])
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu classes", x->truth.category_count);
        TRY(coco_score(s->matches[side], &mean[side], each[side], diag));
    }
    if (sides == 1) {
        double figures[sizeof mean[1] / sizeof(double)];

        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
            figures[f] = NAN;
        memcpy(&mean[1], figures, sizeof mean[1]);
    }
    return STATUS_OK;
}

enum status coco_report(struct coco *x, bool has_reference, uint64_t resamples, bool quiet,
                        struct eval_report *r, struct diag *diag)
{
    const size_t sides = has_reference ? 2 : 1;
    struct selection s = { .count = 0 };
    struct coco_score mean[EVAL_SIDES], *each[EVAL_SIDES] = { NULL, NULL };
    const struct coco_score *readable[EVAL_SIDES];
    enum status status;

    r->interval_method = "bootstrap over images, percentiles";
    status = score_sides(x, &s, sides, mean, each, diag);
    if (status == STATUS_OK) {
        add_metrics(mean, r);
        readable[0] = each[0];
        readable[1] = each[1];
        status = add_classes(x, readable, r, diag);
    }
    if (status == STATUS_OK && has_reference)
        status = add_intervals(&s, resamples, quiet, r, diag);
    add_notes(x, sides, r);
    if (x->model)
        make_rows(x, sides, r);
    else
        r->image_count = x->truth.image_count;
    mem_free(s.index);
    mem_free(s.objects);
    for (int side = 0; side < EVAL_SIDES; side++) {
        coco_matches_close(s.matches[side]);
        mem_free(each[side]);
    }
    return status;
}
