#include "conformance/tools/eval/imagenet.h"

#include "conformance/tools/eval/imagenet_truth.h"
#include "conformance/util/json_text.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the model ---- */

/* One row of at least two scores. */
static enum status find_classes(const struct imagenet *x, size_t *classes, struct diag *diag)
{
    const struct model_tensor *const t =
        eval_model_outputs(x->model) == 1 ? eval_model_output(x->model, 0) : NULL;
    const TfLiteType type = t ? tensor_type_runtime(t->type) : kTfLiteNoType;
    char text[160];
    bool row = t && t->shape.count > 0;

    if (!t)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: not a classifier: found %zu outputs, expected one", x->model->path,
                         eval_model_outputs(x->model));
    for (size_t i = 0; i + 1 < t->shape.count; i++)
        row = row && t->shape.data[i] == 1;
    eval_model_describe(t, text, sizeof text);
    if (!row || t->shape.data[t->shape.count - 1] < 2 ||
        !(type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteUInt8 ||
          type == kTfLiteInt8))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: not a classifier: output 0 is %s, expected f32, f16, u8 or i8 of one "
                         "row with a score for each class",
                         x->model->path, text);
    *classes = (size_t)t->shape.data[t->shape.count - 1];
    return STATUS_OK;
}

enum status imagenet_open(struct imagenet *x, const struct imagenet_files *files,
                          const struct eval_model *model, struct diag *diag)
{
    enum status s;
    size_t classes = 0;

    *x = (struct imagenet){ .model = model };
    s = find_classes(x, &classes, diag);
    if (s == STATUS_OK)
        s = imagenet_truth_open(&x->truth, files, model->path, classes, diag);
    for (int side = 0; s == STATUS_OK && side < EVAL_SIDES; side++) {
        x->top[side] = mem_alloc(x->truth.images.count, sizeof *x->top[side]);
        if (!x->top[side])
            s = diag_fail(diag, STATUS_NO_MEMORY, "%zu images", x->truth.images.count);
    }
    if (s != STATUS_OK)
        imagenet_close(x);
    return s;
}

void imagenet_close(struct imagenet *x)
{
    imagenet_truth_close(&x->truth);
    for (int side = 0; side < EVAL_SIDES; side++)
        mem_free(x->top[side]);
    *x = (struct imagenet){ .model = NULL };
}

/* ---- answers ---- */

static bool is_better(double a, double b)
{
    return a > b || (!isnan(a) && isnan(b));
}

/* Largest first, ties by index, NaN last. */
static json_t *top_of(const struct imagenet *x, const struct outputs *got)
{
    struct imagenet_top top = { .count = 0 };
    json_t *const classes = json_array(), *const scores = json_array();

    for (size_t i = 0; i < x->truth.classes; i++) {
        const double score = eval_value(x->model, got, 0, i);
        uint32_t at = top.count;

        while (at > 0 && is_better(score, top.scores[at - 1]))
            at--;
        if (at == IMAGENET_TOP)
            continue;
        top.count += top.count < IMAGENET_TOP;
        memmove(top.classes + at + 1, top.classes + at, (top.count - 1 - at) * sizeof *top.classes);
        memmove(top.scores + at + 1, top.scores + at, (top.count - 1 - at) * sizeof *top.scores);
        top.classes[at] = (uint32_t)i;
        top.scores[at] = score;
    }
    for (uint32_t i = 0; i < top.count; i++) {
        json_array_append_new(classes, json_integer(top.classes[i]));
        json_array_append_new(scores, json_number(top.scores[i]));
    }
    return json_pack("{s:o,s:o}", "classes", classes, "scores", scores);
}

static enum status answer(void *user, const struct eval_view *view, json_t *answers[EVAL_SIDES],
                          bool *unusable, struct diag *diag)
{
    const struct imagenet *const x = user;

    (void)unusable;
    for (int side = 0; side < EVAL_SIDES && view->got[side]; side++) {
        const struct outputs *const got = view->got[side];

        if (got->count != 1 || eval_elements(got, 0) != x->truth.classes)
            return diag_fail(diag, STATUS_INVALID, "found %zu outputs of %zu scores, expected %zu",
                             got->count, got->count ? eval_elements(got, 0) : 0, x->truth.classes);
        answers[side] = top_of(x, got);
    }
    return STATUS_OK;
}

static enum status take(void *user, size_t image, enum eval_side side, const json_t *answer_of,
                        struct diag *diag)
{
    struct imagenet *const x = user;
    struct imagenet_top *const top = &x->top[side][image];
    const json_t *const classes = json_object_get(answer_of, "classes");
    const json_t *const scores = json_object_get(answer_of, "scores");
    const size_t count = json_array_size(classes);

    if (count == 0 || count > IMAGENET_TOP)
        return diag_fail(diag, STATUS_INVALID, "expected 1 to %d classes, found %zu", IMAGENET_TOP,
                         count);
    for (size_t i = 0; i < count; i++) {
        const json_int_t c = json_integer_value(json_array_get(classes, i));
        const json_t *const score = json_array_get(scores, i);

        if (c < 0 || (uint64_t)c >= x->truth.classes)
            return diag_fail(diag, STATUS_INVALID, "class %lld of %zu", (long long)c,
                             x->truth.classes);
        top->classes[i] = (uint32_t)c;
        top->scores[i] = json_is_number(score) ? json_number_value(score) : NAN;
    }
    top->count = (uint32_t)count;
    return STATUS_OK;
}

struct eval_task imagenet_task(struct imagenet *x)
{
    return (struct eval_task){ "imagenet", x, answer, take };
}

/* ---- metrics ---- */

uint32_t imagenet_rank(const struct imagenet *x, size_t image, enum eval_side side)
{
    const struct imagenet_top *const top = &x->top[side][image];

    for (uint32_t i = 0; i < top->count; i++) {
        if (x->truth.same[top->classes[i]] == x->truth.expected[image])
            return i;
    }
    return IMAGENET_TOP;
}

/* right[k][0..3]: images that both, the subject alone, the reference alone, and none have among
 * their best k + 1. */
static struct interval_pairs count_pairs(const struct imagenet *x, uint32_t k, bool has_reference)
{
    struct interval_pairs pairs = { 0, 0, 0, 0 };

    for (size_t i = 0; i < x->truth.images.count; i++) {
        bool subject, reference;

        if (x->truth.images.items[i].state != EVAL_ANSWERED)
            continue;
        subject = imagenet_rank(x, i, EVAL_SUBJECT) <= k;
        reference = has_reference && imagenet_rank(x, i, EVAL_REFERENCE) <= k;
        pairs.both += subject && reference;
        pairs.first_only += subject && !reference;
        pairs.second_only += !subject && reference;
        pairs.neither += !subject && !reference;
    }
    return pairs;
}

static json_t *best(const struct imagenet *x, size_t image, enum eval_side side)
{
    return json_integer(x->top[side][image].classes[0]);
}

static json_t *rank_of(const struct imagenet *x, size_t image, enum eval_side side)
{
    const uint32_t rank = imagenet_rank(x, image, side);

    return rank < IMAGENET_TOP ? json_integer(rank + 1) : json_null();
}

static void make_rows(const struct imagenet *x, bool has_reference, struct eval_report *r)
{
    r->rows = json_array();
    for (size_t i = 0; i < x->truth.images.count; i++) {
        const bool answered = x->truth.images.items[i].state == EVAL_ANSWERED;
        json_t *const row = eval_row(&x->truth.images.items[i]);

        json_object_set_new(row, "class", json_integer(x->truth.expected[i]));
        json_object_set_new(row, "subject_class",
                            answered ? best(x, i, EVAL_SUBJECT) : json_null());
        json_object_set_new(row, "subject_rank",
                            answered ? rank_of(x, i, EVAL_SUBJECT) : json_null());
        if (has_reference) {
            json_object_set_new(row, "reference_class",
                                answered ? best(x, i, EVAL_REFERENCE) : json_null());
            json_object_set_new(row, "reference_rank",
                                answered ? rank_of(x, i, EVAL_REFERENCE) : json_null());
        }
        json_array_append_new(r->rows, row);
    }
}

/* ---- labels that are shifted ---- */

/* Images whose best class is the expected one and `shift`. */
static size_t count_shifted(const struct imagenet *x, enum eval_side side, int64_t shift)
{
    size_t right = 0;

    for (size_t i = 0; i < x->truth.images.count; i++)
        right += x->truth.images.items[i].state == EVAL_ANSWERED &&
                 (int64_t)x->top[side][i].classes[0] == (int64_t)x->truth.expected[i] + shift;
    return right;
}

/* Classes are often counted from the background, ground truths from the first class: one off, and
 * nothing is right but by chance.  Said where the neighbour is right twice as often as what was
 * asked for, and in a tenth of all images more. */
static void hint_at_offset(const struct imagenet *x, bool has_reference, struct eval_report *r)
{
    const enum eval_side side = has_reference ? EVAL_REFERENCE : EVAL_SUBJECT;
    const size_t n = eval_images_count(&x->truth.images, EVAL_ANSWERED);
    const size_t right = count_shifted(x, side, 0);

    for (int64_t shift = -1; !x->truth.labels.lines && shift <= 1; shift += 2) {
        const size_t other = count_shifted(x, side, shift);

        if (other > 2 * right + n / 10)
            snprintf(r->hint, sizeof r->hint,
                     "--label-offset=%lld gives a top-1 of %.4f in place of %.4f%s",
                     (long long)(x->truth.offset + shift), (double)other / (double)n,
                     (double)right / (double)n, has_reference ? ", by the reference" : "");
    }
}

enum status imagenet_report(const struct imagenet *x, bool has_reference, struct eval_report *r,
                            struct diag *diag)
{
    static const char *const names[IMAGENET_TOP][2] = {
        { "Top-1 Accuracy:", "top_1" }, { "Top-2 Accuracy:", "top_2" },
        { "Top-3 Accuracy:", "top_3" }, { "Top-4 Accuracy:", "top_4" },
        { "Top-5 Accuracy:", "top_5" }, { "Top-6 Accuracy:", "top_6" },
        { "Top-7 Accuracy:", "top_7" }, { "Top-8 Accuracy:", "top_8" },
        { "Top-9 Accuracy:", "top_9" }, { "Top-10 Accuracy:", "top_10" }
    };
    const size_t n = eval_images_count(&x->truth.images, EVAL_ANSWERED);

    (void)diag;
    r->interval_method = "Newcombe 1998, method 10 (paired Wilson)";
    for (uint32_t k = 0; k < IMAGENET_TOP && k < x->truth.classes; k++) {
        const struct interval_pairs p = count_pairs(x, k, has_reference);
        struct eval_metric *const m = eval_report_metric(
            r, names[k][0], names[k][1], n ? (double)(p.both + p.first_only) / (double)n : NAN,
            n && has_reference ? (double)(p.both + p.second_only) / (double)n : NAN);

        m->has_interval = n && has_reference;
        m->interval = interval_paired(&p);
        if (k == 0)
            r->pairs = p;
    }
    r->has_pairs = has_reference && n > 0;
    for (size_t i = 0; r->has_pairs && i < x->truth.images.count; i++)
        r->same += x->truth.images.items[i].state == EVAL_ANSWERED &&
                   x->top[EVAL_SUBJECT][i].classes[0] == x->top[EVAL_REFERENCE][i].classes[0];
    if (x->truth.denied > 0)
        eval_report_note(r, "%zu images are on the list of those to leave out", x->truth.denied);
    hint_at_offset(x, has_reference, r);
    make_rows(x, has_reference, r);
    return STATUS_OK;
}
