/* Finds by their shapes what the outputs are, and draws it. */
#include "conformance/suite/io/overlay.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/canvas.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_integer(const TfLiteTensor *t)
{
    return t->type == kTfLiteInt64 || t->type == kTfLiteInt32 ||
           (t->type == kTfLiteUInt8 && !tensor_has_scale(t));
}

static const char *name_of(const struct overlay_request *r, size_t class_, char text[32])
{
    const char *const label = r->labels ? labels_find(r->labels, class_) : NULL;

    if (label)
        snprintf(text, 32, "%.*s", (int)strcspn(label, ","), label); /* the first of its names */
    else
        snprintf(text, 32, "%zu", class_);
    return text;
}

/* ---- boxes ---- */

struct boxes {
    const TfLiteTensor *boxes, *classes, *scores, *count;
};

static bool has_fractions(const TfLiteTensor *t)
{
    for (size_t i = 0; i < ref_elements(t); i++) {
        const double x = tensor_real(t, i);

        if (x != floor(x))
            return true;
    }
    return false;
}

static bool find_boxes(const struct overlay_request *r, struct boxes *b)
{
    const TfLiteTensor *rows[2] = { NULL, NULL };
    size_t found = 0;

    *b = (struct boxes){ NULL, NULL, NULL, NULL };
    for (size_t i = 0; i < r->count && r->count == 4; i++) {
        const TfLiteTensor *const t = r->outputs[i];
        const int rank = ref_rank(t);

        if (rank == 3 && t->dims->data[0] == 1 && t->dims->data[2] == 4 && !b->boxes)
            b->boxes = t;
        else if (ref_elements(t) == 1 && rank <= 1 && !b->count)
            b->count = t;
        else if (rank == 2 && t->dims->data[0] == 1 && found < 2)
            rows[found++] = t;
    }
    if (!b->boxes || !b->count || found != 2 || rows[0]->dims->data[1] != b->boxes->dims->data[1] ||
        rows[1]->dims->data[1] != b->boxes->dims->data[1])
        return false;
    /* Converters permute the op's outputs; scores are hardly all whole numbers. */
    b->classes = has_fractions(rows[0]) ? rows[1] : rows[0];
    b->scores = b->classes == rows[0] ? rows[1] : rows[0];
    return true;
}

static enum status draw_boxes(struct image *image, const struct overlay_request *r, char *summary,
                              size_t bytes, struct diag *diag)
{
    const struct canvas c = canvas_on(image);
    const double wide = image->width, high = image->height;
    struct boxes b;
    double all;
    size_t drawn = 0;

    (void)diag;
    find_boxes(r, &b);
    all = tensor_real(b.count, 0);
    for (size_t i = ref_elements(b.scores); i-- > 0;) { /* the best one last, on top */
        const double score = tensor_real(b.scores, i), class_ = tensor_real(b.classes, i);
        const double top = high * tensor_real(b.boxes, 4 * i);
        const double left = wide * tensor_real(b.boxes, 4 * i + 1);
        const size_t index = class_ >= 0 && class_ < 1e6 ? (size_t)class_ : 0;
        const struct colour colour = canvas_colour(index);
        char text[160], number[32];

        if (!((double)i < all && score >= r->threshold))
            continue;
        canvas_box(&c, left, top, wide * tensor_real(b.boxes, 4 * i + 3),
                   high * tensor_real(b.boxes, 4 * i + 2), colour);
        snprintf(text, sizeof text, "%s %.2f", name_of(r, index, number), score);
        canvas_text(&c, left, top - canvas_text_height(&c), text, colour);
        drawn++;
    }
    snprintf(summary, bytes, "%zu boxes with scores from %g", drawn, r->threshold);
    return STATUS_OK;
}

/* ---- masks ---- */

/* classes: of the scores; 0: the tensor has the classes themselves. */
struct mask {
    const TfLiteTensor *tensor;
    int32_t height, width, classes;
};

static bool find_mask(const struct overlay_request *r, struct mask *m)
{
    const TfLiteTensor *const t = r->count == 1 ? r->outputs[0] : NULL;
    const int rank = t ? ref_rank(t) : 0;
    bool integers;

    if (rank < 3 || rank > 4 || t->dims->data[0] != 1)
        return false;
    *m = (struct mask){ t, t->dims->data[1], t->dims->data[2], rank == 4 ? t->dims->data[3] : 1 };
    if (m->height < 2 || m->width < 2)
        return false;
    integers = m->classes == 1;
    if (integers)
        m->classes = 0;
    return integers ? is_integer(t) : rank == 4;
}

static size_t class_at(const struct mask *m, size_t pixel)
{
    size_t best = 0;
    double most = -INFINITY;

    if (m->classes == 0) {
        const double x = tensor_real(m->tensor, pixel);

        return x >= 0 && x < 1e6 ? (size_t)x : 0;
    }
    for (size_t k = 0; k < (size_t)m->classes; k++) {
        const double x = tensor_real(m->tensor, pixel * (size_t)m->classes + k);

        if (x > most) {
            most = x;
            best = k;
        }
    }
    return best;
}

static size_t source_of(uint32_t at, uint32_t extent, int32_t mask_extent)
{
    return (size_t)((at + 0.5) * mask_extent / extent);
}

enum { MASK_CLASSES = 1024, LEGEND_ROWS = 8 };

static void legend(const struct canvas *c, const struct overlay_request *r, size_t *pixels,
                   char *summary, size_t bytes)
{
    const double all = (double)c->image->width * c->image->height;
    size_t used = (size_t)snprintf(summary, bytes, "mask:");
    bool any = false;

    for (int row = 0; row < LEGEND_ROWS; row++) {
        size_t most = 1;
        char text[160], number[32];

        for (size_t k = 1; k < MASK_CLASSES; k++)
            most = pixels[k] > pixels[most] ? k : most;
        if (pixels[most] == 0)
            break;
        any = true;
        snprintf(text, sizeof text, "%s %.1f%%", name_of(r, most, number),
                 100 * (double)pixels[most] / all);
        canvas_text(c, c->unit, c->unit + row * canvas_text_height(c), text, canvas_colour(most));
        if (used < bytes)
            used += (size_t)snprintf(summary + used, bytes - used, "%s %s", row ? "," : "", text);
        pixels[most] = 0;
    }
    if (!any)
        snprintf(summary, bytes, "mask: background only");
}

static enum status draw_mask(struct image *image, const struct overlay_request *r, char *summary,
                             size_t bytes, struct diag *diag)
{
    const struct canvas c = canvas_on(image);
    size_t *pixels;
    uint16_t *classes;
    struct mask m;

    find_mask(r, &m);
    pixels = mem_alloc(MASK_CLASSES, sizeof *pixels);
    classes = mem_alloc((size_t)m.height * (size_t)m.width, sizeof *classes);
    if (!pixels || !classes) {
        mem_free(pixels);
        mem_free(classes);
        return diag_fail(diag, STATUS_NO_MEMORY, "a mask of %d x %d", m.height, m.width);
    }
    memset(pixels, 0, MASK_CLASSES * sizeof *pixels);
    for (size_t i = 0; i < (size_t)m.height * (size_t)m.width; i++) {
        const size_t k = class_at(&m, i);

        classes[i] = (uint16_t)(k < MASK_CLASSES ? k : MASK_CLASSES - 1);
    }
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            const size_t k = classes[source_of(y, image->height, m.height) * (size_t)m.width +
                                     source_of(x, image->width, m.width)];

            pixels[k]++;
            if (k != 0)
                canvas_blend(&c, (int)x, (int)y, canvas_colour(k), 0.55);
        }
    }
    legend(&c, r, pixels, summary, bytes);
    mem_free(pixels);
    mem_free(classes);
    return STATUS_OK;
}

/* ---- keypoints ---- */

struct pose {
    const TfLiteTensor *heatmaps, *offsets;
    int32_t height, width, count;
};

/* The keypoints of COCO: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles. */
enum { COCO_KEYPOINTS = 17 };
static const uint8_t edges[][2] = { { 0, 1 },   { 0, 2 },   { 1, 3 },   { 2, 4 },
                                    { 5, 6 },   { 5, 7 },   { 7, 9 },   { 6, 8 },
                                    { 8, 10 },  { 5, 11 },  { 6, 12 },  { 11, 12 },
                                    { 11, 13 }, { 13, 15 }, { 12, 14 }, { 14, 16 } };

static bool is_image(const TfLiteTensor *t)
{
    return ref_rank(t) == 4 && t->dims->data[0] == 1 && t->dims->data[3] > 0;
}

static bool find_pose(const struct overlay_request *r, struct pose *p)
{
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->count; k++) {
            const TfLiteTensor *const h = r->outputs[i], *const o = r->outputs[k];

            if (!is_image(h) || !is_image(o) || h->dims->data[1] != o->dims->data[1] ||
                h->dims->data[2] != o->dims->data[2] ||
                2 * (int64_t)h->dims->data[3] != o->dims->data[3] || ref_elements(h) == 0)
                continue;
            *p = (struct pose){ h, o, h->dims->data[1], h->dims->data[2], h->dims->data[3] };
            return r->input && is_image(r->input);
        }
    }
    return false;
}

struct keypoint {
    double x, y, score; /* x and y as shares of the image */
};

/* Cells lie a stride of (input - 1) / (cells - 1) pixels from each other. */
static double place(int32_t cell, int32_t cells, int32_t input, double offset)
{
    const double stride = cells > 1 ? (input - 1.0) / (cells - 1) : 0;

    return input > 1 ? (cell * stride + offset) / (input - 1) : 0;
}

static struct keypoint find_keypoint(const struct pose *p, const TfLiteTensor *input, int32_t k)
{
    struct keypoint point = { 0, 0, -INFINITY };
    int32_t best = 0;

    for (int32_t cell = 0; cell < p->height * p->width; cell++) {
        const double x = tensor_real(p->heatmaps, (size_t)cell * (size_t)p->count + (size_t)k);

        if (x > point.score) {
            point.score = x;
            best = cell;
        }
    }
    point.y = place(best / p->width, p->height, input->dims->data[1],
                    tensor_real(p->offsets, (size_t)best * 2 * (size_t)p->count + (size_t)k));
    point.x = place(
        best % p->width, p->width, input->dims->data[2],
        tensor_real(p->offsets, (size_t)best * 2 * (size_t)p->count + (size_t)(p->count + k)));
    return point;
}

static bool are_logits(const TfLiteTensor *t)
{
    for (size_t i = 0; i < ref_elements(t); i++) {
        if (tensor_real(t, i) < 0 || tensor_real(t, i) > 1)
            return true;
    }
    return false;
}

static void draw_points(const struct canvas *c, const struct overlay_request *r,
                        const struct keypoint *points, size_t count)
{
    const double wide = c->image->width - 1.0, high = c->image->height - 1.0;

    for (size_t e = 0; count == COCO_KEYPOINTS && e < sizeof edges / sizeof edges[0]; e++) {
        const struct keypoint *const a = &points[edges[e][0]], *const b = &points[edges[e][1]];

        if (a->score >= r->threshold && b->score >= r->threshold)
            canvas_line(c, wide * a->x, high * a->y, wide * b->x, high * b->y,
                        canvas_colour(edges[e][1]));
    }
    for (size_t k = 0; k < count; k++) {
        char number[32];

        if (!(points[k].score >= r->threshold))
            continue;
        canvas_dot(c, wide * points[k].x, high * points[k].y, canvas_colour(k));
        if (r->labels && labels_find(r->labels, k))
            canvas_text(c, wide * points[k].x + 4 * c->unit, high * points[k].y,
                        name_of(r, k, number), canvas_colour(k));
    }
}

static enum status draw_pose(struct image *image, const struct overlay_request *r, char *summary,
                             size_t bytes, struct diag *diag)
{
    const struct canvas c = canvas_on(image);
    struct keypoint *points;
    struct pose p = { NULL, NULL, 0, 0, 0 };
    size_t drawn = 0;
    bool logits;

    find_pose(r, &p);
    if (!(points = mem_alloc((size_t)p.count, sizeof *points)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%d keypoints", p.count);
    logits = are_logits(p.heatmaps);
    for (int32_t k = 0; k < p.count; k++) {
        points[k] = find_keypoint(&p, r->input, k);
        if (logits)
            points[k].score = 1 / (1 + exp(-points[k].score));
        drawn += points[k].score >= r->threshold;
    }
    draw_points(&c, r, points, (size_t)p.count);
    mem_free(points);
    snprintf(summary, bytes, "%zu of %d keypoints with scores from %g", drawn, p.count,
             r->threshold);
    return STATUS_OK;
}

/* ---- which of them ---- */

static bool has_boxes(const struct overlay_request *r)
{
    struct boxes b;

    return find_boxes(r, &b);
}

static bool has_mask(const struct overlay_request *r)
{
    struct mask m;

    return find_mask(r, &m);
}

static bool has_pose(const struct overlay_request *r)
{
    struct pose p;

    return find_pose(r, &p);
}

static const struct {
    enum overlay_kind kind;
    bool (*has)(const struct overlay_request *r);
    enum status (*draw)(struct image *image, const struct overlay_request *r, char *summary,
                        size_t bytes, struct diag *diag);
    const char *expected;
} forms[] = {
    { OVERLAY_BOXES, has_boxes, draw_boxes,
      "the outputs of TFLite_Detection_PostProcess: [1, N, 4], [1, N], [1, N], [1]" },
    { OVERLAY_MASK, has_mask, draw_mask,
      "one output of scores [1, h, w, classes], or of classes [1, h, w] in integers" },
    { OVERLAY_KEYPOINTS, has_pose, draw_pose,
      "heatmaps [1, h, w, K] and offsets [1, h, w, 2 K], and an image as input" },
};

static void outputs_text(const struct overlay_request *r, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < r->count && used < bytes; i++) {
        char shape[128];

        array_shape_text(shape, sizeof shape, (size_t)ref_rank(r->outputs[i]),
                         r->outputs[i]->dims->data);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s %s", i ? ", " : "",
                                 runtime_type_name(r->outputs[i]->type), shape);
    }
}

enum status overlay_draw(struct image *image, const struct overlay_request *r, char *summary,
                         size_t summary_bytes, struct diag *diag)
{
    char found[512];

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (r->kind != OVERLAY_BY_SHAPES && r->kind != forms[i].kind)
            continue;
        if (forms[i].has(r))
            return forms[i].draw(image, r, summary, summary_bytes, diag);
        if (r->kind != OVERLAY_BY_SHAPES) {
            outputs_text(r, found, sizeof found);
            return diag_fail(diag, STATUS_UNSUPPORTED, "outputs %s, expected %s", found,
                             forms[i].expected);
        }
    }
    outputs_text(r, found, sizeof found);
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "outputs %s: neither boxes, nor a mask, nor keypoints", found);
}
