#include "conformance/tools/eval/segmentation.h"

#include "conformance/suite/io/image_read.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t mask_bytes_max = (size_t)1 << 28;

/* ---- the model and the files ---- */

static bool is_label_type(TfLiteType type)
{
    return type == kTfLiteInt32 || type == kTfLiteInt64 || type == kTfLiteUInt8 ||
           type == kTfLiteInt8;
}

/* Scores [1, h, w, c], or labels [1, h, w] or [1, h, w, 1]. */
static enum status find_classes(struct segmentation *x, struct diag *diag)
{
    const struct model_tensor *const t =
        eval_model_outputs(x->model) == 1 ? eval_model_output(x->model, 0) : NULL;
    const TfLiteType type = t ? tensor_type_runtime(t->type) : kTfLiteNoType;
    const size_t rank = t ? t->shape.count : 0;
    const int32_t last = rank == 4 ? t->shape.data[3] : 1;
    char text[160] = "missing";

    if (t)
        eval_model_describe(t, text, sizeof text);
    x->scores = last > 1;
    if (!t || (rank != 3 && rank != 4) || t->shape.data[0] != 1 || t->shape.data[1] < 1 ||
        t->shape.data[2] < 1 || last < 1 || last > CONFUSION_CLASSES_MAX ||
        (x->scores ? !(type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteUInt8 ||
                       type == kTfLiteInt8)
                   : !is_label_type(type)))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: not a segmentation model: found %zu outputs, the first %s; expected "
                         "one, scores [1, h, w, classes] or integer labels [1, h, w]",
                         x->model->path, eval_model_outputs(x->model), text);
    x->classes = x->scores ? (size_t)last : 256;
    return STATUS_OK;
}

/* "cat.jpg" has the mask "cat.png". */
static enum status name_mask(struct segmentation *x, size_t i, struct diag *diag)
{
    const char *const name = x->images.items[i].name;
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    const size_t bytes = strlen(x->files->masks) + stem + sizeof "/.png";
    char *const path = ARENA_NEW(&x->images.arena, bytes, char);

    if (!path)
        return diag_fail(diag, STATUS_NO_MEMORY, "names: out of memory");
    snprintf(path, bytes, "%s/%.*s.png", x->files->masks, (int)stem, name);
    x->masks[i] = path;
    return STATUS_OK;
}

/* Images without a mask are left out, and counted. */
static enum status find_masks(struct segmentation *x, struct diag *diag)
{
    size_t kept = 0;

    x->masks = mem_alloc(x->images.count, sizeof(char *));
    if (!x->masks)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu images", x->images.count);
    for (size_t i = 0; i < x->images.count; i++) {
        TRY(name_mask(x, i, diag));
        if (access(x->masks[i], F_OK) != 0) {
            if (x->without_mask++ == 0)
                x->first_without_mask = x->images.items[i].name;
            continue;
        }
        x->masks[kept] = x->masks[i];
        x->images.items[kept++] = x->images.items[i];
    }
    if (kept == 0)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: found no mask of the %zu images of %s; %s would be that of %s",
                         x->files->masks, x->images.count, x->files->images, x->masks[0],
                         x->images.items[0].name);
    eval_images_keep(&x->images, kept);
    return STATUS_OK;
}

/* Their names are those of the images; sizes stand for contents, which would be read twice. */
static void hash_masks(struct segmentation *x)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    if (!f)
        return;
    fprintf(f, "%d\n", x->files->ignore);
    for (size_t i = 0; i < x->images.count; i++)
        fprintf(f, "%lld\n", eval_images_size(x->masks[i]));
    if (fclose(f) == 0)
        sha256_hex(text, bytes, x->truth_sha256);
    free(text);
}

static enum status open_files(struct segmentation *x, struct diag *diag)
{
    TRY(find_classes(x, diag));
    if (x->files->labels)
        TRY(labels_read(&x->labels, x->files->labels, diag));
    if (x->files->labels && x->scores && x->labels.count != x->classes)
        return diag_fail(diag, STATUS_INVALID, "%s: found %zu labels, the model %s has %zu classes",
                         x->files->labels, x->labels.count, x->model->path, x->classes);
    TRY(eval_images_list(&x->images, x->files->images, diag));
    TRY(find_masks(x, diag));
    if (x->files->num_images)
        eval_images_keep(&x->images, x->files->num_images);
    hash_masks(x);
    for (int side = 0; side < EVAL_SIDES; side++) {
        x->found[side] = mem_alloc(x->images.count, sizeof *x->found[side]);
        if (!x->found[side])
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu images", x->images.count);
    }
    return STATUS_OK;
}

enum status segmentation_open(struct segmentation *x, const struct segmentation_files *files,
                              const struct eval_model *model, struct diag *diag)
{
    enum status s;

    *x = (struct segmentation){ .model = model, .files = files };
    s = open_files(x, diag);
    if (s != STATUS_OK)
        segmentation_close(x);
    return s;
}

void segmentation_close(struct segmentation *x)
{
    for (int side = 0; side < EVAL_SIDES; side++) {
        for (size_t i = 0; x->found[side] && i < x->images.count; i++)
            mem_free(x->found[side][i].cells);
        mem_free(x->found[side]);
    }
    labels_close(&x->labels);
    mem_free(x->masks);
    eval_images_close(&x->images);
    *x = (struct segmentation){ .classes = 0 };
}

/* ---- answers ---- */

enum status segmentation_count(uint64_t *cells, size_t classes, const struct image *mask,
                               const uint16_t *map, uint32_t width, uint32_t height, int ignore,
                               struct diag *diag)
{
    for (uint32_t y = 0; y < mask->height; y++) {
        const uint32_t from_y =
            (uint32_t)((2 * (uint64_t)y + 1) * height / (2 * (uint64_t)mask->height));

        for (uint32_t x = 0; x < mask->width; x++) {
            const uint32_t from_x =
                (uint32_t)((2 * (uint64_t)x + 1) * width / (2 * (uint64_t)mask->width));
            const uint8_t truth = mask->pixels[(size_t)y * mask->width + x];

            if (truth == ignore)
                continue;
            if (truth >= classes)
                return diag_fail(diag, STATUS_INVALID,
                                 "mask: label %d at [%u, %u], expected less than the %zu classes "
                                 "of the model, or %d for what does not count",
                                 truth, y, x, classes, ignore);
            cells[truth * classes + map[(size_t)from_y * width + from_x]]++;
        }
    }
    return STATUS_OK;
}

static enum status read_mask(struct image *mask, const char *path, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    enum status s;

    TRY(file_read(path, mask_bytes_max, &bytes, &count, diag));
    s = image_read_labels(mask, bytes, count, diag);
    mem_free(bytes);
    return diag_prefix(diag, s, "mask %s", path);
}

/* The class of the largest score, the first of equals; or the label itself. */
static enum status make_map(const struct segmentation *x, const struct outputs *got, uint16_t *map,
                            size_t pixels, struct diag *diag)
{
    for (size_t i = 0; i < pixels; i++) {
        const size_t count = x->scores ? x->classes : 1;
        double best = eval_value(x->model, got, 0, i * count);

        map[i] = 0;
        for (size_t c = 1; c < count; c++) {
            const double score = eval_value(x->model, got, 0, i * count + c);

            if (score > best || (isnan(best) && !isnan(score))) {
                best = score;
                map[i] = (uint16_t)c;
            }
        }
        if (x->scores)
            continue;
        if (!(best >= 0 && best < (double)x->classes))
            return diag_fail(diag, STATUS_INVALID,
                             "output 0: label %g of pixel %zu, expected 0 to "
                             "%zu",
                             best, i, x->classes - 1);
        map[i] = (uint16_t)best;
    }
    return STATUS_OK;
}

static json_t *cells_json(const uint64_t *cells, size_t classes)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < classes * classes; i++) {
        if (cells[i])
            json_array_append_new(list, json_pack("[I,I,I]", (json_int_t)(i / classes),
                                                  (json_int_t)(i % classes), (json_int_t)cells[i]));
    }
    return list;
}

static enum status answer_side(const struct segmentation *x, const struct image *mask,
                               const struct outputs *got, json_t **out, struct diag *diag)
{
    const struct model_tensor *const t = eval_model_output(x->model, 0);
    const uint32_t height = (uint32_t)t->shape.data[1], width = (uint32_t)t->shape.data[2];
    const size_t pixels = (size_t)height * width;
    uint16_t *map;
    uint64_t *cells;
    enum status s;

    if (got->count != 1 || eval_elements(got, 0) != pixels * (x->scores ? x->classes : 1))
        return diag_fail(diag, STATUS_INVALID, "found an output of %zu elements, expected %zu",
                         got->count ? eval_elements(got, 0) : 0,
                         pixels * (x->scores ? x->classes : 1));
    map = mem_alloc(pixels, sizeof *map);
    cells = mem_alloc(x->classes * x->classes, sizeof *cells);
    s = map && cells ? make_map(x, got, map, pixels, diag)
                     : diag_fail(diag, STATUS_NO_MEMORY, "%zu pixels", pixels);
    if (s == STATUS_OK)
        s = segmentation_count(cells, x->classes, mask, map, width, height, x->files->ignore, diag);
    if (s == STATUS_OK)
        *out = cells_json(cells, x->classes);
    mem_free(map);
    mem_free(cells);
    return s;
}

static enum status answer(void *user, const struct eval_view *view, json_t *answers[EVAL_SIDES],
                          bool *unusable, struct diag *diag)
{
    const struct segmentation *const x = user;
    struct image mask = { 0 };
    enum status s = read_mask(&mask, x->masks[view->image], diag);

    if (s == STATUS_OK && (mask.width != view->width || mask.height != view->height))
        s = diag_fail(diag, STATUS_INVALID, "mask %s is %ux%u, the image %ux%u",
                      x->masks[view->image], mask.width, mask.height, view->width, view->height);
    *unusable = s != STATUS_OK;
    for (int side = 0; s == STATUS_OK && side < EVAL_SIDES && view->got[side]; side++)
        s = answer_side(x, &mask, view->got[side], &answers[side], diag);
    image_close(&mask);
    return s;
}

static enum status take(void *user, size_t image, enum eval_side side, const json_t *answer_of,
                        struct diag *diag)
{
    struct segmentation *const x = user;
    struct confusion_image *const found = &x->found[side][image];
    const size_t count = json_array_size(answer_of);

    if (!json_is_array(answer_of) || !(found->cells = mem_alloc(count, sizeof *found->cells)))
        return diag_fail(diag, STATUS_INVALID, "expected a list of [truth, found, pixels]");
    for (size_t i = 0; i < count; i++) {
        json_int_t truth = -1, was = -1, pixels = -1;

        if (json_unpack(json_array_get(answer_of, i), "[I,I,I]", &truth, &was, &pixels) != 0 ||
            truth < 0 || was < 0 || pixels < 0 || (uint64_t)truth >= x->classes ||
            (uint64_t)was >= x->classes)
            return diag_fail(diag, STATUS_INVALID, "item %zu: expected [truth, found, pixels]", i);
        found->cells[i] =
            (struct confusion_cell){ (uint16_t)truth, (uint16_t)was, (uint64_t)pixels };
    }
    found->count = count;
    return STATUS_OK;
}

struct eval_task segmentation_task(struct segmentation *x)
{
    return (struct eval_task){ "segmentation", x, answer, take };
}
