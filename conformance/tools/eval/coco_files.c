#include "conformance/tools/eval/coco_files.h"

#include "conformance/util/json_parse.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* ---- values ---- */

/* sha256: of the file; may be NULL. */
static enum status load(json_t **out, const char *path, char *sha256, struct diag *diag)
{
    json_error_t error;
    const uint64_t limit = limit_of(LIMIT_JSON_BYTES);
    uint8_t *bytes;
    size_t count;

    TRY(file_read(path, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, &bytes, &count, diag));
    if (sha256)
        sha256_hex(bytes, count, sha256);
    *out = json_parse((const char *)bytes, count, 0, &error);
    mem_free(bytes);
    if (*out)
        return STATUS_OK;
    return diag_fail(diag, STATUS_INVALID, "%s: line %d: %s", path, error.line, error.text);
}

/* A member that is a whole number. */
static enum status get_id(const json_t *o, const char *key, int64_t *id, struct diag *diag)
{
    const json_t *const v = json_object_get(o, key);

    if (!json_is_integer(v))
        return diag_fail(diag, STATUS_INVALID, "\"%s\": expected a whole number", key);
    *id = json_integer_value(v);
    return STATUS_OK;
}

static enum status get_box(const json_t *o, struct coco_box *box, struct diag *diag)
{
    const json_t *const list = json_object_get(o, "bbox");
    double v[4];

    if (json_array_size(list) != 4)
        return diag_fail(diag, STATUS_INVALID, "\"bbox\": expected [x, y, width, height]");
    for (size_t i = 0; i < 4; i++) {
        const json_t *const one = json_array_get(list, i);

        if (!json_is_number(one))
            return diag_fail(diag, STATUS_INVALID, "\"bbox\": expected four numbers");
        v[i] = json_number_value(one);
    }
    if (v[2] < 0 || v[3] < 0)
        return diag_fail(diag, STATUS_INVALID,
                         "\"bbox\": [%g, %g, %g, %g], expected no negative width or height", v[0],
                         v[1], v[2], v[3]);
    *box = (struct coco_box){ v[0], v[1], v[2], v[3] };
    return STATUS_OK;
}

static enum status get_list(const json_t *root, const char *key, const json_t **list,
                            struct diag *diag)
{
    *list = json_object_get(root, key);
    if (!json_is_array(*list))
        return diag_fail(diag, STATUS_INVALID,
                         "expected a COCO instances file, an object with the lists \"images\", "
                         "\"annotations\" and \"categories\"; found no list \"%s\"",
                         key);
    return STATUS_OK;
}

/* ---- ground truth ---- */

static int by_image(const void *a, const void *b)
{
    const struct coco_image *const x = a, *const y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int by_category(const void *a, const void *b)
{
    const struct coco_category *const x = a, *const y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static long coco_truth_image(const struct coco_truth *t, int64_t id)
{
    const struct coco_image key = { .id = id };
    const struct coco_image *const found =
        t->image_count ? bsearch(&key, t->images, t->image_count, sizeof key, by_image) : NULL;

    return found ? (long)(found - t->images) : -1;
}

long coco_truth_category(const struct coco_truth *t, int64_t id)
{
    const struct coco_category key = { .id = id };
    const struct coco_category *const found =
        t->category_count ? bsearch(&key, t->categories, t->category_count, sizeof key, by_category)
                          : NULL;

    return found ? (long)(found - t->categories) : -1;
}

static enum status copy_text(struct coco_truth *t, const json_t *o, const char *key,
                             const char **text, struct diag *diag)
{
    const char *const value = json_string_value(json_object_get(o, key));

    if (!value)
        return STATUS_OK;
    *text = arena_string(&t->arena, value);
    return *text ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "names: out of memory");
}

static enum status read_images(struct coco_truth *t, const json_t *list, struct diag *diag)
{
    const size_t count = json_array_size(list);

    t->images = ARENA_NEW(&t->arena, count, struct coco_image);
    if (!t->images)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu images", count);
    for (size_t i = 0; i < count; i++) {
        const json_t *const o = json_array_get(list, i);

        TRY(diag_prefix(diag, get_id(o, "id", &t->images[i].id, diag), "image %zu", i));
        TRY(copy_text(t, o, "file_name", &t->images[i].file, diag));
    }
    t->image_count = count;
    qsort(t->images, count, sizeof *t->images, by_image);
    for (size_t i = 1; i < count; i++) {
        if (t->images[i].id == t->images[i - 1].id)
            return diag_fail(diag, STATUS_INVALID, "two images have the id %" PRId64,
                             t->images[i].id);
    }
    return STATUS_OK;
}

static enum status read_categories(struct coco_truth *t, const json_t *list, struct diag *diag)
{
    const size_t count = json_array_size(list);

    t->categories = ARENA_NEW(&t->arena, count, struct coco_category);
    if (!t->categories)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu categories", count);
    for (size_t i = 0; i < count; i++) {
        const json_t *const o = json_array_get(list, i);

        t->categories[i].name = "";
        TRY(diag_prefix(diag, get_id(o, "id", &t->categories[i].id, diag), "category %zu", i));
        TRY(copy_text(t, o, "name", &t->categories[i].name, diag));
    }
    t->category_count = count;
    qsort(t->categories, count, sizeof *t->categories, by_category);
    for (size_t i = 1; i < count; i++) {
        if (t->categories[i].id == t->categories[i - 1].id)
            return diag_fail(diag, STATUS_INVALID, "two categories have the id %" PRId64,
                             t->categories[i].id);
    }
    return STATUS_OK;
}

static enum status read_object(struct coco_truth *t, const json_t *o, struct diag *diag)
{
    struct coco_object *const x = &t->objects[t->object_count];
    const json_t *const area = json_object_get(o, "area");
    const json_t *const crowd = json_object_get(o, "iscrowd");
    int64_t image = 0, category = 0;

    TRY(get_id(o, "image_id", &image, diag));
    TRY(get_id(o, "category_id", &category, diag));
    TRY(get_box(o, &x->box, diag));
    if (coco_truth_category(t, category) < 0)
        return diag_fail(diag, STATUS_INVALID,
                         "category %" PRId64 " is not among the %zu of \"categories\"", category,
                         t->category_count);
    if (coco_truth_image(t, image) < 0) {
        t->foreign++;
        return STATUS_OK;
    }
    x->image = (uint32_t)coco_truth_image(t, image);
    x->category = (uint32_t)coco_truth_category(t, category);
    x->area = json_is_number(area) ? json_number_value(area) : x->box.width * x->box.height;
    x->crowd = json_is_true(crowd) || json_number_value(crowd) != 0;
    t->crowd_count += x->crowd;
    t->object_count++;
    return STATUS_OK;
}

static enum status read_truth(struct coco_truth *t, const json_t *root, struct diag *diag)
{
    const json_t *images, *objects, *categories;

    TRY(get_list(root, "images", &images, diag));
    TRY(get_list(root, "annotations", &objects, diag));
    TRY(get_list(root, "categories", &categories, diag));
    TRY(read_images(t, images, diag));
    TRY(read_categories(t, categories, diag));
    t->objects = ARENA_NEW(&t->arena, json_array_size(objects), struct coco_object);
    if (!t->objects)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu annotations", json_array_size(objects));
    for (size_t i = 0; i < json_array_size(objects); i++)
        TRY(diag_prefix(diag, read_object(t, json_array_get(objects, i), diag), "annotation %zu",
                        i));
    if (t->object_count == 0)
        return diag_fail(diag, STATUS_INVALID,
                         "no annotation is of one of its %zu images: nothing to find",
                         t->image_count);
    return STATUS_OK;
}

enum status coco_truth_read(struct coco_truth *t, const char *path, struct diag *diag)
{
    json_t *root;
    enum status s;

    *t = (struct coco_truth){ .images = NULL };
    TRY(load(&root, path, t->sha256, diag));
    s = diag_prefix(diag, read_truth(t, root, diag), "%s", path);
    json_decref(root);
    if (s != STATUS_OK)
        coco_truth_close(t);
    return s;
}

void coco_truth_close(struct coco_truth *t)
{
    arena_close(&t->arena);
    *t = (struct coco_truth){ .images = NULL };
}

/* ---- detections ---- */

enum status coco_detections_add(struct coco_detections *d, const struct coco_detection *one,
                                struct diag *diag)
{
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity ? 2 * d->capacity : 256;
        struct coco_detection *const items = mem_resize(d->items, capacity, sizeof *items);

        if (!items)
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu detections", capacity);
        d->items = items;
        d->capacity = capacity;
    }
    d->items[d->count++] = *one;
    return STATUS_OK;
}

static enum status read_detection(struct coco_detections *d, const struct coco_truth *t,
                                  const json_t *o, struct diag *diag)
{
    const json_t *const score = json_object_get(o, "score");
    struct coco_detection one;
    int64_t image = 0, category = 0;

    TRY(get_id(o, "image_id", &image, diag));
    TRY(get_id(o, "category_id", &category, diag));
    TRY(get_box(o, &one.box, diag));
    if (!json_is_number(score))
        return diag_fail(diag, STATUS_INVALID, "\"score\": expected a number");
    if (coco_truth_image(t, image) < 0)
        return diag_fail(diag, STATUS_INVALID,
                         "image %" PRId64 " is not among the %zu of the ground truth", image,
                         t->image_count);
    if (coco_truth_category(t, category) < 0) {
        d->foreign++;
        return STATUS_OK;
    }
    one.image = (uint32_t)coco_truth_image(t, image);
    one.category = (uint32_t)coco_truth_category(t, category);
    one.score = json_number_value(score);
    return coco_detections_add(d, &one, diag);
}

enum status coco_detections_read(struct coco_detections *d, const struct coco_truth *t,
                                 const char *path, struct diag *diag)
{
    json_t *root;
    enum status s = STATUS_OK;

    *d = (struct coco_detections){ .items = NULL };
    TRY(load(&root, path, NULL, diag));
    if (!json_is_array(root))
        s = diag_fail(diag, STATUS_INVALID,
                      "%s: expected a COCO results file, a list of objects with \"image_id\", "
                      "\"category_id\", \"bbox\" and \"score\"",
                      path);
    for (size_t i = 0; s == STATUS_OK && i < json_array_size(root); i++)
        s = diag_prefix(diag, read_detection(d, t, json_array_get(root, i), diag),
                        "%s: detection %zu", path, i);
    json_decref(root);
    if (s != STATUS_OK)
        coco_detections_close(d);
    return s;
}

void coco_detections_print(FILE *f, const struct coco_detections *d, const struct coco_truth *t)
{
    fputc('[', f);
    for (size_t i = 0; i < d->count; i++) {
        const struct coco_detection *const x = &d->items[i];

        fprintf(f,
                "%s\n {\"image_id\": %" PRId64 ", \"category_id\": %" PRId64
                ", \"bbox\": [%.17g, %.17g, %.17g, %.17g], \"score\": %.17g}",
                i ? "," : "", t->images[x->image].id, t->categories[x->category].id, x->box.x,
                x->box.y, x->box.width, x->box.height, x->score);
    }
    fputs("\n]\n", f);
}

void coco_detections_close(struct coco_detections *d)
{
    mem_free(d->items);
    *d = (struct coco_detections){ .items = NULL };
}
