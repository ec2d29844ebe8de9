/* TFLite_Detection_PostProcess: the boxes that a detector's head found, decoded and thinned out.
 *
 *     0 boxes [1,N,>=4]  y, x, h, w of each anchor's box, relative to it; the rest is not read
 *     1 scores [1,N,C]   of C classes, or of one more in front of them, the background
 *     2 anchors [N,4]    y, x, h, w
 *     ->
 *     0 boxes [1,M,4]    ymin, xmin, ymax, xmax
 *     1 classes [1,M], 2 scores [1,M], 3 count [1]
 *
 * M = max_detections * max_classes_per_detection.  Which boxes are kept follows from comparisons of
 * floats, so they are rounded here where the runtime rounds them.  Rows that the runtime leaves
 * unwritten are zero here.
 * Meaning: tflite/kernels/detection_postprocess.cc */
#include "reference/kernels/check.h"
#include "reference/kernels/op.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"

#include <math.h>
#include <string.h>

struct detection_params {
    int32_t max_detections, max_classes, per_class, classes;
    int32_t regular; /* suppress each class on its own */
    float score_threshold, iou_threshold;
    float scale[4]; /* of y, x, h, w */
};

_Static_assert(sizeof(struct detection_params) <= REF_PARAMS_MAX_BYTES, "params are too large");

/* ---- options ---- */

enum field_kind { WHOLE, REAL, TRUTH };

struct field {
    const char *key;
    enum field_kind kind;
    size_t at;
    bool optional;
    int32_t fallback, least; /* WHOLE, TRUTH */
};

#define AT(member) offsetof(struct detection_params, member)
static const struct field fields[] = {
    { "max_detections", WHOLE, AT(max_detections), false, 0, 0 },
    { "max_classes_per_detection", WHOLE, AT(max_classes), false, 0, 1 },
    { "detections_per_class", WHOLE, AT(per_class), true, 100, 0 },
    { "num_classes", WHOLE, AT(classes), false, 0, 1 },
    { "use_regular_nms", TRUTH, AT(regular), true, 0, 0 },
    { "nms_score_threshold", REAL, AT(score_threshold), false, 0, 0 },
    { "nms_iou_threshold", REAL, AT(iou_threshold), false, 0, 0 },
    { "y_scale", REAL, AT(scale[0]), false, 0, 0 },
    { "x_scale", REAL, AT(scale[1]), false, 0, 0 },
    { "h_scale", REAL, AT(scale[2]), false, 0, 0 },
    { "w_scale", REAL, AT(scale[3]), false, 0, 0 },
};
#undef AT

/* Writers may have stored any kind of number, so all are converted. */
static double as_number(const struct flex_value *v)
{
    return v->kind == FLEX_FLOAT ? v->f : v->kind == FLEX_UINT ? (double)v->u : (double)v->i;
}

static enum status read_field(const struct flex_map *m, const struct field *f, void *params,
                              struct diag *diag)
{
    void *const to = (char *)params + f->at;
    struct flex_value v;
    float real;

    if (!flex_map_find(m, f->key, &v) || v.kind == FLEX_NULL) {
        if (!f->optional)
            return diag_fail(diag, STATUS_INVALID, "option %s is missing", f->key);
        memcpy(to, &f->fallback, sizeof f->fallback);
        return STATUS_OK;
    }
    if (v.kind == FLEX_OTHER)
        return diag_fail(diag, STATUS_INVALID, "option %s is %s, expected a number", f->key,
                         flex_kind_text(v.kind));
    if (f->kind == REAL) {
        real = (float)as_number(&v);
        if (!isfinite(real))
            return diag_fail(diag, STATUS_INVALID, "option %s is %g, expected a finite number",
                             f->key, as_number(&v));
        memcpy(to, &real, sizeof real);
    } else {
        const double number = f->kind == TRUTH ? as_number(&v) != 0 : trunc(as_number(&v));
        int32_t whole;

        if (!(number >= f->least && number <= INT32_MAX))
            return diag_fail(diag, STATUS_INVALID, "option %s is %g, expected %d to 2147483647",
                             f->key, as_number(&v), f->least);
        whole = (int32_t)number;
        memcpy(to, &whole, sizeof whole);
    }
    return STATUS_OK;
}

static enum status check_options(const struct detection_params *p, struct diag *diag)
{
    if ((int64_t)p->max_detections * p->max_classes > INT32_MAX)
        return diag_fail(diag, STATUS_INVALID,
                         "max_detections %d times max_classes_per_detection %d, expected at most "
                         "2147483647 rows",
                         p->max_detections, p->max_classes);
    if (p->regular && (p->max_detections == 0 || p->per_class == 0))
        return diag_fail(diag, STATUS_INVALID,
                         "max_detections %d and detections_per_class %d, expected at least 1 with "
                         "use_regular_nms",
                         p->max_detections, p->per_class);
    if (!(p->iou_threshold > 0 && p->iou_threshold <= 1))
        return diag_fail(diag, STATUS_INVALID,
                         "option nms_iou_threshold is %g, expected above 0 "
                         "and at most 1",
                         (double)p->iou_threshold);
    for (size_t i = 0; i < 4; i++)
        if (p->scale[i] == 0)
            return diag_fail(diag, STATUS_INVALID, "option %c_scale is 0, expected another number",
                             "yxhw"[i]);
    return STATUS_OK;
}

static enum status detection_read(const uint8_t *bytes, size_t count, void *params,
                                  struct diag *diag)
{
    struct flex_map m;

    if (!bytes)
        return diag_fail(diag, STATUS_INVALID, "no options, expected a FlexBuffer map");
    TRY(flex_map_open(&m, bytes, count, diag));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        TRY(read_field(&m, &fields[i], params, diag));
    return check_options(params, diag);
}

/* ---- shapes ---- */

static enum status check_inputs(const struct ref_call *call, struct diag *diag)
{
    static const char *const roles[] = { "boxes", "scores", "anchors" };
    const uint32_t types = REF_TYPE(Float32) | REF_TYPE(UInt8);

    for (int i = 0; i < 3; i++)
        TRY(ref_check_in_types(call, diag, i, roles[i], types, i == 2 ? 2 : 3, i == 2 ? 2 : 3));
    if (call->in[2]->type != call->in[0]->type)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (anchors): %s, expected %s as input 0 (boxes)",
                        runtime_type_name(call->in[2]->type), runtime_type_name(call->in[0]->type));
    for (int o = 0; o < 4; o++)
        TRY(ref_check_out(call, diag, o, kTfLiteFloat32));
    return STATUS_OK;
}

static enum status detection_prepare(struct ref_call *call, struct diag *diag)
{
    const struct detection_params *const p = call->params;
    const TfLiteTensor *const *in = (const TfLiteTensor *const *)call->in;
    const int32_t rows = p->max_detections * p->max_classes;
    int32_t n;

    TRY(check_inputs(call, diag));
    n = ref_dim(in[0], 1);
    if (ref_dim(in[0], 0) != 1 || ref_dim(in[0], 2) < 4)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (boxes): [%d,%d,%d], expected [1,N,4] or more in the last "
                        "dimension",
                        ref_dim(in[0], 0), n, ref_dim(in[0], 2));
    if (ref_dim(in[1], 0) != 1 || ref_dim(in[1], 1) != n)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (scores): [%d,%d,%d], expected [1,%d,C]", ref_dim(in[1], 0),
                        ref_dim(in[1], 1), ref_dim(in[1], 2), n);
    if (ref_dim(in[1], 2) < p->classes || ref_dim(in[1], 2) - p->classes > 1)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (scores): %d classes, expected num_classes %d or one more, the "
                        "background",
                        ref_dim(in[1], 2), p->classes);
    if (ref_dim(in[2], 0) != n || ref_dim(in[2], 1) != 4)
        return ref_fail(call, diag, STATUS_INVALID, "input 2 (anchors): [%d,%d], expected [%d,4]",
                        ref_dim(in[2], 0), ref_dim(in[2], 1), n);
    call->out_shape[0] = (struct ref_shape){ .rank = 3, .dims = { 1, rows, 4 } };
    call->out_shape[1] = (struct ref_shape){ .rank = 2, .dims = { 1, rows } };
    call->out_shape[2] = (struct ref_shape){ .rank = 2, .dims = { 1, rows } };
    call->out_shape[3] = (struct ref_shape){ .rank = 1, .dims = { 1 } };
    return STATUS_OK;
}

/* ---- decoding ---- */

struct box {
    float ymin, xmin, ymax, xmax;
};

struct candidate {
    float score;
    int32_t box, class;
};

struct detection {
    const struct detection_params *p;
    struct ref_call *call;
    struct diag *diag;
    size_t boxes, columns; /* of the scores */
    size_t background;     /* 1: column 0 is the background */
    struct box *box;
    const float *score;           /* boxes * columns */
    struct candidate *candidates; /* of one suppression */
};

/* The tensor's floats; those of 8 bits are written to `copy`, which has room for them. */
static const float *floats_of(const TfLiteTensor *t, float *copy)
{
    const size_t count = ref_elements(t);
    float real[256];

    if (t->type != kTfLiteUInt8)
        return t->data.f;
    for (int q = 0; q < 256; q++)
        real[q] = (float)(q - t->params.zero_point) * t->params.scale;
    for (size_t i = 0; i < count; i++)
        copy[i] = real[t->data.uint8[i]];
    return copy;
}

/* A center relative to the anchor's, and half of a size. */
static float decode_center(float value, float scale, float anchor_size, float anchor)
{
    return (float)((double)value / (double)scale * (double)anchor_size + (double)anchor);
}

static float decode_half(float value, float scale, float anchor_size)
{
    return (float)(0.5 * exp((double)value / (double)scale) * (double)anchor_size);
}

static enum status decode(const struct detection *d, const float *boxes, const float *anchors)
{
    const size_t width = (size_t)ref_dim(d->call->in[0], 2);
    const float *const scale = d->p->scale;

    for (size_t i = 0; i < d->boxes; i++) {
        const float *const b = boxes + i * width, *const a = anchors + i * 4;
        float y, x, half_h, half_w;

        y = decode_center(b[0], scale[0], a[2], a[0]);
        x = decode_center(b[1], scale[1], a[3], a[1]);
        half_h = decode_half(b[2], scale[2], a[2]);
        half_w = decode_half(b[3], scale[3], a[3]);
        d->box[i] = (struct box){ y - half_h, x - half_w, y + half_h, x + half_w };
        if (d->box[i].ymin > d->box[i].ymax || d->box[i].xmin > d->box[i].xmax)
            return ref_fail(d->call, d->diag, STATUS_INVALID,
                            "box %zu: [%g,%g] to [%g,%g], expected a size of at least 0 (anchor "
                            "%g by %g)",
                            i, (double)d->box[i].ymin, (double)d->box[i].xmin,
                            (double)d->box[i].ymax, (double)d->box[i].xmax, (double)a[2],
                            (double)a[3]);
    }
    return STATUS_OK;
}

/* Intersection over union; 0 where an area is not positive. */
static float overlap(const struct box *a, const struct box *b)
{
    const float area_a = (a->ymax - a->ymin) * (a->xmax - a->xmin);
    const float area_b = (b->ymax - b->ymin) * (b->xmax - b->xmin);
    const float top = a->ymin < b->ymin ? b->ymin : a->ymin;
    const float left = a->xmin < b->xmin ? b->xmin : a->xmin;
    const float bottom = b->ymax < a->ymax ? b->ymax : a->ymax;
    const float right = b->xmax < a->xmax ? b->xmax : a->xmax;
    const float height = bottom - top, width = right - left;
    float both;

    if (area_a <= 0 || area_b <= 0)
        return 0;
    both = (height < 0 ? 0 : height) * (width < 0 ? 0 : width);
    return both / (area_a + area_b - both);
}

/* ---- suppression ---- */

/* By falling scores; equal ones stay in the order of their boxes. */
static bool comes_before(const struct candidate *x, const struct candidate *y)
{
    return x->score != y->score ? x->score > y->score : x->box < y->box;
}

/* In a heap at c[0] to c[-(count - 1)], the first one on top: puts `x` at the hole, or below it. */
static void sink(struct candidate *c, ptrdiff_t count, ptrdiff_t hole, struct candidate x)
{
    for (ptrdiff_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && comes_before(&c[-(child + 1)], &c[-child]))
            child++;
        if (!comes_before(&c[-child], &x))
            break;
        c[-hole] = c[-child];
    }
    c[-hole] = x;
}

/* Whether a better box that is kept, of c[0] to c[kept - 1], overlaps the box by more than the
 * threshold. */
static bool is_suppressed(const struct detection *d, const struct candidate *c, size_t kept,
                          int32_t box)
{
    for (size_t i = 0; i < kept; i++)
        if (overlap(&d->box[c[i].box], &d->box[box]) > d->p->iou_threshold)
            return true;
    return false;
}

/* Of the first `count` candidates, keeps at most `limit`, the best first, none of which overlaps a
 * better one by more than the threshold.  Returns how many.  Few of many candidates are kept, so
 * they come from a heap, whose top is the last one of the list, and no more than are looked at. */
static size_t suppress(const struct detection *d, size_t count, size_t limit)
{
    struct candidate *const c = d->candidates, *const top = c + (count ? count - 1 : 0);
    ptrdiff_t left = (ptrdiff_t)count;
    size_t kept = 0;

    for (ptrdiff_t i = left / 2; i-- > 0;)
        sink(top, left, i, top[-i]);
    while (left > 0 && kept < limit) {
        const struct candidate best = top[0], last = top[-(left - 1)];

        if (--left > 0)
            sink(top, left, 0, last);
        if (!is_suppressed(d, c, kept, best.box))
            c[kept++] = best;
    }
    return kept;
}

static void store(const struct detection *d, int output, size_t at, float value)
{
    ref_store(d->call, output, at, (double)value, fabs((double)value), 1);
}

static void store_row(const struct detection *d, size_t row, size_t box, size_t class, float score)
{
    const struct box *const b = &d->box[box];

    store(d, 0, 4 * row, b->ymin);
    store(d, 0, 4 * row + 1, b->xmin);
    store(d, 0, 4 * row + 2, b->ymax);
    store(d, 0, 4 * row + 3, b->xmax);
    store(d, 1, row, (float)class);
    store(d, 2, row, score);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- fast: a box competes with its best class, and brings its next ones along ---- */

/* A heap of classes whose least score is on top.  Which of two equal scores comes first follows
 * from the order in which a heap moves them, and 8-bit scores are often equal, so this is the heap
 * of the runtime's standard library: a hole sinks to a leaf, past the lesser child (of equal ones
 * the right), and the class then rises from there. */
static void heap_place(const float *scores, int32_t *heap, size_t count, size_t hole, int32_t class)
{
    const size_t top = hole;
    size_t child;

    while ((child = 2 * hole + 1) < count) {
        if (child + 1 < count && !(scores[heap[child + 1]] > scores[heap[child]]))
            child++;
        heap[hole] = heap[child];
        hole = child;
    }
    while (hole > top && scores[heap[(hole - 1) / 2]] > scores[class]) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = class;
}

/* The first of the largest scores. */
static size_t best_class(const struct detection *d, const float *scores)
{
    size_t best = 0;

    for (size_t i = 1; i < (size_t)d->p->classes; i++)
        if (scores[i] > scores[best])
            best = i;
    return best;
}

/* The largest score, in four runs, so that one comparison need not wait for another.  As that of
 * best_class it is NaN if the first one is. */
static float best_score(const struct detection *d, const float *scores)
{
    const size_t classes = (size_t)d->p->classes;
    float best[4] = { scores[0], scores[0], scores[0], scores[0] };

    for (size_t i = 0; i + 4 <= classes; i += 4)
        for (size_t k = 0; k < 4; k++)
            best[k] = scores[i + k] > best[k] ? scores[i + k] : best[k];
    for (size_t i = classes / 4 * 4; i < classes; i++)
        best[0] = scores[i] > best[0] ? scores[i] : best[0];
    for (size_t k = 1; k < 4; k++)
        best[0] = best[k] > best[0] ? best[k] : best[0];
    return best[0];
}

/* The `count` best classes, the best first. */
static void best_classes(const struct detection *d, const float *scores, int32_t *best,
                         size_t count)
{
    if (count == 1) {
        best[0] = (int32_t)best_class(d, scores);
        return;
    }
    for (size_t i = 0; i < count; i++)
        best[i] = (int32_t)i;
    for (size_t i = count / 2; i-- > 0;)
        heap_place(scores, best, count, i, best[i]);
    for (size_t i = count; i < (size_t)d->p->classes; i++)
        if (scores[i] > scores[best[0]])
            heap_place(scores, best, count, 0, (int32_t)i);
    for (size_t i = count - 1; i > 0; i--) {
        const int32_t class = best[i];

        best[i] = best[0];
        heap_place(scores, best, i, 0, class);
    }
}

static const float *scores_of(const struct detection *d, size_t box)
{
    return d->score + box * d->columns + d->background;
}

static enum status run_fast(const struct detection *d, size_t *kept)
{
    const size_t rows = (size_t)d->p->max_classes;
    const size_t classes = smaller(rows, (size_t)d->p->classes);
    int32_t *best = mem_alloc(classes, sizeof *best);
    size_t count = 0;

    if (!best)
        return ref_fail(d->call, d->diag, STATUS_NO_MEMORY, "no memory for %zu classes", classes);
    for (size_t i = 0; i < d->boxes; i++) {
        const float score = best_score(d, scores_of(d, i));

        if (score >= d->p->score_threshold)
            d->candidates[count++] = (struct candidate){ .score = score, .box = (int32_t)i };
    }
    *kept = suppress(d, count, (size_t)d->p->max_detections);
    for (size_t i = 0; i < *kept; i++) {
        const size_t box = (size_t)d->candidates[i].box;

        best_classes(d, scores_of(d, box), best, classes);
        for (size_t k = 0; k < classes; k++)
            store_row(d, rows * i + k, box, (size_t)best[k], scores_of(d, box)[best[k]]);
    }
    mem_free(best);
    return STATUS_OK;
}

/* ---- regular: each class on its own ---- */

/* Merges the best of one class into the best of all; of equal scores those of earlier classes come
 * first. */
static size_t merge(struct candidate *all, size_t count, const struct candidate *more, size_t added,
                    size_t limit)
{
    const size_t merged = count + added;
    size_t from = count, to = merged;

    while (added > 0) {
        if (from > 0 && all[from - 1].score < more[added - 1].score)
            all[--to] = all[--from];
        else
            all[--to] = more[--added];
    }
    return smaller(merged, limit);
}

static enum status run_regular(const struct detection *d, size_t *kept)
{
    const size_t limit = (size_t)d->p->max_detections;
    const size_t per_class = smaller((size_t)d->p->per_class, limit);
    struct candidate *all;
    size_t room, count = 0;

    /* As many as there can be, since max_detections may be any number. */
    if (!checked_mul(d->boxes, (size_t)d->p->classes, &room))
        room = SIZE_MAX / 2;
    room = smaller(room, limit) + smaller(per_class, d->boxes);
    if (!(all = mem_alloc(room, sizeof *all)))
        return ref_fail(d->call, d->diag, STATUS_NO_MEMORY, "no memory for %zu detections", room);
    for (size_t class = 0; class < (size_t)d->p->classes; class ++) {
        size_t candidates = 0, added;

        for (size_t i = 0; i < d->boxes; i++) {
            const float score = scores_of(d, i)[class];

            if (score >= d->p->score_threshold)
                d->candidates[candidates++] = (struct candidate){ .score = score,
                                                                  .box = (int32_t)i,
                                                                  .class = (int32_t) class };
        }
        added = suppress(d, candidates, per_class);
        count = merge(all, count, d->candidates, added, limit);
    }
    for (size_t i = 0; i < count; i++)
        store_row(d, i, (size_t)all[i].box, (size_t)all[i].class, all[i].score);
    mem_free(all);
    *kept = count;
    return STATUS_OK;
}

static void clear_outputs(const struct detection *d)
{
    for (int o = 0; o < 4; o++)
        for (size_t i = 0; i < ref_elements(d->call->out[o]); i++)
            store(d, o, i, 0);
}

static enum status run(struct detection *d, float *copies)
{
    const TfLiteTensor *const boxes = d->call->in[0], *const anchors = d->call->in[2];
    float *const of_anchors = copies + ref_elements(boxes);
    size_t kept = 0;

    d->score = floats_of(d->call->in[1], of_anchors + ref_elements(anchors));
    TRY(decode(d, floats_of(boxes, copies), floats_of(anchors, of_anchors)));
    clear_outputs(d);
    TRY(d->p->regular ? run_regular(d, &kept) : run_fast(d, &kept));
    store(d, 3, 0, (float)kept);
    return STATUS_OK;
}

static enum status detection_eval(struct ref_call *call, struct diag *diag)
{
    const struct detection_params *const p = call->params;
    struct detection d = { .p = p, .call = call, .diag = diag };
    const size_t floats =
        ref_elements(call->in[0]) + ref_elements(call->in[1]) + ref_elements(call->in[2]);
    float *copies;
    enum status s;

    d.boxes = (size_t)ref_dim(call->in[0], 1);
    d.columns = (size_t)ref_dim(call->in[1], 2);
    d.background = d.columns - (size_t)p->classes;
    d.box = mem_alloc(d.boxes, sizeof *d.box);
    d.candidates = mem_alloc(d.boxes, sizeof *d.candidates);
    copies = mem_alloc(floats, sizeof *copies);
    if (d.box && d.candidates && copies)
        s = run(&d, copies);
    else
        s = ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for %zu boxes of %zu scores", d.boxes,
                     d.columns);
    mem_free(d.box);
    mem_free(d.candidates);
    mem_free(copies);
    return s;
}

static const struct ref_op ops[] = {
    { .name = "detection_postprocess",
      .code = BUILTIN_CUSTOM,
      .custom_name = "TFLite_Detection_PostProcess",
      .max_version = 1,
      .params_bytes = sizeof(struct detection_params),
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 4,
      .max_outputs = 4,
      .read_custom = detection_read,
      .prepare = detection_prepare,
      .eval = detection_eval },
};

const struct ref_family ref_detection_postprocess = { ops, sizeof ops / sizeof *ops };
