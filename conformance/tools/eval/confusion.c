#include "conformance/tools/eval/confusion.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

enum status confusion_open(struct confusion *c, size_t classes, struct diag *diag)
{
    *c = (struct confusion){ .classes = classes };
    c->right = mem_alloc(classes, sizeof *c->right);
    c->truth = mem_alloc(classes, sizeof *c->truth);
    c->found = mem_alloc(classes, sizeof *c->found);
    if (c->right && c->truth && c->found)
        return STATUS_OK;
    confusion_close(c);
    return diag_fail(diag, STATUS_NO_MEMORY, "%zu classes", classes);
}

void confusion_close(struct confusion *c)
{
    mem_free(c->right);
    mem_free(c->truth);
    mem_free(c->found);
    *c = (struct confusion){ .classes = 0 };
}

void confusion_clear(struct confusion *c)
{
    memset(c->right, 0, c->classes * sizeof *c->right);
    memset(c->truth, 0, c->classes * sizeof *c->truth);
    memset(c->found, 0, c->classes * sizeof *c->found);
}

void confusion_add(struct confusion *c, const struct confusion_image *image, double weight)
{
    for (size_t i = 0; i < image->count; i++) {
        const struct confusion_cell *const cell = &image->cells[i];
        const double pixels = weight * (double)cell->pixels;

        c->truth[cell->truth] += pixels;
        c->found[cell->found] += pixels;
        if (cell->truth == cell->found)
            c->right[cell->truth] += pixels;
    }
}

double confusion_iou(const struct confusion *c, size_t class_index)
{
    const double both = c->right[class_index];
    const double either = c->truth[class_index] + c->found[class_index] - both;

    return either > 0 ? both / either : NAN;
}

double confusion_mean_iou(const struct confusion *c)
{
    double sum = 0;
    size_t count = 0;

    for (size_t k = 0; k < c->classes; k++) {
        const double iou = confusion_iou(c, k);

        if (isnan(iou))
            continue;
        sum += iou;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

double confusion_accuracy(const struct confusion *c)
{
    double right = 0, all = 0;

    for (size_t k = 0; k < c->classes; k++) {
        right += c->right[k];
        all += c->truth[k];
    }
    return all > 0 ? right / all : NAN;
}
