#include "conformance/tools/eval/coco_match.h"

#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One image and category while it is matched. */
struct group {
    const struct coco_detection *detections[COCO_DETECTIONS_MAX];
    size_t detection_count;
    const struct coco_object **objects; /* those of the image */
    size_t object_count;
    double *iou;   /* [detection][object] */
    size_t *order; /* of objects: those that count first */
    bool *out;     /* of object i: it does not count */
    bool *taken;   /* of object i, at the threshold in hand */
};

static const double area_ranges[COCO_AREAS][2] = {
    { 0, 1e10 }, { 0, 32 * 32 }, { 32 * 32, 96 * 96 }, { 96 * 96, 1e10 }
};

double coco_threshold(int t)
{
    const double step = (0.95 - 0.5) / (COCO_THRESHOLDS - 1);

    return t == COCO_THRESHOLDS - 1 ? 0.95 : (double)t * step + 0.5;
}

double coco_iou(const struct coco_box *detection, const struct coco_box *object, bool crowd)
{
    const double width = fmin(detection->width + detection->x, object->width + object->x) -
                         fmax(detection->x, object->x);
    const double height = fmin(detection->height + detection->y, object->height + object->y) -
                          fmax(detection->y, object->y);
    const double area = detection->width * detection->height;
    double common;

    if (!(width > 0) || !(height > 0))
        return 0;
    common = width * height;
    return common / (crowd ? area : area + object->width * object->height - common);
}

/* ---- matching ---- */

static bool in_range(double area, int range)
{
    return area >= area_ranges[range][0] && area <= area_ranges[range][1];
}

/* The object that detection d finds at threshold t: the one of the largest IoU, the last of equals,
 * and one that counts before one that does not.  -1: none. */
static long find_object(const struct group *g, size_t d, double threshold)
{
    double best = fmin(threshold, 1 - 1e-10);
    long found = -1;

    for (size_t i = 0; i < g->object_count; i++) {
        const size_t o = g->order[i];

        if (g->taken[o] && !g->objects[o]->crowd)
            continue;
        if (found >= 0 && !g->out[found] && g->out[o])
            break; /* only those that do not count are left */
        if (g->iou[d * g->object_count + o] < best)
            continue;
        best = g->iou[d * g->object_count + o];
        found = (long)o;
    }
    return found;
}

/* Objects that are crowds or out of range do not count, and go last. */
static void order_objects(struct group *g, int range)
{
    size_t used = 0;

    for (size_t o = 0; o < g->object_count; o++)
        g->out[o] = g->objects[o]->crowd || !in_range(g->objects[o]->area, range);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t o = 0; o < g->object_count; o++) {
            if (g->out[o] == (pass == 1))
                g->order[used++] = o;
        }
    }
}

static void match_range(struct group *g, int range, struct coco_entry *entries)
{
    order_objects(g, range);
    for (int t = 0; t < COCO_THRESHOLDS; t++) {
        memset(g->taken, 0, g->object_count * sizeof *g->taken);
        for (size_t d = 0; d < g->detection_count; d++) {
            const struct coco_box *const box = &g->detections[d]->box;
            const long found = find_object(g, d, coco_threshold(t));

            if (found >= 0) {
                g->taken[found] = true;
                entries[d].hit[range] |= (uint16_t)(1U << t);
            }
            if (found >= 0 ? g->out[found] : !in_range(box->width * box->height, range))
                entries[d].ignored[range] |= (uint16_t)(1U << t);
        }
    }
}

static void match_group(struct group *g, struct coco_matched *c)
{
    struct coco_entry *const entries = c->entries + c->entry_count;

    for (size_t d = 0; d < g->detection_count; d++) {
        entries[d] = (struct coco_entry){ .score = g->detections[d]->score,
                                          .image = g->detections[d]->image,
                                          .rank = (uint16_t)d };
        for (size_t o = 0; o < g->object_count; o++)
            g->iou[d * g->object_count + o] =
                coco_iou(&g->detections[d]->box, &g->objects[o]->box, g->objects[o]->crowd);
    }
    for (int range = 0; range < COCO_AREAS; range++) {
        match_range(g, range, entries);
        for (size_t o = 0; o < g->object_count; o++) {
            if (!g->out[o])
                c->positives[range][c->positive_count[range]++] = g->objects[o]->image;
        }
    }
    c->entry_count += g->detection_count;
}

/* ---- sorting ---- */

static int by_detection(const void *a, const void *b)
{
    const struct coco_detection *const x = *(const struct coco_detection *const *)a,
                                       *const y = *(const struct coco_detection *const *)b;

    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->image != y->image)
        return x->image < y->image ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x > y) - (x < y); /* their order in the file */
}

static int by_object(const void *a, const void *b)
{
    const struct coco_object *const x = *(const struct coco_object *const *)a,
                                    *const y = *(const struct coco_object *const *)b;

    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->image != y->image)
        return x->image < y->image ? -1 : 1;
    return (x > y) - (x < y);
}

static int by_score(const void *a, const void *b)
{
    const struct coco_entry *const x = a, *const y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->image != y->image)
        return x->image < y->image ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Both inputs sorted, and how far they are read. */
struct sorted {
    const struct coco_detection **detections;
    const struct coco_object **objects;
    size_t detection_count, object_count, detection_at, object_at;
};

static enum status sort_input(struct sorted *x, const struct coco_input *input, struct diag *diag)
{
    x->detection_count = input->detection_count;
    x->object_count = input->object_count;
    x->detections = mem_alloc(input->detection_count, sizeof(struct coco_detection *));
    x->objects = mem_alloc(input->object_count, sizeof(struct coco_object *));
    if (!x->detections || !x->objects)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu detections, %zu objects",
                         input->detection_count, input->object_count);
    for (size_t i = 0; i < input->detection_count; i++)
        x->detections[i] = &input->detections[i];
    for (size_t i = 0; i < input->object_count; i++)
        x->objects[i] = &input->objects[i];
    qsort(x->detections, x->detection_count, sizeof *x->detections, by_detection);
    qsort(x->objects, x->object_count, sizeof *x->objects, by_object);
    return STATUS_OK;
}

/* The next image of the category that has a detection or an object; false: there is none. */
static bool next_group(struct sorted *x, uint32_t category, struct group *g)
{
    const bool detected = x->detection_at < x->detection_count &&
                          x->detections[x->detection_at]->category == category;
    const bool expected =
        x->object_at < x->object_count && x->objects[x->object_at]->category == category;
    uint32_t image = UINT32_MAX;

    if (detected)
        image = x->detections[x->detection_at]->image;
    if (expected && x->objects[x->object_at]->image < image)
        image = x->objects[x->object_at]->image;
    g->detection_count = 0;
    while (x->detection_at < x->detection_count &&
           x->detections[x->detection_at]->category == category &&
           x->detections[x->detection_at]->image == image) {
        if (g->detection_count < COCO_DETECTIONS_MAX)
            g->detections[g->detection_count++] = x->detections[x->detection_at];
        x->detection_at++;
    }
    g->objects = x->objects + x->object_at;
    g->object_count = 0;
    while (x->object_at < x->object_count && x->objects[x->object_at]->category == category &&
           x->objects[x->object_at]->image == image) {
        g->object_count++;
        x->object_at++;
    }
    return detected || expected;
}

/* ---- all of it ---- */

static bool category_alloc(struct coco_matched *c, const struct sorted *x, uint32_t category)
{
    size_t detections = x->detection_at, objects = x->object_at;
    bool ok;

    while (detections < x->detection_count && x->detections[detections]->category == category)
        detections++;
    while (objects < x->object_count && x->objects[objects]->category == category)
        objects++;
    c->entries = mem_alloc(detections - x->detection_at, sizeof *c->entries);
    ok = c->entries != NULL;
    for (int range = 0; range < COCO_AREAS; range++) {
        c->positives[range] = mem_alloc(objects - x->object_at, sizeof *c->positives[range]);
        ok = ok && c->positives[range];
    }
    return ok;
}

static enum status match_all(struct coco_matches *m, struct sorted *x, struct group *g,
                             struct diag *diag)
{
    for (uint32_t k = 0; k < m->categories; k++) {
        struct coco_matched *const c = &m->items[k];

        if (!category_alloc(c, x, k))
            return diag_fail(diag, STATUS_NO_MEMORY, "matches: out of memory");
        while (next_group(x, k, g))
            match_group(g, c);
        qsort(c->entries, c->entry_count, sizeof *c->entries, by_score);
    }
    return STATUS_OK;
}

/* Room for the image with the most objects. */
static enum status group_open(struct group *g, const struct sorted *x, struct diag *diag)
{
    size_t most = 1, run = 0;

    for (size_t i = 0; i < x->object_count; i++) {
        run = i > 0 && x->objects[i]->image == x->objects[i - 1]->image ? run + 1 : 1;
        most = run > most ? run : most;
    }
    g->iou = mem_alloc(most, COCO_DETECTIONS_MAX * sizeof *g->iou);
    g->order = mem_alloc(most, sizeof *g->order);
    g->out = mem_alloc(most, sizeof *g->out);
    g->taken = mem_alloc(most, sizeof *g->taken);
    if (!g->iou || !g->order || !g->out || !g->taken)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu objects in an image", most);
    return STATUS_OK;
}

enum status coco_match(struct coco_matches **out, const struct coco_input *input, struct diag *diag)
{
    struct coco_matches *const m = mem_alloc(1, sizeof *m);
    struct sorted x = { .detections = NULL };
    struct group g = { .objects = NULL };
    enum status s = STATUS_OK;

    *out = m;
    if (!m || !(m->items = mem_alloc(input->categories, sizeof *m->items)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu categories", input->categories);
    if (s == STATUS_OK) {
        m->images = input->images;
        m->categories = input->categories;
        s = sort_input(&x, input, diag);
    }
    if (s == STATUS_OK)
        s = group_open(&g, &x, diag);
    if (s == STATUS_OK)
        s = match_all(m, &x, &g, diag);
    mem_free(x.detections);
    mem_free(x.objects);
    mem_free(g.iou);
    mem_free(g.order);
    mem_free(g.out);
    mem_free(g.taken);
    if (s != STATUS_OK) {
        coco_matches_close(m);
        *out = NULL;
    }
    return s;
}

void coco_matches_close(struct coco_matches *m)
{
    if (!m)
        return;
    for (size_t k = 0; m->items && k < m->categories; k++) {
        mem_free(m->items[k].entries);
        for (int range = 0; range < COCO_AREAS; range++)
            mem_free(m->items[k].positives[range]);
    }
    mem_free(m->items);
    mem_free(m);
}
