/* Which class pixels have, and which one they were given. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_CONFUSION_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_CONFUSION_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

enum { CONFUSION_CLASSES_MAX = 4096 };

/* Pixels of the class `truth` that were taken for the class `found`. */
struct confusion_cell {
    uint16_t truth, found;
    uint64_t pixels;
};
/* Those of one image that are not 0. */
struct confusion_image {
    struct confusion_cell *cells; /* mem_free */
    size_t count;
};

/* Sums over images: what the metrics need. */
struct confusion {
    size_t classes;
    double *right, *truth, *found; /* of each class: pixels in both, in the truth, found */
};
enum status confusion_open(struct confusion *c, size_t classes, struct diag *diag);
void confusion_close(struct confusion *c);
void confusion_clear(struct confusion *c);
/* Adds an image `weight` times. */
void confusion_add(struct confusion *c, const struct confusion_image *image, double weight);

/* Intersection over union of a class; NaN where no pixel has it and none was given it. */
double confusion_iou(const struct confusion *c, size_t class_index);
/* Mean over the classes that have one; NaN where none has. */
double confusion_mean_iou(const struct confusion *c);
/* Share of pixels with the right class; NaN without pixels. */
double confusion_accuracy(const struct confusion *c);

#endif
