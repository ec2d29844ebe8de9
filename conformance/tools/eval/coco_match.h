/* Matches detections to objects, as pycocotools does for boxes: those of a category in an image in
 * the order of their scores, for each threshold of the intersection over union (IoU) and each range
 * of areas. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_MATCH_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_MATCH_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COCO_THRESHOLDS = 10, /* .50, .55, ... .95 */
    COCO_RECALLS = 101,   /* 0, .01, ... 1 */
    COCO_LIMITS = 3,      /* the best 1, 10 and 100 detections of a category in an image */
    COCO_DETECTIONS_MAX = 100
};
enum coco_area { COCO_ALL, COCO_SMALL, COCO_MEDIUM, COCO_LARGE, COCO_AREAS };

/* Pixels from the upper left corner. */
struct coco_box {
    double x, y, width, height;
};
/* Images and categories are numbered from 0, in the order of their ids. */
struct coco_object {
    uint32_t image, category;
    struct coco_box box;
    double area; /* of the object's outline, which is smaller than its box */
    bool crowd;  /* a region of many objects: what lies in it is no false detection */
};
struct coco_detection {
    uint32_t image, category;
    struct coco_box box;
    double score;
};

/* What is compared.  Objects and detections of an image have the order of their file. */
struct coco_input {
    size_t images, categories;
    const struct coco_object *objects;
    size_t object_count;
    const struct coco_detection *detections;
    size_t detection_count;
};

/* A detection after matching; bit t is of threshold t. */
struct coco_entry {
    double score;
    uint32_t image;
    uint16_t rank; /* within image and category, by score */
    uint16_t hit[COCO_AREAS], ignored[COCO_AREAS];
};

/* Indices of one category, sorted by image. */
struct coco_matched {
    struct coco_entry *entries; /* best score first */
    size_t entry_count;
    uint32_t *positives[COCO_AREAS]; /* the image of each object that is to be found */
    size_t positive_count[COCO_AREAS];
};

struct coco_matches {
    size_t images, categories;
    struct coco_matched *items;
};

enum status coco_match(struct coco_matches **out, const struct coco_input *input,
                       struct diag *diag);
void coco_matches_close(struct coco_matches *m);

/* The IoU of a detection and an object; with a crowd, the share of the detection that is in it. */
double coco_iou(const struct coco_box *detection, const struct coco_box *object, bool crowd);
/* Threshold t; the same double as numpy.linspace(.5, .95, 10) has. */
double coco_threshold(int t);

#endif
