#include "conformance/tools/eval/imagenet_truth.h"

#include "reference/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- labels ---- */

struct label {
    const char *text;
    uint32_t index;
};

static int by_text(const void *a, const void *b)
{
    const struct label *const x = a, *const y = b;
    const int order = strcmp(x->text, y->text);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static struct label *sort_labels(const struct labels *labels)
{
    struct label *const sorted = mem_alloc(labels->count, sizeof *sorted);

    for (size_t i = 0; sorted && i < labels->count; i++)
        sorted[i] = (struct label){ labels->lines[i], (uint32_t)i };
    if (sorted)
        qsort(sorted, labels->count, sizeof *sorted, by_text);
    return sorted;
}

/* same[i] becomes the first index of the same text. */
static enum status join_labels(const struct labels *labels, uint32_t *same, struct diag *diag)
{
    struct label *const sorted = sort_labels(labels);

    if (!sorted)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu labels", labels->count);
    for (size_t i = 0; i < labels->count; i++)
        same[sorted[i].index] = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0
                                    ? same[sorted[i - 1].index]
                                    : sorted[i].index;
    mem_free(sorted);
    return STATUS_OK;
}

/* Some labels of ImageNet are there twice, "crane": TFLite's tool compares labels, not numbers. */
static enum status read_labels(struct imagenet_truth *x, const char *path, const char *model,
                               struct diag *diag)
{
    x->same = mem_alloc(x->classes, sizeof *x->same);
    if (!x->same)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu classes", x->classes);
    for (size_t i = 0; i < x->classes; i++)
        x->same[i] = (uint32_t)i;
    if (!path)
        return STATUS_OK;
    TRY(labels_read(&x->labels, path, diag));
    if (x->labels.count != x->classes)
        return diag_fail(
            diag, STATUS_INVALID, "%s: found %zu labels, the model %s has %zu classes%s", path,
            x->labels.count, model, x->classes,
            x->labels.count + 1 == x->classes ? ": is the line of the background, class 0, missing?"
                                              : "");
    return join_labels(&x->labels, x->same, diag);
}

static int compare_text(const void *key, const void *item)
{
    return strcmp(key, ((const struct label *)item)->text);
}

/* ---- lines ---- */

struct reading {
    struct imagenet_truth *x;
    const struct imagenet_files *files;
    struct labels lines, names; /* of --ground-truth and of --ground-truth-names */
    struct label *sorted;       /* the labels; NULL: numbers are classes */
};

/* A whole number without anything else on the line but blanks. */
static bool read_number(const char *text, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && errno == 0 && end[strspn(end, " \t")] == '\0';
}

/* The label that a number of the ground truth stands for, by --ground-truth-names. */
static enum status name_number(const struct reading *r, const char **text, struct diag *diag)
{
    int64_t number;

    if (!r->files->names)
        return STATUS_OK;
    if (!read_number(*text, &number) || number < 1 || (uint64_t)number > r->names.count)
        return diag_fail(diag, STATUS_INVALID,
                         "\"%.80s\": expected a number from 1 to %zu, the "
                         "lines of %s",
                         *text, r->names.count, r->files->names);
    *text = r->names.lines[number - 1];
    return STATUS_OK;
}

static enum status find_class(const struct reading *r, const char *text, uint32_t *found,
                              struct diag *diag)
{
    /* The numbers of the model's classes. */
    const int64_t low = -r->files->offset, high = (int64_t)r->x->classes - 1 - r->files->offset;
    const struct label *label;
    int64_t number;

    TRY(name_number(r, &text, diag));
    if (r->sorted) {
        label = bsearch(text, r->sorted, r->x->labels.count, sizeof *label, compare_text);
        if (!label)
            return diag_fail(diag, STATUS_INVALID, "\"%.80s\" is none of the %zu labels of %s",
                             text, r->x->labels.count, r->files->labels);
        *found = r->x->same[label->index];
        return STATUS_OK;
    }
    if (!read_number(text, &number))
        return diag_fail(diag, STATUS_INVALID,
                         "\"%.80s\": expected the number of a class; labels need --labels", text);
    if (number < low || number > high)
        return diag_fail(diag, STATUS_INVALID,
                         "class %" PRId64 ": expected %" PRId64 " to %" PRId64
                         ", as the model has %zu classes and --label-offset is %" PRId64,
                         number, low, high, r->x->classes, r->files->offset);
    *found = (uint32_t)(number + r->files->offset);
    return STATUS_OK;
}

/* "ILSVRC2012_val_00000001.JPEG 65": bytes of the name; 0: the line does not begin with one. */
static size_t name_bytes(const char *line)
{
    static const char *const suffixes[] = { ".jpg", ".jpeg", ".png", ".bmp" };
    const size_t bytes = strcspn(line, " \t");

    for (size_t i = 0; line[bytes] && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t suffix = strlen(suffixes[i]);

        if (bytes > suffix && strncasecmp(line + bytes - suffix, suffixes[i], suffix) == 0)
            return bytes;
    }
    return 0;
}

/* ---- images ---- */

static enum status truth_alloc(struct imagenet_truth *x, struct diag *diag)
{
    x->expected = mem_alloc(x->images.count, sizeof *x->expected);
    return x->expected ? STATUS_OK
                       : diag_fail(diag, STATUS_NO_MEMORY, "%zu images", x->images.count);
}

/* A line for each image, in the order of their names. */
static enum status read_by_place(struct reading *r, struct diag *diag)
{
    struct imagenet_truth *const x = r->x;

    TRY(eval_images_list(&x->images, r->files->images, diag));
    if (x->images.count != r->lines.count)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: found %zu lines, %s has %zu images (and %zu other files)",
                         r->files->ground_truth, r->lines.count, r->files->images, x->images.count,
                         x->images.skipped);
    TRY(truth_alloc(x, diag));
    for (size_t i = 0; i < x->images.count; i++)
        TRY(diag_prefix(diag, find_class(r, r->lines.lines[i], &x->expected[i], diag),
                        "%s: line %zu", r->files->ground_truth, i + 1));
    return STATUS_OK;
}

static enum status read_by_name(struct reading *r, struct diag *diag)
{
    struct imagenet_truth *const x = r->x;

    TRY(eval_images_alloc(&x->images, r->lines.count, diag));
    TRY(truth_alloc(x, diag));
    for (size_t i = 0; i < r->lines.count; i++) {
        char *const line = r->lines.lines[i];
        const size_t bytes = name_bytes(line);

        if (bytes == 0)
            return diag_fail(diag, STATUS_INVALID,
                             "%s: line %zu: \"%.80s\": expected the name of an image before the "
                             "label, as on line 1",
                             r->files->ground_truth, i + 1, line);
        line[bytes] = '\0';
        TRY(eval_images_name(&x->images, i, r->files->images, line, diag));
        TRY(diag_prefix(diag,
                        find_class(r, line + bytes + 1 + strspn(line + bytes + 1, " \t"),
                                   &x->expected[i], diag),
                        "%s: line %zu", r->files->ground_truth, i + 1));
    }
    return STATUS_OK;
}

/* ---- which images ---- */

/* Numbers of images, from 1 on, in any order. */
static enum status deny(struct imagenet_truth *x, const char *path, struct diag *diag)
{
    struct labels lines;
    bool *const denied = mem_alloc(x->images.count, sizeof *denied);
    enum status s = denied ? labels_read(&lines, path, diag)
                           : diag_fail(diag, STATUS_NO_MEMORY, "%zu images", x->images.count);
    size_t kept = 0;

    if (s != STATUS_OK) {
        mem_free(denied);
        return s;
    }
    for (size_t i = 0; i < lines.count && s == STATUS_OK; i++) {
        int64_t number;

        if (lines.lines[i][0] == '\0')
            continue;
        if (!read_number(lines.lines[i], &number) || number < 1 ||
            (uint64_t)number > x->images.count)
            s = diag_fail(diag, STATUS_INVALID,
                          "%s: line %zu: \"%.80s\": expected the number of an image, 1 to %zu",
                          path, i + 1, lines.lines[i], x->images.count);
        else
            denied[number - 1] = true;
    }
    for (size_t i = 0; s == STATUS_OK && i < x->images.count; i++) {
        if (denied[i])
            continue;
        x->expected[kept] = x->expected[i];
        x->images.items[kept++] = x->images.items[i];
    }
    if (s == STATUS_OK) {
        x->denied = x->images.count - kept;
        eval_images_keep(&x->images, kept);
    }
    labels_close(&lines);
    mem_free(denied);
    return s;
}

static enum status read_all(struct reading *r, struct diag *diag)
{
    const struct imagenet_files *const f = r->files;

    TRY(labels_read(&r->lines, f->ground_truth, diag));
    memcpy(r->x->sha256, r->lines.sha256, sizeof r->x->sha256);
    if (r->lines.count == 0)
        return diag_fail(diag, STATUS_INVALID, "%s: it is empty", f->ground_truth);
    if (f->names && !f->labels)
        return diag_fail(diag, STATUS_USAGE, "--ground-truth-names needs --labels");
    if (f->names)
        TRY(labels_read(&r->names, f->names, diag));
    if (f->labels && !(r->sorted = sort_labels(&r->x->labels)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu labels", r->x->labels.count);
    TRY(name_bytes(r->lines.lines[0]) ? read_by_name(r, diag) : read_by_place(r, diag));
    if (f->denylist)
        TRY(deny(r->x, f->denylist, diag));
    if (f->num_images)
        eval_images_keep(&r->x->images, f->num_images);
    return STATUS_OK;
}

enum status imagenet_truth_open(struct imagenet_truth *t, const struct imagenet_files *files,
                                const char *model, size_t classes, struct diag *diag)
{
    struct reading r = { .x = t, .files = files };
    enum status s;

    *t = (struct imagenet_truth){ .classes = classes, .offset = files->offset };
    s = read_labels(t, files->labels, model, diag);
    if (s == STATUS_OK)
        s = read_all(&r, diag);
    labels_close(&r.lines);
    labels_close(&r.names);
    mem_free(r.sorted);
    if (s != STATUS_OK)
        imagenet_truth_close(t);
    return s;
}

void imagenet_truth_close(struct imagenet_truth *t)
{
    labels_close(&t->labels);
    mem_free(t->same);
    mem_free(t->expected);
    eval_images_close(&t->images);
    *t = (struct imagenet_truth){ .classes = 0 };
}
