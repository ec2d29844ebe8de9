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

/* ---- coco_score.c ---- */

/* Average precision and recall of detections, as pycocotools computes them for boxes: all images of
 * a category are one list of matches (coco_match.h), sorted by score, whose precision is sampled at
 * 101 recalls. */

/* Of one category, or means over categories.  NaN where no object is in range. */
struct coco_score {
    double ap[COCO_AREAS];          /* mean over thresholds, 100 detections */
    double ap50, ap75;              /* all areas */
    double recall[COCO_LIMITS];     /* all areas, mean over thresholds */
    double area_recall[COCO_AREAS]; /* 100 detections */
};
/* Mean over categories; each: of each category, or NULL.  STATUS_NO_MEMORY. */
enum status coco_score(const struct coco_matches *m, struct coco_score *mean,
                       struct coco_score *each, struct diag *diag);

/* AP, AP at .50 and at .75, all areas, where image i is taken weights[i] times.  NaN as above. */
void coco_score_weighted(const struct coco_matches *m, const uint32_t *weights, double ap[3]);

#endif
