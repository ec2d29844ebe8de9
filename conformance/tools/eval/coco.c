#include "conformance/tools/eval/coco.h"

#include "conformance/suite/io/tensor_value.h"
#include "reference/base/builtin.h"
#include "reference/base/lookup.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { OUTPUTS = 4 };

/* ---- the model and the files ---- */

/* The outputs of TFLite_Detection_PostProcess, whose shapes the file need not have. */
static enum status check_model(const struct eval_model *m, struct diag *diag)
{
    if (eval_model_outputs(m) != OUTPUTS)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: not a detector: found %zu outputs, expected the %d of "
                         "TFLite_Detection_PostProcess: boxes, classes, scores, count",
                         m->path, eval_model_outputs(m), OUTPUTS);
    for (size_t i = 0; i < OUTPUTS; i++) {
        char text[160];

        eval_model_describe(eval_model_output(m, i), text, sizeof text);
        if (tensor_type_runtime(eval_model_output(m, i)->type) != kTfLiteFloat32)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: not a detector: output %zu is %s, expected f32", m->path, i,
                             text);
    }
    return STATUS_OK;
}

static int by_name(const void *list, const void *key, size_t item)
{
    return strcmp(key, ((const struct coco_category *)list)[item].name);
}

/* Class c of the model is line c + offset of the labels. */
static enum status read_labels(struct coco *x, const char *path, struct diag *diag)
{
    const struct coco_truth *const t = &x->truth;
    struct lookup names = { .count = 0 };
    struct labels labels;
    size_t known = 0;
    bool ok = true;

    TRY(labels_read(&labels, path, diag));
    x->class_count = x->offset <= 0 || (uint64_t)x->offset <= labels.count
                         ? (size_t)((int64_t)labels.count - x->offset)
                         : 0;
    x->categories = mem_alloc(x->class_count, sizeof *x->categories);
    for (size_t k = 0; k < t->category_count && ok; k++)
        ok = lookup_add(&names, by_name, t->categories, t->categories[k].name, k);
    if (!x->categories || !ok) {
        lookup_close(&names);
        labels_close(&labels);
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu labels", labels.count);
    }
    for (size_t c = 0; c < x->class_count; c++) {
        const int64_t line = (int64_t)c + x->offset;

        const size_t at =
            line < 0 ? SIZE_MAX : lookup_find(&names, by_name, t->categories, labels.lines[line]);

        x->categories[c] = at == SIZE_MAX ? -1 : (long)at;
        known += at != SIZE_MAX;
    }
    lookup_close(&names);
    x->no_category = x->class_count - known;
    labels_close(&labels);
    if (known == 0)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: none of the %zu labels is the name of one of the %zu categories of "
                         "the ground truth, such as \"%s\"",
                         path, x->class_count, x->truth.category_count,
                         x->truth.categories[0].name);
    return STATUS_OK;
}

static enum status list_images(struct coco *x, const struct coco_request *q, struct diag *diag)
{
    TRY(eval_images_alloc(&x->images, x->truth.image_count, diag));
    for (size_t i = 0; i < x->truth.image_count; i++) {
        if (!x->truth.images[i].file)
            return diag_fail(diag, STATUS_INVALID, "%s: image %" PRId64 " has no \"file_name\"",
                             q->ground_truth, x->truth.images[i].id);
        TRY(eval_images_name(&x->images, i, q->images, x->truth.images[i].file, diag));
    }
    if (q->num_images)
        eval_images_keep(&x->images, q->num_images);
    return STATUS_OK;
}

static enum status open_files(struct coco *x, const struct coco_request *q, struct diag *diag)
{
    TRY(coco_truth_read(&x->truth, q->ground_truth, diag));
    if (!x->model)
        return STATUS_OK;
    TRY(check_model(x->model, diag));
    x->offset = q->offset;
    x->has_labels = q->labels != NULL;
    if (q->labels)
        TRY(read_labels(x, q->labels, diag));
    return list_images(x, q, diag);
}

enum status coco_open(struct coco *x, const struct coco_request *request,
                      const struct eval_model *model, struct diag *diag)
{
    enum status s;

    *x = (struct coco){ .model = model };
    s = open_files(x, request, diag);
    if (s != STATUS_OK)
        coco_close(x);
    return s;
}

enum status coco_take_file(struct coco *x, enum eval_side side, const char *path, struct diag *diag)
{
    return coco_detections_read(&x->found[side], &x->truth, path, diag);
}

void coco_close(struct coco *x)
{
    coco_truth_close(&x->truth);
    eval_images_close(&x->images);
    mem_free(x->categories);
    for (int side = 0; side < EVAL_SIDES; side++)
        coco_detections_close(&x->found[side]);
    *x = (struct coco){ .model = NULL };
}

/* ---- answers ---- */

/* Which output is which: converters of TensorFlow 1 and 2 put them in different orders. */
struct places {
    size_t boxes, classes, scores, count, limit;
};

static bool is_boxes(const struct outputs *got, size_t o)
{
    return got->items[o].rank >= 2 && got->items[o].dims[got->items[o].rank - 1] == 4 &&
           eval_elements(got, o) % 4 == 0;
}

static enum status find_places(const struct outputs *got, struct places *p, struct diag *diag)
{
    const size_t first[2][OUTPUTS] = { { 0, 1, 2, 3 }, { 1, 3, 0, 2 } };

    for (size_t way = 0; way < 2 && got->count == OUTPUTS; way++) {
        *p = (struct places){ first[way][0], first[way][1], first[way][2], first[way][3], 0 };
        p->limit = eval_elements(got, p->boxes) / 4;
        if (is_boxes(got, p->boxes) && eval_elements(got, p->classes) == p->limit &&
            eval_elements(got, p->scores) == p->limit && eval_elements(got, p->count) == 1)
            return STATUS_OK;
    }
    return diag_fail(
        diag, STATUS_INVALID,
        "not a detector: outputs of %zu, %zu, %zu and %zu elements; expected boxes "
        "[1, n, 4], classes [1, n], scores [1, n], count [1], or scores, boxes, count, "
        "classes",
        got->count > 0 ? eval_elements(got, 0) : 0, got->count > 1 ? eval_elements(got, 1) : 0,
        got->count > 2 ? eval_elements(got, 2) : 0, got->count > 3 ? eval_elements(got, 3) : 0);
}

/* {"detections": [[class, score, x, y, width, height]], "malformed": n}, in pixels. */
static enum status answer_side(const struct coco *x, const struct eval_view *view,
                               const struct outputs *got, json_t **out, struct diag *diag)
{
    json_t *const list = json_array();
    struct places p = { .limit = 0 };
    size_t malformed = 0;
    double count;

    if (find_places(got, &p, diag) != STATUS_OK) {
        json_decref(list);
        return diag->status;
    }
    count = round(eval_value(x->model, got, p.count, 0));
    for (size_t i = 0; i < p.limit && (double)i < count; i++) {
        const double top = eval_value(x->model, got, p.boxes, 4 * i) * view->height;
        const double left = eval_value(x->model, got, p.boxes, 4 * i + 1) * view->width;
        const double bottom = eval_value(x->model, got, p.boxes, 4 * i + 2) * view->height;
        const double right = eval_value(x->model, got, p.boxes, 4 * i + 3) * view->width;
        const double score = eval_value(x->model, got, p.scores, i);
        const double class_of = eval_value(x->model, got, p.classes, i);

        if (!isfinite(top) || !isfinite(left) || !(bottom >= top) || !(right >= left) ||
            !isfinite(bottom) || !isfinite(right) || !isfinite(score) || !(fabs(class_of) < 1e9)) {
            malformed++;
            continue;
        }
        json_array_append_new(list, json_pack("[I,f,f,f,f,f]", (json_int_t)class_of, score, left,
                                              top, right - left, bottom - top));
    }
    *out = json_pack("{s:o,s:I}", "detections", list, "malformed", (json_int_t)malformed);
    return STATUS_OK;
}

static enum status answer(void *user, const struct eval_view *view, json_t *answers[EVAL_SIDES],
                          bool *unusable, struct diag *diag)
{
    (void)unusable;
    for (int side = 0; side < EVAL_SIDES && view->got[side]; side++)
        TRY(answer_side(user, view, view->got[side], &answers[side], diag));
    return STATUS_OK;
}

static long category_of(const struct coco *x, json_int_t class_of)
{
    if (!x->has_labels)
        return coco_truth_category(&x->truth, class_of + x->offset);
    return class_of >= 0 && (uint64_t)class_of < x->class_count ? x->categories[class_of] : -1;
}

static enum status take(void *user, size_t image, enum eval_side side, const json_t *answer_of,
                        struct diag *diag)
{
    struct coco *const x = user;
    const json_t *const list = json_object_get(answer_of, "detections");

    if (!json_is_array(list))
        return diag_fail(diag, STATUS_INVALID, "expected a list \"detections\"");
    x->malformed[side] += (size_t)json_integer_value(json_object_get(answer_of, "malformed"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct coco_detection one = { .image = (uint32_t)image };
        json_int_t class_of;
        long category;

        if (json_unpack(json_array_get(list, i), "[I,F,F,F,F,F]", &class_of, &one.score, &one.box.x,
                        &one.box.y, &one.box.width, &one.box.height) != 0)
            return diag_fail(diag, STATUS_INVALID,
                             "detection %zu: expected [class, score, x, y, width, height]", i);
        category = category_of(x, class_of);
        if (category < 0) {
            x->found[side].foreign++;
            continue;
        }
        one.category = (uint32_t)category;
        TRY(coco_detections_add(&x->found[side], &one, diag));
    }
    return STATUS_OK;
}

struct eval_task coco_task(struct coco *x)
{
    return (struct eval_task){ "coco", x, answer, take };
}
